public import EventCore

/// Finds out where two replicas' histories of one origin part, and has the peer prove it.
///
/// The peer is asked about single events: a request that claims to hold the origin up to an event is answered
/// with a refusal if the peer holds another there. Then it is asked for what it holds behind the last event in
/// common, as by a replica that lacks that; the origin's signature on it is the proof.
///
/// Pure: requests out, answers in; at most two for each time that the number of events can be halved, and one
/// more.
public struct ForkProbe {
  public enum Step {
    case send(SyncRequest)
    /// The histories part, as the proof shows.
    case forked(ForkProof)
    /// The histories do not part: one is the beginning of the other.
    case none
    /// The peer says that they part, and has not proved it.
    case unproven
  }

  private let origin: ReplicaID
  private let held: UInt64
  /// Both have this event in common.
  private var common: UInt64 = 0
  /// Here they differ, if anywhere.
  private var differing: (sequence: UInt64, peerTag: ChainTag)?
  private var asked: UInt64
  private var isDone = false
  /// The last request was for the proof.
  private var hasAskedForProof = false
  private var proof: ForkProof?

  /// - Parameter held: how many events of the origin this replica holds, from the first on.
  public init(_ origin: ReplicaID, held: UInt64) {
    self.origin = origin
    self.held = held
    asked = held
  }

  /// - Throws: what the storage throws.
  public mutating func next(_ storage: any ReplicaStorage) throws -> Step {
    if let proof { return .forked(proof) }
    if hasAskedForProof { return .unproven }
    if isDone || differing == nil && common == held { return .none }
    if let differing, differing.sequence == common + 1 {
      hasAskedForProof = true
      return .send(try request(storage, holding: common, answerBytes: SyncProtocol.batchBytes))
    }
    asked = differing.map { common + ($0.sequence - common) / 2 } ?? held
    guard try storage.chain(after: EventID(origin, asked)) != nil else { return .none }
    return .send(try request(storage, holding: asked, answerBytes: 0))
  }

  /// A request that claims to hold the origin up to an event, and all else of its bucket as it is held.
  /// - Parameter answerBytes: most bytes of ranges in the answer; none if it is 0.
  /// - Throws: what the storage throws.
  public func request(
    _ storage: any ReplicaStorage, holding sequence: UInt64, answerBytes: Int
  ) throws -> SyncRequest {
    let mask: UInt64 = 1 << Knowledge.bucket(of: origin)
    var claim = Knowledge()
    if answerBytes > 0 {
      for (other, entry) in try storage.knowledge().entries(in: mask) where other != origin {
        claim[other] = entry
      }
    }
    if sequence > 0, let chain = try storage.chain(after: EventID(origin, sequence)) {
      claim[origin] = .init(.init(1...sequence, ChainTag(chain)))
    }
    return SyncRequest(
      zone: storage.zone, replica: storage.replica, answerBytes: answerBytes,
      report: .entries(mask: mask, claim), ranges: [])
  }

  /// - Throws: what the storage throws.
  public mutating func receive(_ response: SyncResponse, _ storage: any ReplicaStorage) throws {
    if hasAskedForProof {
      for range in response.ranges where range.origin == origin && proof == nil {
        proof = try ForkProof(range, storage)
      }
      return
    }
    let refusal = response.refusals.first {
      $0.code == .fork && $0.event == EventID(origin, asked)
    }
    if let tag = refusal?.tag {
      differing = (asked, tag)
      return
    }
    guard case .entries(_, let known) = response.report, let entry = known[origin],
      let peerTag = entry.tag
    else {
      isDone = true
      return
    }
    if entry.through >= asked {
      common = asked
      return
    }
    // The peer holds fewer, so that this side has to compare.
    let event = EventID(origin, entry.through)
    if try storage.chain(after: event).map(ChainTag.init) == peerTag {
      isDone = true
    } else {
      differing = (entry.through, peerTag)
    }
  }
}
