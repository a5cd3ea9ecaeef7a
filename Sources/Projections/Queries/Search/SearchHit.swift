import DaybookEventCore
import Foundation
import GRDB

/// One entity that a search found.
public struct SearchHit: Hashable, Sendable {
  /// The collection.
  public var collection: String
  /// The id of the entity.
  public var id: String
  /// The relevance: bm25 with the fields' weights, negated so that more is better.
  public var score: Double
  /// The part of the text around the words found, which are enclosed in the markers.
  public var snippet: String

  /// Makes a hit, for example for a preview or a test.
  public init(collection: String, id: String, score: Double, snippet: String) {
    self.collection = collection
    self.id = id
    self.score = score
    self.snippet = snippet
  }
}
