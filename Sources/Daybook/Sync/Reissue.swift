import EventCore
import LogEngine

/// Writes the events of a branch again, as another replica: the same operations, with what their
/// author had seen, at the times that it said; who reads the history finds which event it was.
struct Reissue {
  static let annotation = "reissued"

  private let snapshot: LogSnapshot
  private let branch: Branch
  private let identity: Identity

  init(_ snapshot: LogSnapshot, _ branch: Branch, _ identity: Identity) {
    self.snapshot = snapshot
    self.branch = branch
    self.identity = identity
  }

  /// - Returns: frames from the new replica's first event on, and how many events of the branch are in
  ///   them. Events that this version cannot read are not.
  func frames() throws -> (frames: [Frame], events: UInt64) {
    var old = CausalContext(author: branch.origin)
    var new = CausalContext(author: identity.id)
    var frames: [Frame] = []
    var builder: FrameBuilder?
    var sequence: UInt64 = 0
    var chain = Chain(origin: identity.id)
    var events: UInt64 = 0

    func add(_ event: EncodedEvent) throws {
      if let full = builder, full.rawLength + event.size > 1 << 20 {
        chain = full.chain
        frames.append(try full.finish())
        builder = nil
      }
      sequence += 1
      if builder == nil {
        builder = FrameBuilder(origin: identity.id, firstSequence: sequence, chainBefore: chain)
      }
      try builder?.append(event)
    }

    try snapshot.forEachEvent(of: branch.origin, in: 1...snapshot.vector[branch.origin]) {
      number, view in
      guard let envelope = try? Envelope(decoding: view.envelope) else { return }
      _ = try? old.apply(envelope.context)
      guard number >= branch.from, envelope.kind == .transaction, !view.bodyIsHash,
        var body = try? Body(decoding: view.body, codec: envelope.bodyCodec)
      else { return }
      if sequence == 0 {
        // Before what it is to say: an origin's times rise.
        let before = HybridTime(rawValue: max(envelope.authored.rawValue, 1) - 1)
        try add(
          EncodedEvent(
            Envelope(kind: .identity, authored: before),
            Body(operations: [.identity(IdentityClaim(identity))])))
      }
      // What the author had seen, and of its own events those that both branches have.
      var seen = old.vector
      if branch.from > 1 { seen.include(branch.origin, branch.from - 1) }
      let delta = new.delta(to: seen)
      try new.apply(delta)
      body.annotations[Self.annotation] = EventID(branch.origin, number).description
      let salt = envelope.bodyCodec == .salted ? Array(view.body.prefix(16)) : nil
      try add(
        EncodedEvent(
          Envelope(
            kind: .transaction, authored: envelope.authored, bodyCodec: envelope.bodyCodec,
            context: delta), body, salt: salt))
      events += 1
    }
    if let builder { frames.append(try builder.finish()) }
    return (frames, events)
  }
}
