package import DaybookEventCore

/// What the reference model knows of single texts: for comparison with a store's texts, blames,
/// histories and conflicts.
extension ReferenceModel {
  /// Folds the events of a set that are within a vector.
  package init(_ events: [ReplicaID: [EncodedEvent]], through vector: VersionVector) {
    self.init(events: events, until: .vector(vector))
  }

  /// A write: its event, and its index in the event.
  package struct TextWrite: Hashable, Sendable {
    package var event: EventID
    package var operation: UInt32

    init(_ reference: OperationReference) {
      event = reference.event
      operation = reference.operation
    }

    package init(_ event: EventID, _ operation: UInt32) {
      self.event = event
      self.operation = operation
    }
  }

  /// A text that a field shows, or would show if its entity were live.
  package struct ShownText: Sendable {
    /// The write that the text begins with.
    package var base: TextWrite
    package var text: String
    /// By scalar of the text, the write that it is from.
    package var writers: [TextWrite]
    package var isLive: Bool
    /// The edits of the text that change nothing.
    package var unfit: Set<TextWrite>
  }

  /// Returns what a field shows; nil if it has no base, or shows no text.
  package func text(_ collection: String, _ id: String, _ field: String) -> ShownText? {
    let name = ReferenceName(field)
    guard let entity = entity(collection, id), let base = entity.base(of: name) else { return nil }
    let text: String
    switch entity.fields[name]?.value ?? .null {
    case .null: text = ""
    case .text(let shown): text = shown
    default: return nil
    }
    let writers =
      entity.textWriters[name] ?? Array(repeating: base, count: text.unicodeScalars.count)
    return ShownText(
      base: TextWrite(base), text: text, writers: writers.map { TextWrite($0) },
      isLive: entity.isLive,
      unfit: Set(entity.unfit.filter { $0.field == name }.map { TextWrite($0.edit) }))
  }

  /// Returns by write of an entity the value that a field shows after it, in the total order; only
  /// of writes that name the field.
  package func textHistory(_ collection: String, _ id: String, _ field: String)
    -> [(write: TextWrite, value: Value)]
  {
    let name = ReferenceName(field)
    let changes = (entity(collection, id)?.changes ?? []).sorted { $0.key < $1.key }
    return changes.indices.compactMap { index in
      let change = changes[index]
      let write = TextWrite(change.write(.null).reference)
      if let assigned = change.fields[name] { return (write, assigned) }
      guard change.edit.map({ ReferenceName($0.field) }) == name else { return nil }
      let then = ReferenceEntity(Array(changes[...index]))
      return (write, then.fields[name]?.value ?? .null)
    }
  }

  /// Returns by edit the text of its base with all edits of it, whether the field shows it or not;
  /// edits of a base that is not known are left out.
  package func editedTexts(_ collection: String, _ id: String, _ field: String)
    -> [TextWrite: Value]
  {
    let name = ReferenceName(field)
    let changes = entity(collection, id)?.changes ?? []
    let edits = changes.filter { $0.edit.map { ReferenceName($0.field) } == name }
    let undos = changes.filter { $0.kind == .undo }
    var texts: [TextWrite: Value] = [:]
    for base in changes where base.fields[name] != nil || base.kind == .insert {
      let write = base.write(.null)
      let own = edits.filter { $0.baseReference == write.reference }
      let assigned = base.fields[name] ?? .null
      let merged = ReferenceTexts.merge(own, undos, base: write, assigned)
      for edit in own {
        texts[TextWrite(edit.write(.null).reference)] =
          merged.count > 0 ? .text(merged.text) : assigned
      }
    }
    return texts
  }
}
