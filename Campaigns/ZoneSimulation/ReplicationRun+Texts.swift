internal import EventCore
internal import LogEngine
internal import Projections
internal import ReferenceModel
internal import Simulation

/// Texts that several authors type in at the same time: those of a few pages.
///
/// Other transactions leave the pages alone, so the ledger knows all that was typed there.
extension ReplicationRun {
  static let pages = "pages"
  private static let pageIDs = ["p1", "p1", "p1", "p2"]
  private static let field = "text"

  /// A text as its author sees it within a group of transactions.
  private struct Seen {
    var base: (event: EventID, operation: UInt32)
    var text: [Unicode.Scalar]
  }

  /// Returns transactions that change pages, as the API of a store would write them.
  ///
  /// - Parameters:
  ///   - projector: Shows what the author sees.
  ///   - first: The id of the first transaction's event.
  func type(_ projector: Projector, _ first: EventID) throws -> [SimulatedStore.Draft] {
    var seen: [String: Seen] = [:]
    var isDefined = projector.schema[Self.pages] != nil
    return try (0..<random.pick([1, 1, 1, 2, 4])).map { offset in
      typedCount += 1
      let label = "typed \(typedCount)"
      texts.begin(label)
      let event = EventID(first.origin, first.sequence + UInt64(offset))
      var written: [Operation] = []
      if !isDefined || random.chance(3) {
        let field = Definition.Field(
          Self.field, ["type": .text("text"), "merge": .boolean(true), "search": .boolean(true)])
        written.append(.define(Definition(collection: Self.pages, fields: [field])))
      }
      for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
        let id = random.pick(Self.pageIDs)
        if seen[id] == nil, let schema = projector.schema[Self.pages],
          let place = try projector.handle(schema, id).editable(Self.field)
        {
          seen[id] = Seen(
            base: (place.base, place.operation), text: Array(place.text.unicodeScalars))
        }
        written.append(change(id, event, UInt32(written.count), label, &seen))
      }
      isDefined = true
      return .init(body: .present(Body(label: label, operations: written).encoded()))
    }
  }

  private func change(
    _ id: String, _ event: EventID, _ index: UInt32, _ label: String, _ seen: inout [String: Seen]
  ) -> Operation {
    guard let shown = seen[id] else { return assign(id, event, index, isNew: true, &seen) }
    switch random.below(100) {
    case 0..<90:
      let steps = texts.steps(for: shown.text, &random)
      texts.note(label, id, String(String.UnicodeScalarView(shown.text)))
      seen[id]?.text = TextLedger.apply(steps, to: shown.text)
      statistics.typed += 1
      return .edit(
        TextEdit(
          collection: Self.pages, id: id, field: Self.field, base: shown.base.event,
          baseOperation: shown.base.operation, script: TextLedger.script(of: steps)))
    case 90..<94: return assign(id, event, index, isNew: random.chance(50), &seen)
    case 94..<96: return .delete(collection: Self.pages, id: id)
    case 96..<99: return .restore(collection: Self.pages, id: id)
    default:
      // What was there before counts no longer, and the read model shows nothing of it.
      seen[id] = nil
      return .erase(collection: Self.pages, id: id)
    }
  }

  /// Returns an assignment of a text, or of none.
  private func assign(
    _ id: String, _ event: EventID, _ index: UInt32, isNew: Bool, _ seen: inout [String: Seen]
  ) -> Operation {
    let text = random.chance(70) ? texts.scalars(random.pick(1...8)) : []
    let value = Value.text(String(String.UnicodeScalarView(text)))
    if isNew, text.isEmpty {
      // The text goes on as it was, or begins with the first insert, which need not be this one.
      return .insert(collection: Self.pages, id: id, fields: [:])
    }
    seen[id] = Seen(base: (event, index), text: text)
    let fields = [Self.field: value]
    return isNew
      ? .insert(collection: Self.pages, id: id, fields: fields)
      : .update(collection: Self.pages, id: id, fields: fields)
  }

  // MARK: - The end

  /// Compares the texts of the pages, who wrote them, their histories, their past and the texts of
  /// conflicts with the reference model; and what is there with what was typed.
  func checkTexts(_ store: SimulatedStore, _ model: ReferenceModel) throws {
    let events = truth.events(through: store.log.wholeVector)
    let past = store.log.vector.entries.map { entry in
      (
        entry.origin,
        random.chance(50) ? entry.sequence : UInt64(random.below(Int(entry.sequence))) + 1
      )
    }
    let moment = VersionVector(past)
    let then = ReferenceModel(events, through: moment)
    try store.readModel.read { view in
      for id in Set(Self.pageIDs).sorted() {
        try compare(id, view, model)
        try compare(id, view, at: moment, then)
        guard let text = model.text(Self.pages, id, Self.field) else { continue }
        statistics.texts += 1
        let fault = texts.fault(in: text.text, text.base, Self.pages, id, Self.field, of: events) {
          seen in seen.entries.contains { truth.isGivenUp(EventID($0.origin, $0.sequence)) }
        }
        if let fault {
          let unfit = text.unfit.map { "\(Self.short($0.event)).\($0.operation)" }.sorted()
          throw ReplicationViolation(
            .typed,
            "\(id), which begins with \(Self.short(text.base.event)): \(fault); "
              + "edits that change nothing: \(unfit)")
        }
      }
      try compareConflicts(view, model)
    }
  }

  private func compare(_ id: String, _ view: ReadModelView, _ model: ReferenceModel) throws {
    let expected = model.text(Self.pages, id, Self.field)
    let blame = try view.textBlame(Self.pages, id, Self.field)
    let writers = blame.flatMap { part in
      Array(
        repeating: ReferenceModel.TextWrite(part.event, part.operation), count: part.range.count)
    }
    guard blame.map(\.text).joined().isSame(as: expected?.text ?? ""),
      writers == expected?.writers ?? []
    else { throw ReplicationViolation(.reference, "blame of \(id): \(blame)") }
    let history = try view.history(of: id, in: Self.pages).flatMap { item in
      item.changes.filter { $0.field == Self.field }.map {
        (ReferenceModel.TextWrite(item.event, item.operation), $0.to)
      }
    }
    let wanted = model.textHistory(Self.pages, id, Self.field)
    for (index, (shown, right)) in zip(history, wanted).enumerated()
    where shown.0 != right.write || shown.1 != right.value {
      throw ReplicationViolation(
        .reference, "history of \(id), \(index): \(shown), expected \(right)")
    }
    guard history.count == wanted.count else {
      throw ReplicationViolation(
        .reference, "history of \(id) has \(history.count) of \(wanted.count) writes")
    }
  }

  private func compare(
    _ id: String, _ view: ReadModelView, at moment: VersionVector, _ then: ReferenceModel
  ) throws {
    let entity = try view.entity(Self.pages, id, at: .vector(moment))
    let expected = then.text(Self.pages, id, Self.field)
    let text = expected?.isLive == true ? expected?.text ?? "" : ""
    let shown = entity?.fields[Self.field] ?? .null
    guard shown == (text.isEmpty ? .null : .text(text)) || text.isEmpty && shown == .text("") else {
      throw ReplicationViolation(.reference, "\(id) at \(moment) is \(shown), expected \(text)")
    }
  }

  private func compareConflicts(_ view: ReadModelView, _ model: ReferenceModel) throws {
    for conflict in try view.conflicts()
    where conflict.collection == Self.pages && conflict.field == Self.field && !conflict.isLocal {
      guard let id = conflict.id else { continue }
      let lines = model.editedTexts(Self.pages, id, Self.field)
      for write in conflict.writes {
        let edit = ReferenceModel.TextWrite(write.event, write.operation)
        guard let line = lines[edit], line != write.value else { continue }
        throw ReplicationViolation(
          .reference, "a conflict of \(id) has \(write.value), expected \(line)")
      }
    }
  }
}
