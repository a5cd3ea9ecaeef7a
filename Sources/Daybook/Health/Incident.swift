/// Something that a store had to put right, or could not do.
public struct Incident: Hashable, Sendable {
  public enum Level: String, Codable, Sendable {
    /// Put right, nothing lost that was acknowledged.
    case notice
    case warning
    case error
  }

  /// When it happened last, in milliseconds since 1970.
  public var time: Int64
  /// How often it has happened.
  public var count: Int
  public var level: Level
  /// One sentence.
  public var message: String
  /// Where, and what the layer below said: `segment`, `offset`, `error` and the like.
  public var facts: [String: String]
}
