package import DaybookEventCore
package import DaybookTexts

/// The write that a part of a text comes from.
package struct TextWrite: Hashable, Sendable {
  package var event: EventID
  /// The index of the write within its event.
  package var operation: UInt32

  /// Makes the name of a write.
  package init(event: EventID, operation: UInt32) {
    self.event = event
    self.operation = operation
  }
}

/// All that was ever written in a text, in its order: what it shows, and what was deleted.
package struct WrittenText: Sendable {
  /// Consecutive scalars of one write.
  package struct Part: Sendable {
    package var write: TextWrite
    /// The index of the first scalar among those that the write inserted.
    package var offset: Int
    /// The other writes that inserted the same scalars, and the index of the first one in each.
    package var others: [(write: TextWrite, offset: Int)]
    package var count: Int
    /// The writes that count and delete the scalars.
    package var deletedBy: [TextWrite]
    /// Whether the text shows the part: a write of it counts, and none that counts has deleted it.
    package var isShown: Bool
  }

  /// The write that the text begins with.
  package var base: TextWrite
  package var parts: [Part]
  /// By write, the scalars that it inserted; only those that were deleted again.
  private var scalars: [TextWrite: [Unicode.Scalar]]

  fileprivate init(
    base: TextWrite, parts: [Part], scalars: [TextWrite: [Unicode.Scalar]]
  ) {
    self.base = base
    self.parts = parts
    self.scalars = scalars
  }

  /// Returns the script that takes what some events have written out of the text: what they
  /// inserted goes, and what they alone have deleted comes back in its place.
  package func without(_ events: Set<EventID>) -> TextScript {
    var steps: [TextScript.Step] = []
    for part in parts {
      let isTakenOut =
        events.contains(part.write.event)
        && part.others.allSatisfy { events.contains($0.write.event) }
      if part.isShown {
        steps.append(isTakenOut ? .delete(part.count) : .retain(part.count))
      } else if !isTakenOut, !part.deletedBy.isEmpty,
        part.deletedBy.allSatisfy({ events.contains($0.event) })
      {
        let all = scalars[part.write] ?? []
        let range = part.offset..<part.offset + part.count
        guard range.upperBound <= all.count else { continue }
        steps.append(.insert(String(String.UnicodeScalarView(all[range]))))
      }
    }
    return TextScript(steps)
  }
}

extension ReadModelView {
  /// Returns all that was ever written in the text that a field of a live entity shows; nil if
  /// there is none.
  ///
  /// Cost: reads all edits of the text from the log, and merges them.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - id: the entity's id.
  ///   - field: the field's first name.
  package func writtenText(_ collection: String, _ id: String, _ field: String) throws
    -> WrittenText?
  {
    guard let record = try record(collection, id), record.state.isLive else { return nil }
    let number = record.table.knownNumber(ofField: field)
    guard let base = number.map({ record.state.textBase($0) }) ?? record.state.firstInsertion
    else { return nil }
    func name(_ ref: WriteRef) -> TextWrite {
      TextWrite(
        event: EventID(index.origin(ref.origin).id, ref.sequence), operation: ref.operation)
    }
    guard let number else { return WrittenText(base: name(base), parts: [], scalars: [:]) }
    let reader = WriteReader(projector: projector, table: record.table)
    let winner = record.state[field: number]
    let fold = TextFold(
      index: index, base: base, assigned: try winner.map { try reader.value($0, number) } ?? .null)
    guard let assigned = fold.assignedText else { return nil }
    let entries = try projector.entities.history.entries(of: record)
    let undos = try projector.undoHistory(entries)
    let refs = entries.filter { $0.isEdit && $0.base == base && $0.fields == [number] }.map(\.ref)
    return try EditReader(index: index, events: projector.earlier).scripts(of: refs)
      .withEdits { edits throws(ProjectionError) in
        let parts = try fold.written(edits, undos).parts
        let deleted = Set(parts.filter { !$0.isUndone && !$0.isShown }.map { $0.edit ?? base })
        var scalars: [TextWrite: [Unicode.Scalar]] = [:]
        for edit in edits where deleted.contains(edit.ref) {
          scalars[name(edit.ref)] = TextScript.inserted(edit.script)
        }
        if deleted.contains(base) {
          scalars[name(base)] = Array(String(decoding: assigned, as: UTF8.self).unicodeScalars)
        }
        return WrittenText(
          base: name(base),
          parts: parts.map { part in
            WrittenText.Part(
              write: name(part.edit ?? base), offset: part.offset,
              others: part.others.map { (name($0.edit), $0.offset) }, count: part.count,
              deletedBy: part.isUndone ? [] : part.deletedBy.map(name), isShown: part.isShown)
          }, scalars: scalars)
      }
  }

  /// Returns whether an event is known here.
  package func isKnown(_ event: EventID) -> Bool { wholeVector.contains(event) }
}
