public import EventCore

/// Finds out where two replicas' histories of one origin part, by asking the peer about single events:
/// a request that claims to hold the origin up to an event is answered with a refusal if the peer holds
/// another there.
///
/// Pure: requests out, answers in; at most two for each time that the number of events can be halved.
public struct ForkProbe {
  public struct Finding: Hashable, Sendable {
    /// The last event that both have in common; 0 where there is none.
    public var common: UInt64
    /// The peer's tag after the next.
    public var peerTag: ChainTag
  }

  public enum Step {
    case send(SyncRequest)
    /// Nil: the histories do not part; one is the beginning of the other.
    case done(Finding?)
  }

  private let origin: ReplicaID
  private let held: UInt64
  /// Both have this event in common.
  private var common: UInt64 = 0
  /// Here they differ, if anywhere.
  private var differing: (sequence: UInt64, peerTag: ChainTag)?
  private var asked: UInt64
  private var isDone = false

  /// - Parameter held: how many events of the origin this replica holds, from the first on.
  public init(_ origin: ReplicaID, held: UInt64) {
    self.origin = origin
    self.held = held
    asked = held
  }

  /// - Throws: what the storage throws.
  public mutating func next(_ storage: any ReplicaStorage) throws -> Step {
    if isDone || differing == nil && common == held { return .done(nil) }
    if let differing, differing.sequence == common + 1 {
      return .done(Finding(common: common, peerTag: differing.peerTag))
    }
    asked = differing.map { common + ($0.sequence - common) / 2 } ?? held
    guard let chain = try storage.chain(after: EventID(origin, asked)) else { return .done(nil) }
    let mask: UInt64 = 1 << Knowledge.bucket(of: origin)
    let claim = Knowledge([(origin, .init(.init(1...asked, ChainTag(chain))))])
    return .send(
      SyncRequest(
        zone: storage.zone, replica: storage.replica, answerBytes: 0,
        report: .entries(mask: mask, claim), ranges: []))
  }

  /// - Throws: what the storage throws.
  public mutating func receive(_ response: SyncResponse, _ storage: any ReplicaStorage) throws {
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
