import DaybookEventCore
import Foundation
import GRDB

/// A full-text search: the query, the collection, and the form of the results.
package struct SearchRequest: Sendable {
  /// The query, in the language of ``SearchQuery``.
  package var text: String
  /// The collections to search; nil for all with searchable fields.
  package var collections: [String]?
  package var match: SearchMatch
  /// Whether each word may be the beginning of a longer one.
  package var takesBeginnings = false
  /// Whether the text is what a person types, so that one without words finds nothing.
  package var isTyped = false
  /// What a word in a field counts, by collection, then by the field's first name. Other fields of
  /// such a collection are not searched. In other collections, the store's weights count.
  package var weights: [String: [String: Double]] = [:]
  /// The maximum number of hits to return.
  package var limit: Int
  /// The texts to put before and after a word found.
  package var markers: (open: String, close: String)

  package init(
    _ text: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int,
    markers: (open: String, close: String)
  ) {
    self.text = text
    collections = collection.map { [$0] }
    self.match = match
    self.limit = limit
    self.markers = markers
  }
}
