import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLogEngine
import DaybookPeers
import DaybookProjections

/// What waits, why, and the cure: peers, conflicts and hidden values.
extension APIRoute {
  static let ofWaiting: [APIRoute] = [
    peers, syncPeer, pausePeer, conflicts, settle, hidden,
  ]

  // MARK: - Peers

  private static let address = CallParameter(
    "address", .text, required: true, "The address of a peer, as `peers` has it.")

  private static let peers = APIRoute(
    .get, "peers", "The peers, and what waits for each",
    results: [
      .init("syncing", SchemaType.boolean, "Whether this inspector syncs with peers."),
      .init("unstamped", SchemaType.integer, "Own events that no hub has stamped."),
      .init("peers", SchemaType.array, "The peers, with what is to be sent, and problems."),
    ]
  ) { inspection, _ in
    let store = inspection.store
    let engine = inspection.syncing
    let live = engine?.states ?? []
    let own = store.core.log.vector[store.replica]
    let recorded = PeerFile(path: store.core.files.peers)
    let known = try await Blocking.run {
      try recorded.read().filter { peer in
        !live.contains { $0.address.isSame(as: peer.address) }
      }.map { peer in
        var peer = peer
        peer.unacknowledged = own - min(own, peer.acknowledged)
        return peer
      }
    }
    let unstamped = try await store.core.reads.asynchronously {
      try $0.view.unstamped(of: store.replica)
    }
    let isLive = engine != nil
    let all =
      live.map { peer($0, isLive: isLive, inspection) }
      + known.map { peer($0, isLive: false, inspection) }
    return [
      ("syncing", .boolean(isLive)),
      ("unstamped", AnswerJSON.count(unstamped)), ("peers", .array(all)),
    ]
  }

  private static func peer(_ peer: PeerState, isLive: Bool, _ inspection: Inspection) -> JSONValue {
    let failed = peer.problem == nil ? nil : inspection.journal.failed(peer.address)
    let findings: [JSONValue] = peer.findings.prefix(20).map { .text($0.description) }
    let state: Members = [
      ("address", .text(peer.address)), ("live", .boolean(isLive)),
      ("phase", .text(peer.phase.rawValue)),
      ("replica", InspectorValue.text(peer.replica?.description)),
      ("lastSuccess", InspectorValue.time(peer.lastSuccess)),
      ("listening", .boolean(peer.isListening)),
    ]
    let counts: Members = [
      ("unacknowledged", AnswerJSON.count(peer.unacknowledged)),
      ("sent", AnswerJSON.count(peer.sent)),
      ("received", AnswerJSON.count(peer.received)), ("unsent", AnswerJSON.count(peer.unsent)),
      ("missing", AnswerJSON.count(peer.missing)),
      ("failures", .integer(Int64(peer.failures))),
    ]
    let problems: Members = [
      ("problem", InspectorValue.text(peer.problem)),
      ("problemSince", InspectorValue.time(failed)), ("cure", InspectorValue.text(peer.cure)),
      ("listeningProblem", InspectorValue.text(peer.listeningProblem)),
      ("findings", .array(findings)),
    ]
    return .object(state + counts + problems)
  }

  private static func engine(_ inspection: Inspection) throws(APIFailure) -> SyncEngine {
    if let engine = inspection.syncing { return engine }
    throw APIFailure(
      409, "noSync", "the inspector was started without a peer",
      cure: "Start it with --sync PEER")
  }

  private static let done: [Result] = [.init("done", SchemaType.boolean, "Always true.")]

  private static func require(_ isKnown: Bool) throws(APIFailure) -> Members {
    guard isKnown else {
      throw APIFailure(
        404, "unknownPeer", "the inspector does not sync with that peer",
        cure: "`peers` lists those that it does")
    }
    return [("done", .boolean(true))]
  }

  private static let syncPeer = APIRoute(
    .post, "peers/sync", "Syncs with a peer now", .acts, [address], results: done
  ) { inspection, arguments in
    let engine = try engine(inspection)
    return try require(engine.syncNow(address: try arguments.required("address")))
  }

  private static let pausePeer = APIRoute(
    .post, "peers/pause", "Pauses the sync with a peer, or goes on with it", .acts,
    [address, CallParameter("paused", .boolean, required: true, "Whether it is to pause.")],
    results: done
  ) { inspection, arguments in
    let engine = try engine(inspection)
    return try require(
      engine.setPaused(
        arguments.boolean("paused") ?? true, address: try arguments.required("address")))
  }

  // MARK: - Conflicts

  private static let conflicts = APIRoute(
    .get, "conflicts", "The open conflicts, with their writes and authors", .reads,
    [
      .anyCollection, CallParameter("id", .text, "The only entity."), .limit(50), .cursor,
    ],
    results: [
      .init("conflicts", SchemaType.array, "The conflicts, with their writes."),
      .init("truncated", SchemaType.boolean, "Whether there are more."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  ) { inspection, arguments in
    let offset = try arguments.offset()
    let store = inspection.store
    let schema = try await store.schema()
    var budget = arguments.inspectorBudget(50)
    var passed = 0
    for try await conflict in store.conflicts(
      in: arguments.text("collection"), id: arguments.text("id"))
    {
      passed += 1
      guard passed > offset else { continue }
      let base = try await ConflictBase.value(of: conflict, store)
      guard budget.add(json(conflict, base, schema)) else { break }
    }
    return budget.members("conflicts", after: offset, of: arguments.mark)
  }

  private static func json(_ conflict: Conflict, _ base: Value?, _ schema: StoreSchema)
    -> JSONValue
  {
    let collection = schema[conflict.collection]
    let field = collection?.fields.first {
      $0.identity == conflict.field || $0.name == conflict.field
    }
    let writes = conflict.writes.map { write -> JSONValue in
      let author = write.author
      let written = InspectorValue.event(write.event, author.times, author.actor, author.label)
      let value: Members = [
        ("operation", .integer(Int64(write.operation))), ("value", long(write.value)),
        ("deletion", .boolean(write.isDeletion)), ("shown", .boolean(write.wins)),
      ]
      return .object(written + value)
    }
    return .object([
      ("collection", .text(conflict.collection)), ("id", InspectorValue.text(conflict.id)),
      ("field", .text(field?.name ?? conflict.field)),
      ("attribute", .text(conflict.attribute)),
      ("type", InspectorValue.text(field?.type.rawValue)),
      ("merges", .boolean(field?.merges ?? false)), ("base", base.map(long) ?? .null),
      ("writes", .array(writes)),
    ])
  }

  private static func long(_ value: Value) -> JSONValue {
    InspectorValue.json(value, bytesMax: InspectorValue.longBytes)
  }

  private static let settle = APIRoute(
    .post, "conflicts/settle", "Settles a conflict on every replica", .writes,
    [
      .collection, .id,
      CallParameter("field", .text, required: true, "The field, as `conflicts` names it."),
      CallParameter("take", .choice(["shown", "other"]), "Which of two writes is to count."),
      CallParameter("write", .text, "The write that is to count: its event."),
      CallParameter("value", .any, "The value that is to count, as the field's type reads it."),
      CallParameter(
        "events", .texts,
        "The events of the writes that the caller has seen. With others, nothing is written."),
    ],
    results: [.init("event", SchemaType.optional(SchemaType.text), "The event.")]
  ) { inspection, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let field = try arguments.required("field")
    let store = inspection.store
    let schema = try await store.schema().collection(named: name)
    let page = try await store.conflicts(in: name, id: id, field: field).page(limit: 1)
    guard let conflict = page.items.first else {
      throw APIFailure(
        409, "staleConflict", "\(name)/\(id) has no conflict in “\(field)” any more",
        cure: "Read the list again")
    }
    if let seen = arguments.texts("events"), !conflict.isBetween(seen) {
      throw APIFailure(
        409, "staleConflict", "the conflict has other writes by now", cure: "Read the list again")
    }
    let choice = try choice(arguments, conflict, schema)
    let event = try await inspection.write("settle \(name)/\(id) \(field)") { tx in
      try choice.write(conflict, tx)
    }
    return [("event", event.map { .text("\($0)") } ?? .null)]
  }

  private static func choice(
    _ arguments: CallArguments, _ conflict: Conflict, _ schema: StoreSchema.Collection
  ) throws(CallFailure) -> SettledChoice {
    guard let event = arguments.text("write") else {
      return try SettledChoice(
        take: arguments.text("take"), value: arguments["value"], of: conflict, in: schema)
    }
    guard let write = conflict.writes.first(where: { $0.event.isCalled(event) }) else {
      throw CallFailure("the conflict has no write of that event", cure: "Read the list again")
    }
    return .write(write)
  }

  // MARK: - Hidden values

  private static let hidden = APIRoute(
    .get, "hidden", "The values that tables do not show, and the reasons", .reads,
    [.anyCollection, .limit(100), .cursor],
    results: [
      .init("hidden", SchemaType.array, "Each value, with the reason and what to do."),
      .init("truncated", SchemaType.boolean, "Whether there are more."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  ) { inspection, arguments in
    let offset = try arguments.offset()
    var budget = arguments.inspectorBudget()
    var passed = 0
    for try await value in inspection.store.hidden(in: arguments.text("collection")) {
      passed += 1
      guard passed > offset else { continue }
      guard budget.add(HiddenExplanation.json(value)) else { break }
    }
    return budget.members("hidden", after: offset, of: arguments.mark)
  }
}

extension Conflict {
  /// Returns whether the events of the writes are those with these names, each once.
  fileprivate func isBetween(_ names: [String]) -> Bool {
    let events = Set(writes.map(\.event))
    let found = names.compactMap { name in events.first { $0.isCalled(name) } }
    return found.count == names.count && Set(found) == events
  }
}

extension EventID {
  /// Returns whether a name means the event: `REPLICA:NUMBER`, with the beginning of the replica.
  fileprivate func isCalled(_ name: String) -> Bool {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count >= 4 && UInt64(parts[1]) == sequence
      && origin.description.begins(with: String(parts[0]))
  }
}
