import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// The authors of events in a simulated store.
///
/// One is the store's own replica, under one identity after another. The other is a peer whose
/// events arrive in pieces and out of order.
enum Authors {
  /// The identities of the store's replica; the last one is the peer's.
  ///
  /// Making a key takes time, so all runs share them.
  static let own: [Identity] = (1...6 as ClosedRange<UInt8>).compactMap {
    try? Identity(seed: [UInt8](repeating: $0, count: 32))
  }
  static let peer: [EncodedEvent] = (1...peerCount).map { sequence in
    own[own.count - 1].event(sequence, serial: 0, size: sequence % 7 == 0 ? 700 : 30 + sequence)
  }
  static let peerCount = 40
  static var peerOrigin: ReplicaID { own[own.count - 1].id }
  /// The peer's chain after each number of events, from 0 to ``peerCount``.
  static let peerChains: [Chain] = {
    var chain = Chain(origin: peerOrigin)
    return [chain]
      + peer.map { event in
        chain.append(event)
        return chain
      }
  }()

  static func head(_ identity: Int, _ sequence: UInt64, _ chain: Hash256) -> Head? {
    try? Head(
      zone: [UInt8](repeating: 7, count: 16), sequence: sequence, chain: chain, by: own[identity])
  }

  static func peerFrame(_ range: ClosedRange<UInt64>) throws(FrameError) -> Frame {
    let first = Int(range.lowerBound)
    return try Frame(
      origin: peerOrigin, firstSequence: range.lowerBound,
      events: Array(peer[first - 1..<Int(range.upperBound)]), chainBefore: peerChains[first - 1])
  }
}

extension Identity {
  /// Returns event number `sequence`, of about `size` bytes.
  ///
  /// Event 1 claims the identity. The content of every other event depends on `serial`, so no two
  /// serials produce the same event.
  func event(_ sequence: Int, serial: UInt64, size: Int) -> EncodedEvent {
    let authored = HybridTime(milliseconds: Int64(sequence))
    if sequence == 1 {
      return EncodedEvent(
        Envelope(kind: .identity, authored: authored),
        Body(operations: [.identity(IdentityClaim(self))]))
    }
    var noise = SplitMix64(seed: serial &* 65537 &+ UInt64(sequence))
    let bytes = (0..<max(1, size / 8)).flatMap { _ in
      withUnsafeBytes(of: noise.next()) { Array($0) }
    }
    return EncodedEvent(
      Envelope(kind: .transaction, authored: authored),
      Body(operations: [change("\(serial)-\(sequence)", sequence, bytes)]))
  }

  /// Returns an insert, or for every third event an edit. The log carries an edit as any operation,
  /// whatever its script is.
  private func change(_ name: String, _ sequence: Int, _ bytes: [UInt8]) -> Operation {
    guard sequence % 3 == 0 else {
      return .insert(collection: "n", id: name, fields: ["v": .blob(bytes)])
    }
    return .edit(
      TextEdit(
        collection: "n", id: name, field: "v", base: EventID(id, UInt64(sequence - 1)),
        baseOperation: 0, script: bytes))
  }
}
