import Daybook
import DaybookEventCore
import DaybookReferenceModel
import DaybookSimulation

/// Checks of the texts of pages against the reference model, and against what was typed.
extension StoreRun {
  mutating func checkTexts(_ store: Store) async throws {
    let collected = StoreEvents()
    try await store.forEachEvent { logged in
      collected.append(logged)
      return true
    }
    let events = collected.all
    let model = ReferenceModel(events)
    for isLocal in [false, true] {
      for id in Set(StoreTexts.ids).sorted() {
        try await checkText(id, isLocal, store, model, events)
      }
    }
    try await checkConflicts(store, model)
    // A moment of the past, of the shared pages.
    let past = events.filter { !$0.key.isPrivate }.map { origin, events in
      (origin, UInt64(random.below(events.count + 1)))
    }
    let moment = VersionVector(past.filter { $0.1 > 0 }.sorted { $0.0 < $1.0 })
    let then = ReferenceModel(events, through: moment)
    for id in Set(StoreTexts.ids).sorted()
    where model.text("pages", id, StoreTexts.field) != nil {
      let shown = try await store.at(.vector(moment)).fetch("pages", id)
      try Self.require(
        shown?[StoreTexts.field], then.text("pages", id, StoreTexts.field), "\(id) at \(moment)")
    }
  }

  private mutating func checkText(
    _ id: String, _ isLocal: Bool, _ store: Store, _ model: ReferenceModel,
    _ events: [ReplicaID: [EncodedEvent]]
  ) async throws {
    let (collection, field) = (StoreTexts.collection(isLocal: isLocal), StoreTexts.field)
    let name = (isLocal ? "local " : "") + collection
    guard let text = model.text(name, id, field) else { return }
    statistics.texts += 1
    let what = "\(collection) \(id)"
    try Self.require(try await store.fetch(collection, id)?[field], text, what)
    let fault = ledger.texts.typed.fault(
      in: text.text, text.base, collection, id, field, of: events)
    if let fault { throw Violation(.typed, "\(what): \(fault)") }
    let blame = try await store.blame(of: collection, id, text: field)
    let writers = blame.flatMap { part in
      Array(
        repeating: ReferenceModel.TextWrite(part.event, part.operation), count: part.range.count)
    }
    guard blame.map(\.text).joined().isSame(as: text.text), writers == text.writers else {
      throw Violation(.projected, "blame of \(what): \(blame), expected \(text)")
    }
    let history = try await store.history(of: collection, id).flatMap { item in
      item.changes.filter { $0.field == field }.map {
        (ReferenceModel.TextWrite(item.event, item.operation), $0.to)
      }
    }
    let wanted = model.textHistory(name, id, field)
    guard history.count == wanted.count,
      zip(history, wanted).allSatisfy({ $0.0 == $1.write && $0.1 == $1.value })
    else { throw Violation(.projected, "history of \(what): \(history), expected \(wanted)") }
  }

  private static func require(_ value: Value?, _ text: ReferenceModel.ShownText?, _ what: String)
    throws
  {
    let expected = text?.isLive == true ? text?.text ?? "" : ""
    var shown = ""
    if case .text(let value)? = value { shown = value }
    guard shown.isSame(as: expected) else {
      throw Violation(.projected, "\(what) is “\(shown)”, expected “\(expected)”")
    }
  }

  private func checkConflicts(_ store: Store, _ model: ReferenceModel) async throws {
    for conflict in try await store.conflicts().all()
    where conflict.collection == "pages" && conflict.field == StoreTexts.field {
      guard let id = conflict.id else { continue }
      let lines = model.editedTexts("pages", id, StoreTexts.field)
      for write in conflict.writes {
        let edit = ReferenceModel.TextWrite(write.event, write.operation)
        guard let line = lines[edit], line != write.value else { continue }
        throw Violation(.projected, "a conflict of \(id) has \(write.value), expected \(line)")
      }
    }
  }
}
