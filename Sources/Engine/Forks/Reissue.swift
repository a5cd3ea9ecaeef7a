import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// Writes the events of a branch again under another replica. Each keeps its operations, its
/// authored time and what its author had seen. An annotation names the original event for readers
/// of the history.
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

  /// Builds the frames of the reissued events.
  /// - Returns: the frames, from the new replica's first event on, and the number of events of the
  ///   branch that they hold. Events that this version cannot read are left out.
  /// - Throws: what reading the log and encoding the events throw.
  func frames() throws -> (frames: [Frame], events: UInt64) {
    var old = CausalContext(author: branch.origin)
    var new = CausalContext(author: identity.id)
    var frames: [Frame] = []
    var builder: FrameBuilder?
    var sequence: UInt64 = 0
    var chain = Chain(origin: identity.id)
    var events: UInt64 = 0
    /// By the number of an event in the branch, its number under the new identity.
    var places: [UInt64: UInt64] = [:]

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
        let body = try? Body(decoding: view.body, codec: envelope.bodyCodec)
      else { return }
      if sequence == 0 {
        // The identity event comes just before the first reissued event, because an origin's times
        // must rise.
        let before = HybridTime(rawValue: max(envelope.authored.rawValue, 1) - 1)
        try add(
          EncodedEvent(
            Envelope(kind: .identity, authored: before),
            Body(operations: [.identity(IdentityClaim(identity))])))
      }
      // The causal context of the original event, and the events of its origin that both branches
      // share.
      var seen = old.vector
      if branch.from > 1 { seen.include(branch.origin, branch.from - 1) }
      let delta = new.delta(to: seen)
      try new.apply(delta)
      let salt = envelope.bodyCodec == .salted ? Array(view.body.prefix(16)) : nil
      let name = EventID(branch.origin, number).description
      func again(at place: UInt64) -> [EncodedEvent] {
        places[number] = place
        return Self.again(
          envelope, renamed(body, places), salt: salt, context: delta, name: name)
      }
      var written = again(at: sequence + 1)
      // Of two events, the second one has the operations.
      if written.count > 1 { written = again(at: sequence + UInt64(written.count)) }
      for event in written { try add(event) }
      events += 1
    }
    if let builder { frames.append(try builder.finish()) }
    return (frames, events)
  }

  /// Returns a body whose edits name the reissued events as their bases, and whose undos name them.
  private func renamed(_ body: Body, _ places: [UInt64: UInt64]) -> Body {
    var renamed = body
    renamed.operations = body.operations.map { operation in
      switch operation {
      case .edit(var edit):
        guard edit.base.origin == branch.origin, edit.base.sequence >= branch.from,
          let place = places[edit.base.sequence]
        else { return operation }
        edit.base = EventID(identity.id, place)
        return .edit(edit)
      case .undo(var undo):
        undo.events = self.renamed(undo.events, places)
        return .undo(undo)
      default: return operation
      }
    }
    return renamed
  }

  /// Returns runs that name the reissued events instead of those of the branch.
  ///
  /// Cost: that of the events reissued so far, at most.
  private func renamed(_ runs: [EventRun], _ places: [UInt64: UInt64]) -> [EventRun] {
    let isOfBranch = { (run: EventRun) in
      run.origin == branch.origin && run.sequences.upperBound >= branch.from
    }
    guard runs.contains(where: isOfBranch) else { return runs }
    var others: [EventRun] = []
    var events: [EventID] = []
    for run in runs {
      guard isOfBranch(run) else {
        others.append(run)
        continue
      }
      if run.sequences.lowerBound < branch.from {
        others.append(EventRun(run.origin, run.sequences.lowerBound...branch.from - 1))
      }
      for (number, place) in places where run.sequences.contains(number) {
        events.append(EventID(identity.id, place))
      }
    }
    // Events that cannot be read are not reissued. An undo names something nevertheless.
    guard !others.isEmpty || !events.isEmpty else { return runs }
    // The new identity is new, so no other run is of it.
    return (others + EventRun.runs(of: events)).sorted {
      ($0.origin, $0.sequences.lowerBound) < ($1.origin, $1.sequences.lowerBound)
    }
  }

  /// Returns one event, or two if the context and the annotation would make it larger than an event
  /// can be. Then the first event carries both and has no operations. What an author has seen
  /// counts for all of its later events.
  private static func again(
    _ envelope: Envelope, _ body: Body, salt: [UInt8]?, context: ContextDelta, name: String
  ) -> [EncodedEvent] {
    func event(_ codec: Envelope.BodyCodec, _ context: ContextDelta, _ body: Body) -> EncodedEvent {
      EncodedEvent(
        Envelope(
          kind: .transaction, authored: envelope.authored, bodyCodec: codec, context: context),
        body, salt: codec == .salted ? salt : nil)
    }
    var named = body
    named.annotations[annotation] = name
    let whole = event(envelope.bodyCodec, context, named)
    guard whole.size > Body.eventBytesMax else { return [whole] }
    return [
      event(.plain, context, Body(annotations: [annotation: name], operations: [])),
      event(envelope.bodyCodec, ContextDelta(), body),
    ]
  }
}
