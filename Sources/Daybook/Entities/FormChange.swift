import DaybookEngine
import DaybookEventCore
import DaybookProjections
import DaybookTexts

/// What a form has changed, as it is written to an entity that others have changed since.
struct FormChange {
  /// The values to write, by the fields' first names.
  private(set) var values: [String: Value] = [:]
  /// The edits to write, by the fields' first names.
  private(set) var edits: [(field: String, script: TextScript)] = []
  /// The fields that others have changed to something else.
  private(set) var clashes: [FieldClash] = []

  /// Compares a form with what it was opened with, and with what the store has.
  /// - Parameters:
  ///   - base: what the form was opened with.
  ///   - edited: the form.
  ///   - rule: what becomes of a field that others have changed as well.
  ///   - view: the store.
  ///   - ownEvent: the event that is being written.
  /// - Throws: ``StoreError`` `invalidBase`, `fixedKey`, `noSuchEntity`, `fieldClash`; `wrongType`
  ///   if a property cannot be stored.
  init<E: Entity>(
    from base: Versioned<E>, to edited: E, _ rule: FieldClash.Rule, in view: ReadModelView,
    ownEvent: EventID
  ) throws {
    let layout = EntityLayout<E>.shared
    guard let schema = view.schema[E.collection] else {
      throw FieldCheck.unknownCollection(E.collection, view.schema)
    }
    let old = try Self.checked(base, edited, layout, view)
    guard let now = try view.shownEntity(E.collection, base.id.rawValue) else {
      throw try Self.gone(base.id, view, ownEvent)
    }
    let changes = try layout.changes(from: base.entity, to: edited)
    for (identity, name) in zip(layout.identities, layout.names) {
      guard let value = changes[identity] else { continue }
      let before = old.entity[identity: identity]
      let current = now.entity[identity: identity]
      guard current != before, let field = schema[identity: identity] else {
        values[identity] = value
        continue
      }
      // The form may have a number or JSON in another form than the store.
      let canonical = try FieldCheck.canonical(
        value, field.type, "\(schema.name).\(field.name)")
      guard canonical != current else { continue }
      if field.merges, let before = before.mergeable, let current = current.mergeable,
        let text = canonical.mergeable, value != .null
      {
        try merge(text, over: before, current, field, old, now, view)
        continue
      }
      clashes.append(
        FieldClash(
          collection: schema.name, id: base.id.rawValue, field: name, base: before,
          stored: current, edited: canonical))
      if rule == .overwrite { values[identity] = value }
    }
    if rule == .refuse, !clashes.isEmpty { throw Self.refusal(clashes) }
  }

  /// Adds a change of a text that others have changed as well.
  private mutating func merge(
    _ text: String, over before: String, _ current: String, _ field: StoreSchema.Field,
    _ old: ShownEntity, _ now: ShownEntity, _ view: ReadModelView
  ) throws {
    let own = TextScript(from: before, to: text)
    let (collection, id) = (now.entity.collection, now.entity.id)
    // A field that shows its default has no text that could be edited.
    if let oldText = old.texts[field.identity], let newText = now.texts[field.identity],
      oldText.text.isSame(as: before), newText.text.isSame(as: current),
      let script = try view.script(
        own, for: oldText, on: newText, collection, id, field.identity)
    {
      if !script.isEmpty { edits.append((field.identity, script)) }
      return
    }
    let theirs = TextScript(from: before, to: current)
    let script = own.compared(over: theirs, making: current)
    if let merged = script.applied(to: current) { values[field.identity] = .text(merged) }
  }

  // MARK: - Refusals

  /// Returns what the store showed when the form was opened.
  /// - Throws: ``StoreError`` `invalidBase`, or `fixedKey` if the form is another entity because it
  ///   has another key.
  private static func checked<E: Entity>(
    _ base: Versioned<E>, _ edited: E, _ layout: EntityLayout<E>, _ view: ReadModelView
  ) throws -> ShownEntity {
    let name = "“\(base.id)” of \(E.collection)"
    guard let shown = base.shown else {
      throw StoreError(
        .invalidBase, "the base \(name) was not read from a store",
        hint: "Save from what fetchVersioned(_:) has returned")
    }
    guard edited.id == base.id else {
      guard layout.key.isEmpty else {
        throw StoreError(
          .fixedKey,
          "the id of \(name) follows from "
            + layout.key.map { layout.names[$0] }.joined(separator: ", ")
            + ", and the form has changed that",
          hint: "Delete the entity and insert another one")
      }
      throw StoreError(
        .invalidBase, "the form is “\(edited.id)” of \(E.collection), and its base is \(name)",
        hint: "Save a form from the entity that it was opened with")
    }
    if let unknown = view.unknownEvent(of: shown.vector) {
      throw StoreError(
        .invalidBase,
        "the base \(name) has seen event \(unknown.event), which this store does not know: it is "
          + (unknown.isOfKnownOrigin ? "from the store's future" : "of another store"),
        hint: "Fetch the entity again from the store that it is saved to")
    }
    return shown
  }

  /// Returns the error that the entity is not live any more.
  private static func gone<E: Entity>(
    _ id: EntityID<E>, _ view: ReadModelView, _ ownEvent: EventID
  ) throws -> StoreError {
    var error = StoreError(
      .noSuchEntity, "“\(id)” of \(E.collection) is not there any more",
      hint: "Insert the form as a new entity")
    guard let removal = try view.removal(E.collection, id.rawValue) else { return error }
    let verb =
      switch removal.kind {
      case .deletion: "was deleted"
      case .erasure: "was erased"
      case .undo: "is not there any more: its insertion was undone"
      }
    let author =
      if removal.event == ownEvent {
        " in this transaction"
      } else if let actor = removal.actor, !actor.isEmpty {
        " by \(actor), in event \(removal.event)"
      } else {
        " in event \(removal.event)"
      }
    error.message = "“\(id)” of \(E.collection) \(verb)\(author), since the form was opened"
    if removal.kind == .deletion {
      error.hint = "Restore it and save again, or insert the form as a new entity"
      error.deletion = removal.entity
    }
    return error
  }

  private static func refusal(_ clashes: [FieldClash]) -> StoreError {
    let names = clashes.map(\.field).joined(separator: ", ")
    var error = StoreError(
      .fieldClash,
      "others have changed \(names) of “\(clashes[0].id)” in \(clashes[0].collection) since the "
        + "form was opened, and the form has other values",
      hint: "Show fieldClashes and ask, then save with onClash: .overwrite or .keepStored")
    error.fieldClashes = clashes
    return error
  }
}

extension Value {
  /// The text that a merging field shows with this value; nil if it is none.
  fileprivate var mergeable: String? {
    switch self {
    case .null: ""
    case .text(let text): text
    default: nil
    }
  }
}
