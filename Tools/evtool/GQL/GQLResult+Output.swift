import DaybookGQL
import DaybookJSON

extension GQLValue: ReportValue {
  var cell: String { isNull ? "–" : Text.oneLine(description) }
}

extension GQLResult {
  /// Shows what `evtool gql` prints of a statement's result. What may be a mistake in the statement
  /// goes to the error stream.
  /// - Parameter start: where the statement begins in what was given; nil if that is all.
  func show(_ output: JSONOption, of start: GQLPosition? = nil) throws {
    for var note in notes {
      if let start { note.position = note.position.moved(to: start) }
      StandardError.line("evtool: note: \(Text.oneLine(note.description))")
    }
    var list = output.list(.lines, columns: columns)
    for row in rows { try list.add(row) }
    list.end(last: written)
  }

  /// The line about what the statement has written; nil if it has written nothing.
  private var written: String? {
    guard let event else { return nil }
    let parts = [
      (counts.nodesCreated, "node", "nodes", "made"),
      (counts.nodesDeleted, "node", "nodes", "deleted"),
      (counts.relationshipsCreated, "relationship", "relationships", "made"),
      (counts.relationshipsDeleted, "relationship", "relationships", "deleted"),
      (counts.propertiesSet, "property", "properties", "set"),
      (counts.labelsAdded, "label", "labels", "added"),
      (counts.labelsRemoved, "label", "labels", "removed"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2) \($0.3)" }
    let words = parts.isEmpty ? "done" : parts.joined(separator: ", ")
    return "\(words)  " + Terminal.dim("event \(Text.event(event))")
  }
}
