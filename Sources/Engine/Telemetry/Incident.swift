/// An incident of a store: something that it had to put right, or could not do.
public struct Incident: Hashable, Sendable {
  /// The severity of an incident.
  public enum Level: String, Codable, Sendable {
    /// The problem was put right, and nothing acknowledged was lost.
    case notice
    /// Something is wrong or in doubt that a person should look at, and the store goes on.
    case warning
    /// The store could not do what it was asked for, or has lost something.
    case error
  }

  /// The time of the latest occurrence, in milliseconds since 1970.
  public var time: Int64
  /// The number of occurrences.
  public var count: Int
  /// The severity.
  public var level: Level
  /// One sentence that says what happened.
  public var message: String
  /// The place, and the error of the layer below: `segment`, `offset`, `error` and similar keys.
  public var facts: [String: String]
}
