import DaybookEventCore

/// The first difference between a read model and the log.
package struct ReadModelDifference: Hashable, Sendable, CustomStringConvertible {
  /// The place of the difference: a table, `checkpoint`, or `search index`.
  package var place: String
  /// The row's id; empty if the difference is not about a row.
  package var id: String
  package var message: String

  package init(place: String, id: String = "", message: String) {
    self.place = place
    self.id = id
    self.message = message
  }

  package var description: String {
    id.isEmpty ? "\(place): \(message)" : "\(place) “\(id)”: \(message)"
  }
}
