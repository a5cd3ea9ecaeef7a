public import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// Saving of forms.
extension WriteTransaction {
  /// Writes what a form has changed since it was opened, and nothing else.
  ///
  /// What others have changed meanwhile stays. A text whose changes merge has both changes, as if
  /// the form had been saved on a device of its own when it was opened. Any other field that both
  /// have changed, to different values, is a clash.
  /// - Parameters:
  ///   - base: what the form was opened with.
  ///   - edited: the form.
  ///   - rule: what becomes of clashes.
  /// - Returns: the clashes, with the values that did not count; none if the rule is `refuse`.
  /// - Throws: ``StoreError`` `fieldClash`, with ``StoreError/fieldClashes``; `noSuchEntity` if the
  ///   entity is not live any more, with ``StoreError/deletion``; `invalidBase` if the base is of
  ///   another entity or store, or if this store does not know all that it shows; what
  ///   ``update(_:expecting:_:)`` throws. Nothing of the form is written then.
  @discardableResult
  public func update<E: Entity>(
    from base: Versioned<E>, to edited: E, onClash rule: FieldClash.Rule = .refuse
  ) throws -> [FieldClash] {
    let change = try call {
      try FormChange(
        from: base, to: edited, rule, in: ReadModelView(within: projected()), ownEvent: event)
    }
    let ends = try (edited as? any Relationship).map { try RelationshipEnd.ends(of: $0) } ?? []
    let layout = EntityLayout<E>.shared
    func write() throws {
      try defining(layout) {
        let values = layout.taken(change.values, by: try declared(layout))
        try update(E.collection, base.id.rawValue, values)
      }
      for (field, script) in change.edits {
        try edit(E.collection, base.id.rawValue, field, by: script, isComparison: true)
      }
      for end in ends where change.values[end.field] != nil { try expect(end) }
    }
    // A form is saved completely or not at all, also if the closure goes on after an error.
    if change.edits.isEmpty { try write() } else { try nested { _ in try write() } }
    return change.clashes
  }

  /// Saves a form, and returns the entity as it is then.
  func save<E: Entity>(_ edited: E, from base: Versioned<E>, onClash rule: FieldClash.Rule) throws
    -> FormOutcome<E>
  {
    let clashes = try update(from: base, to: edited, onClash: rule)
    return FormOutcome(current: try fetchVersioned(base.id) ?? base, clashes: clashes)
  }
}

extension Store {
  /// Writes what a form has changed since it was opened, and nothing else.
  ///
  /// ```swift
  /// guard let base = try await store.fetchVersioned(note.id) else { return }
  /// var form = base.entity
  /// form.title = "Oat milk"
  /// let outcome = try await store.update(from: base, to: form)
  /// ```
  /// What others have changed meanwhile stays. A text whose changes merge has both changes, as if
  /// the form had been saved on a device of its own when it was opened. Any other field that both
  /// have changed, to different values, is a clash. Nothing is written if nothing has changed.
  /// - Parameters:
  ///   - base: what the form was opened with.
  ///   - edited: the form.
  ///   - rule: what becomes of clashes.
  ///   - actor: who did it; ``Options/actor`` if nil.
  ///   - label: the purpose of the write, in words.
  /// - Returns: the entity as it is now, and the clashes if `rule` is not `refuse`.
  /// - Throws: what ``WriteTransaction/update(from:to:onClash:)`` and
  ///   ``write(actor:label:annotations:_:)`` throw.
  @discardableResult
  public func update<E: Entity>(
    from base: Versioned<E>, to edited: E, onClash rule: FieldClash.Rule = .refuse,
    actor: String? = nil, label: String = ""
  ) async throws -> FormOutcome<E> {
    try await write(actor: actor, label: label) { try $0.save(edited, from: base, onClash: rule) }
  }
}
