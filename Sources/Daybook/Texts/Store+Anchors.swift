import DaybookEngine
import DaybookProjections

extension Store {
  /// Returns an anchor: a place in a text that goes with the character beside it.
  ///
  /// ```swift
  /// let anchor = try await store.anchor(at: 4, in: "notes", "n1", text: "body")
  /// …                                          // edits by anyone, and days
  /// let place = try await store.places(of: [anchor], in: "notes", "n1", text: "body")[0]
  /// ```
  /// Write the unsaved edits of an ``EditingSession`` first: a place is in the store's text.
  ///
  /// Cost: reads all edits of the text from the log, and merges them.
  /// - Parameters:
  ///   - position: the number of Unicode scalars before it;
  ///     ``EditableText/position(utf16:)`` makes one of UTF-16 code units.
  ///   - collection: the collection.
  ///   - id: the id of a live entity.
  ///   - field: the name of a text field.
  ///   - bias: whether it goes with the character before it or with the one behind it. The end of a
  ///     text, with `after`, stays the end, and its beginning, with `before`, the beginning.
  /// - Throws: ``StoreError`` `invalidEdit` if the text has fewer scalars; `unknownName`;
  ///   `wrongType` if the field is no text field; `noSuchEntity` if the entity is not live, or if
  ///   the field holds a value that is no text.
  public func anchor(
    at position: Int, in collection: String, _ id: String, text field: String,
    bias: TextAnchor.Bias = .before
  ) async throws -> TextAnchor {
    let field = TextField(collection, id, field)
    return try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      let text = try field.written(in: view)
      guard let anchor = text.anchor(at: position, bias: bias) else {
        let count = text.parts.reduce(0) { $0 + ($1.isShown ? $1.count : 0) }
        throw StoreError(
          .invalidEdit, "the place \(position) is not in a text of \(count) characters")
      }
      return anchor
    }
  }

  /// Returns an anchor: a place in a text that goes with the character beside it.
  ///
  /// ```swift
  /// let anchor = try await store.anchor(at: 4, in: note.id, text: \.body)
  /// ```
  /// - Parameters:
  ///   - position: the number of Unicode scalars before it.
  ///   - id: the id of a live entity.
  ///   - property: a text property.
  ///   - bias: whether it goes with the character before it or with the one behind it.
  /// - Throws: ``StoreError``; see ``anchor(at:in:_:text:bias:)``.
  public func anchor<E: Entity>(
    at position: Int, in id: EntityID<E>, text property: KeyPath<E, String>,
    bias: TextAnchor.Bias = .before
  ) async throws -> TextAnchor {
    let field = try TextField(id, property)
    return try await anchor(
      at: position, in: field.collection, field.id, text: field.name, bias: bias)
  }

  /// Returns where the places of anchors are in a text now.
  ///
  /// Cost: reads all edits of the text from the log, and merges them, however many anchors there
  /// are. To follow them from then on, use ``observe(_:_:text:)`` and
  /// ``TextChange/position(of:bias:)->Int``, which reads only what is new.
  /// - Parameters:
  ///   - anchors: anchors of this text, in any order.
  ///   - collection: the collection.
  ///   - id: the id of a live entity.
  ///   - field: the name of a text field.
  /// - Returns: the places, in the order of the anchors. An anchor of another text is `unknown` or
  ///   `replaced`.
  /// - Throws: ``StoreError`` `unknownName`; `wrongType` if the field is no text field;
  ///   `noSuchEntity` if the entity is not live, or if the field holds a value that is no text.
  public func places(
    of anchors: [TextAnchor], in collection: String, _ id: String, text field: String
  ) async throws -> [TextAnchor.Place] {
    let field = TextField(collection, id, field)
    return try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      let text = try field.written(in: view)
      return zip(anchors, text.places(of: anchors)).map { anchor, place in
        guard anchor.base == text.base else {
          return view.isKnown(anchor.base.event) ? .replaced : .unknown
        }
        return place ?? .unknown
      }
    }
  }

  /// Returns where the places of anchors are in a text now.
  /// - Parameters:
  ///   - anchors: anchors of this text, in any order.
  ///   - id: the id of a live entity.
  ///   - property: a text property.
  /// - Returns: the places, in the order of the anchors; see ``places(of:in:_:text:)``.
  /// - Throws: ``StoreError`` as that call.
  public func places<E: Entity>(
    of anchors: [TextAnchor], in id: EntityID<E>, text property: KeyPath<E, String>
  ) async throws -> [TextAnchor.Place] {
    let field = try TextField(id, property)
    return try await places(of: anchors, in: field.collection, field.id, text: field.name)
  }
}

extension TextField {
  /// Returns all that was ever written in the text.
  /// - Throws: ``StoreError`` `noSuchEntity` if there is no text.
  fileprivate func written(in view: ReadModelView) throws -> WrittenText {
    let identity = try declared(in: view.schema).identity
    guard let text = try view.writtenText(collection, id, identity) else { throw missing }
    return text
  }
}
