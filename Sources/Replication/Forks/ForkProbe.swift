package import DaybookEventCore

/// A search for the event at which two replicas' histories of one origin part, with a proof from
/// the peer.
///
/// The search asks the peer about single events: a request claims to hold the origin up to an
/// event, and the peer refuses it if it holds another event there. Then the search requests the
/// events after the last common event, as a replica that lacks them would. The origin's signature
/// on those events is the proof.
///
/// Pure: requests go out, and responses come in.
///
/// Cost: at most two requests for each halving of the number of events, and one more.
package struct ForkProbe {
  package enum Step {
    case send(SyncRequest)
    /// The histories part, as the proof shows.
    case forked(ForkProof)
    /// The histories do not part: one is the beginning of the other.
    case none
    /// The peer claims that the histories part, and has not proved it.
    case unproven
  }

  private let origin: ReplicaID
  private let held: UInt64
  /// The sequence of the last event known to be common to both histories.
  private var common: UInt64 = 0
  /// The sequence up to which events are common, or cannot be compared, because the peer lacks
  /// them.
  private var passed: UInt64 = 0
  /// The first event known to differ, if any, and the peer's tag after it.
  private var differing: (sequence: UInt64, peerTag: ChainTag)?
  private var asked: UInt64
  private var isDone = false
  /// Whether to ask for the proof, although the event at which the histories part is not known.
  private var isProofDue = false
  /// Whether the last request asked for the proof.
  private var hasAskedForProof = false
  private var proof: ForkProof?

  /// Creates a search in the history of one origin.
  /// - Parameter held: The number of events of the origin that this replica holds, from the first
  ///   on.
  package init(_ origin: ReplicaID, held: UInt64) {
    self.origin = origin
    self.held = held
    asked = held
  }

  /// Returns the next step of the search.
  /// - Throws: Any error of the storage.
  package mutating func next(_ storage: any ReplicaStorage) throws -> Step {
    if let proof { return .forked(proof) }
    if hasAskedForProof { return .unproven }
    if isDone || differing == nil && common == held { return .none }
    // A peer that contradicts itself may differ at or before `common`.
    if isProofDue || differing.map({ $0.sequence <= passed + 1 }) ?? false {
      hasAskedForProof = true
      return .send(try request(storage, holding: common, answerBytes: SyncProtocol.batchBytes))
    }
    asked = differing.map { passed + ($0.sequence - passed) / 2 } ?? held
    guard try storage.chain(after: EventID(origin, asked)) != nil else { return .none }
    return .send(try request(storage, holding: asked, answerBytes: 0))
  }

  /// Returns a request that claims to hold the origin up to an event. If ranges are requested, it
  /// reports the other origins of the bucket as they are held.
  /// - Parameter answerBytes: The most bytes of ranges in the response; no ranges if 0.
  /// - Throws: Any error of the storage.
  package func request(
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

  /// Takes in the response to the last request.
  /// - Throws: Any error of the storage.
  package mutating func receive(_ response: SyncResponse, _ storage: any ReplicaStorage) throws {
    if hasAskedForProof {
      proof = try ForkProof(response.ranges.filter { $0.origin == origin }, storage)
      return
    }
    let refusal = response.refusals.first {
      $0.code == .fork && $0.event == EventID(origin, asked)
    }
    if let tag = refusal?.tag {
      differing = (asked, tag)
      return
    }
    guard case .entries(_, let known) = response.report, let entry = known[origin] else {
      giveUpSearch()
      return
    }
    if entry.holds(asked) {
      share(asked)
      return
    }
    // The peer lacks the event, so this side has to compare an earlier one.
    if let run = entry.runs.last(where: { $0.range.upperBound < asked }) {
      let event = EventID(origin, run.range.upperBound)
      if try storage.chain(after: event).map(ChainTag.init) != run.tag {
        differing = (event.sequence, run.tag)
        return
      }
      if differing != nil, event.sequence > common {
        share(event.sequence)
        return
      }
    }
    // Nor can the events of the peer's gap be compared.
    if let differing,
      let next = entry.runs.first(where: { $0.range.lowerBound > asked })?.range.lowerBound,
      next < differing.sequence
    {
      passed = next - 1
    } else {
      giveUpSearch()
    }
  }

  /// Records that both histories share an event.
  private mutating func share(_ sequence: UInt64) {
    common = sequence
    passed = max(passed, sequence)
  }

  /// Ends the search, because the peer holds nothing more to compare. If the histories part, the
  /// proof may begin at the last event that is known to be common.
  private mutating func giveUpSearch() {
    if differing == nil { isDone = true } else { isProofDue = true }
  }
}
