import DaybookEventCore
import DaybookFrames

/// A verifier of what frames hold: events, each origin's chain, and the heads on it.
struct ChainVerifier {
  private struct Run {
    var next: UInt64
    var chain: Chain
  }

  private let snapshot: LogSnapshot
  private(set) var findings: [LogFinding] = []
  private(set) var unchained: UInt64 = 0
  /// The state of the hash chain of each origin.
  private var runs: [ReplicaID: Run] = [:]
  /// Frames that do not follow the origin's previous frame in the log; checked at the end.
  private var deferred: [RecordEntry] = []
  private var publicKeys: [ReplicaID: [UInt8]] = [:]
  /// The computed chain values at the events of heads; nil inside until computed.
  private var atHeads: [EventID: Hash256?] = [:]

  init(_ snapshot: LogSnapshot) {
    self.snapshot = snapshot
    for head in snapshot.heads { atHeads[head.event] = .some(nil) }
  }

  /// Checks the contents of a frame.
  ///
  /// - Throws: ``LogError`` if the frame does not hold what its header states.
  mutating func check(_ frame: Frame, at position: LogPosition) throws(LogError) {
    let header = frame.header
    let run = runs[header.origin] ?? Run(next: 1, chain: Chain(origin: header.origin))
    let follows = run.next == header.firstSequence
    let raw = try LogError.ofFrames { () throws(FrameError) in try frame.unpacked() }
    let end = try hash(
      raw, of: header, from: follows ? run.chain : nil, at: position, isFirstTime: true)
    if !follows { deferred.append(RecordEntry(header, at: position)) }
    if let end, end.value != header.chain {
      findings.append(
        LogFinding(
          "the chain of hashes is broken", segment: position.segment, offset: position.offset,
          events: .init(header.origin, header.sequences)))
    }
    runs[header.origin] = Run(next: header.lastSequence + 1, chain: Chain(value: header.chain))
  }

  /// Checks the deferred frames, then the heads.
  mutating func finish() throws(LogError) {
    for entry in deferred.sorted(by: { $0.firstSequence < $1.firstSequence }) {
      let before = EventID(entry.origin, entry.firstSequence - 1)
      do throws(LogError) {
        guard let start = try chain(after: before) else {
          unchained += UInt64(entry.count)
          continue
        }
        let frame = try snapshot.frame(at: entry)
        let end = try hash(
          try LogError.ofFrames { () throws(FrameError) in try frame.unpacked() }, of: frame.header,
          from: Chain(value: start), at: entry.position,
          isFirstTime: false)
        guard end?.value == frame.header.chain else {
          throw .damaged("the chain of hashes is broken")
        }
      } catch {
        // The entry is not in the snapshot: opening has left it out and reported it, because the
        // log holds its events elsewhere.
        if error.code == .notFound {
          unchained += UInt64(entry.count)
          continue
        }
        guard error.code == .damaged || error.code == .malformed else { throw error }
        findings.append(
          LogFinding(
            error.message, segment: entry.position.segment, offset: entry.position.offset,
            events: .init(entry.origin, entry.sequences)))
      }
    }
    for entry in snapshot.heads { try checkHead(entry) }
  }

  /// Returns the chain value after `event`; nil if it is unknown.
  ///
  /// It is also nil if the event's own frame is damaged, which is reported there.
  private func chain(after event: EventID) throws(LogError) -> Hash256? {
    do { return try snapshot.chain(after: event) } catch {
      guard error.code == .damaged || error.code == .malformed || error.code == .unknownCodec
      else { throw error }
      return nil
    }
  }

  private mutating func checkHead(_ entry: HeadEntry) throws(LogError) {
    var fault: String?
    do throws(LogError) {
      let head = try snapshot.head(at: entry)
      if let key = publicKeys[entry.event.origin], !head.isSigned(by: key) {
        fault = "the signature of a head of \(entry.event) is wrong"
      } else if let computed = atHeads[entry.event] ?? nil, computed != head.chain {
        fault = "a head of \(entry.event) speaks of another chain"
      }
    } catch {
      guard error.code == .damaged || error.code == .malformed else { throw error }
      fault = error.message
    }
    guard let fault else { return }
    findings.append(
      LogFinding(fault, segment: entry.position.segment, offset: entry.position.offset))
  }

  /// Decodes the events and, if `start` is given, computes the chain after them.
  private mutating func hash(
    _ raw: [UInt8], of header: FrameHeader, from start: Chain?, at position: LogPosition,
    isFirstTime: Bool
  ) throws(LogError) -> Chain? {
    try raw.withRawBytes { bytes throws(LogError) in
      var chain = start
      var reader = ByteReader(bytes)
      for sequence in header.sequences {
        let event = try LogError.ofFrames { () throws(FrameError) in
          try Frame.nextEvent(&reader)
        }
        let id = EventID(header.origin, sequence)
        if isFirstTime, let key = Self.publicKey(in: event, id) { publicKeys[id.origin] = key }
        if var advanced = chain {
          event.advance(&advanced)
          chain = advanced
          if atHeads[id] != nil { atHeads[id] = .some(advanced.value) }
        }
      }
      guard reader.isAtEnd else { throw LogError(Frame.tooMuch(reader.remaining)) }
      return chain
    }
  }

  /// Returns the public key that an event claims for its own origin; nil for almost all events.
  ///
  /// An event that cannot be decoded is no damage, because its author signed those bytes.
  static func publicKey(in event: EventView, _ id: EventID) -> [UInt8]? {
    guard id.sequence == 1, !event.bodyIsHash,
      let envelope = try? Envelope(decoding: event.envelope), envelope.kind == .identity,
      let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
    else { return nil }
    for case .identity(let claim) in body.operations.reversed() where claim.replica == id.origin {
      return claim.publicKey
    }
    return nil
  }
}
