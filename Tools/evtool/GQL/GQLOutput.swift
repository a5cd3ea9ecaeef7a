import DaybookGQL
import DaybookJSON

/// What `evtool gql` prints of a statement's result.
enum GQLOutput {
  static func json(_ result: GQLResult) {
    for row in result.rows {
      var writer = JSONWriter()
      writer.object { writer in
        for (name, value) in zip(result.columns, row) {
          writer.key(name)
          value.write(to: &writer)
        }
      }
      StandardOutput.line(writer.bytes)
    }
  }

  /// Prints what may be a mistake in a statement to the error stream.
  static func notes(_ result: GQLResult) {
    for note in result.notes {
      StandardError.line("evtool: note: \(Text.oneLine(note.description))")
    }
  }

  static func table(_ result: GQLResult) {
    if !result.columns.isEmpty {
      var table = Table(result.columns.map(Text.oneLine))
      for row in result.rows {
        table.add(row.map { $0.isNull ? "–" : Text.oneLine($0.description) })
      }
      table.end()
    }
    guard let event = result.event else { return }
    let counts = result.counts
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
    StandardOutput.line("\(words)  " + Terminal.dim("event \(Text.event(event))"))
  }
}
