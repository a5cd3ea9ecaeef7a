public import DaybookEventCore
import DaybookTexts

/// A part of a text that one event has written.
public struct TextBlame: Hashable, Sendable {
  /// The place of the part in the text, in Unicode scalars.
  public var range: Range<Int>
  /// The part of the text.
  public var text: String
  /// The event that wrote it.
  public var event: EventID
  /// The index of the operation within the event.
  public var operation: UInt32
  /// The times of the event.
  public var times: EventTimes
  /// Who wrote it, as the transaction says; often empty.
  public var actor: String
  /// The purpose of the event, in its author's words; often empty.
  public var label: String
}

extension ReadModelView {
  /// Returns for each part of the text that a field shows the event that wrote it, in the order of
  /// the text; empty if the field shows no text.
  ///
  /// Cost: reads all edits of the text, and each of the events that are named.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - id: the entity's id.
  ///   - field: the field's first name.
  package func textBlame(_ collection: String, _ id: String, _ field: String) throws -> [TextBlame]
  {
    guard let record = try record(collection, id),
      let number = record.table.knownNumber(ofField: field),
      let base = record.state.textBase(number), case .text(let text)? = record.values[number]
    else { return [] }
    let reader = WriteReader(projector: projector, table: record.table)
    let winner = record.state[field: number]
    let fold = TextFold(
      index: index, base: base, assigned: try winner.map { try reader.value($0, number) } ?? .null)
    let entries = try projector.entities.history.entries(of: record)
    let undos = try projector.undoHistory(entries)
    let refs = entries.filter { $0.isEdit && $0.base == base && $0.fields == [number] }.map(\.ref)
    let parts = try EditReader(index: index, events: projector.earlier).scripts(of: refs)
      .withEdits { edits throws(ProjectionError) in
        try fold.written(edits, undos).parts.filter(\.isShown)
          .map { (ref: $0.edit ?? base, count: $0.count) }
      }
    return try blame(parts, of: Array(text.unicodeScalars))
  }

  private func blame(_ parts: [(ref: WriteRef, count: Int)], of text: [Unicode.Scalar]) throws
    -> [TextBlame]
  {
    var blame: [TextBlame] = []
    var at = 0
    for part in parts where part.count > 0 {
      let event = EventID(index.origin(part.ref.origin).id, part.ref.sequence)
      let range = at..<min(at + part.count, text.count)
      at = range.upperBound
      let piece = String(String.UnicodeScalarView(text[range]))
      if let last = blame.last, last.event == event, last.operation == part.ref.operation {
        blame[blame.count - 1].range = last.range.lowerBound..<range.upperBound
        blame[blame.count - 1].text += piece
        continue
      }
      let body = try self.body(of: event)
      blame.append(
        TextBlame(
          range: range, text: piece, event: event, operation: part.ref.operation,
          times: try times(of: event) ?? .unknown, actor: body.actor, label: body.label))
    }
    return blame
  }
}
