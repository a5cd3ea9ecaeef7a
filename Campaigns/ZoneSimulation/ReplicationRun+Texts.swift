import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import DaybookReferenceModel
import DaybookSimulation

/// Texts that several authors type in at the same time: those of a few pages.
///
/// Other transactions leave the pages alone, so the ledger knows all that was typed there.
extension ReplicationRun {
  static let pages = "pages"
  private static let pageIDs = ["p1", "p1", "p1", "p2"]
  private static let field = "text"

  /// Returns transactions that change pages.
  func typed() -> [SimulatedStore.Transaction] {
    (0..<random.pick([1, 1, 1, 2, 4])).map { _ in
      typedCount += 1
      let label = "typed \(typedCount)"
      return .init(label: label) { [self] tx in
        texts.begin(label)
        if tx.schema[Self.pages] == nil || random.chance(3) {
          _ = try Self.accepting {
            try tx.define(
              Definition(Self.pages, [.text(Self.field).merging().searchable()]))
          }
        }
        for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
          let id = random.pick(Self.pageIDs)
          let count = tx.operations.count
          let shown = try tx.fetch(Self.pages, id)?.fields[Self.field]
          _ = try Self.accepting { try change(id, shown, tx) }
          // An assignment may be written as an edit, too.
          guard tx.operations.count > count, case .edit? = tx.operations.last else { continue }
          guard case .text(let text)? = shown else {
            texts.note(label, id, "")
            continue
          }
          texts.note(label, id, text)
        }
      }
    }
  }

  /// Changes a page.
  ///
  /// - Parameter shown: Its text, as its author sees it; nil if there is no such page.
  private func change(_ id: String, _ shown: Value?, _ tx: WriteTransaction) throws {
    guard let shown else {
      if random.chance(50) { return try tx.restore(Self.pages, id) }
      return try tx.insert(Self.pages, id, newText())
    }
    switch random.below(100) {
    case 0..<90:
      let text =
        if case .text(let text) = shown { Array(text.unicodeScalars) } else {
          [Unicode.Scalar]()
        }
      let steps = texts.steps(for: text, &random)
      statistics.typed += 1
      try tx.edit(Self.pages, id, Self.field) { try Self.apply(steps, to: &$0) }
    case 90..<94: try tx.update(Self.pages, id, newText())
    case 94..<98: try tx.delete(Self.pages, id)
    default: try tx.erase(Self.pages, id)
    }
  }

  /// Makes the changes that a person makes in an editor.
  private static func apply(_ steps: [ReferenceText.Step], to text: inout EditableText) throws {
    var at = 0
    for step in steps {
      switch step {
      case .retain(let count): at += count
      case .delete(let count): try text.delete(at..<at + count)
      case .insert(let scalars):
        try text.insert(String(String.UnicodeScalarView(scalars)), at: at)
        at += scalars.count
      }
    }
  }

  /// Returns the fields of a page with a text that no page has yet, or with none.
  private func newText() -> [String: Value] {
    guard random.chance(70) else { return [:] }
    return [Self.field: .text(String(String.UnicodeScalarView(texts.scalars(random.pick(1...8)))))]
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
    try store.read { view in
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
