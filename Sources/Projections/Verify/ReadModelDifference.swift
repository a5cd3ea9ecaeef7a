internal import EventCore

/// The first difference between a read model and the log.
public struct ReadModelDifference: Hashable, Sendable, CustomStringConvertible {
  /// The place of the difference: a table, `checkpoint`, or `search index`.
  public var place: String
  /// The row's id; empty if the difference is not about a row.
  public var id: String
  public var message: String

  public init(place: String, id: String = "", message: String) {
    self.place = place
    self.id = id
    self.message = message
  }

  public var description: String {
    id.isEmpty ? "\(place): \(message)" : "\(place) “\(id)”: \(message)"
  }
}
