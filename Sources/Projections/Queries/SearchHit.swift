import EventCore
import Foundation
internal import GRDB

/// One entity that a search found.
public struct SearchHit: Hashable, Sendable {
  public var collection: String
  public var id: String
  /// The relevance: bm25 with the fields' weights, negated so that more is better.
  public var score: Double
  /// The part of the text around the words found, which are enclosed in the markers.
  public var snippet: String

  public init(collection: String, id: String, score: Double, snippet: String) {
    self.collection = collection
    self.id = id
    self.score = score
    self.snippet = snippet
  }
}
