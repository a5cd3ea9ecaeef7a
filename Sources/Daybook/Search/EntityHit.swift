import DaybookProjections

/// An entity that a search has found.
public struct EntityHit<Model: Entity>: Sendable {
  /// The entity.
  public var entity: Model
  /// The relevance: bm25 with the fields' weights, negated so that more is better.
  public var score: Double
  /// The part of the text around the words found.
  public var excerpt: Store.SearchExcerpt
  /// The excerpt as one text, in which the found words are enclosed in the search's markers.
  public var snippet: String
}

/// An entity that a search in several types has found.
///
/// ```swift
/// for hit in try await store.search([Note.self, Folder.self], for: typedText) {
///   switch hit.entity {
///   case let note as Note: show(note, hit.excerpt)
///   case let folder as Folder: show(folder, hit.excerpt)
///   default: break
///   }
/// }
/// ```
public struct AnyEntityHit: Sendable {
  /// The entity, of one of the types that were searched.
  public var entity: any Entity
  /// The relevance: bm25 with the fields' weights, negated so that more is better. It is computed
  /// in each type's own index, so it compares types roughly.
  public var score: Double
  /// The part of the text around the words found.
  public var excerpt: Store.SearchExcerpt
  /// The excerpt as one text, in which the found words are enclosed in the search's markers.
  public var snippet: String
}

/// An entity that a search has found, which was not read.
package struct EntityMatch<Model: Entity>: Hashable, Sendable {
  package var id: EntityID<Model>
  /// The relevance: bm25 with the fields' weights, negated so that more is better.
  package var score: Double
  /// The part of the text around the words found.
  package var excerpt: Store.SearchExcerpt
}

extension Store {
  /// A part of a text around words that a search has found.
  public struct SearchExcerpt: Hashable, Sendable {
    /// A piece of the text that is highlighted as a whole or not at all.
    public struct Piece: Hashable, Sendable {
      /// The text of the piece.
      public var text: String
      /// Whether the piece was found.
      public var isHighlighted: Bool
    }

    /// The pieces, in the order of the text.
    public private(set) var pieces: [Piece] = []

    /// The text, without highlights.
    public var text: String { pieces.map(\.text).joined() }

    /// The found words.
    public var highlights: [String] { pieces.filter(\.isHighlighted).map(\.text) }

    /// Characters for private use, which a text has no use for.
    static let internalMarkers = (open: "\u{F0D0A}", close: "\u{F0D0B}")

    /// - Parameter snippet: a snippet with the internal markers.
    init(_ snippet: String) {
      var piece = ""
      var isHighlighted = false
      for scalar in snippet.unicodeScalars {
        switch scalar {
        case "\u{F0D0A}", "\u{F0D0B}":
          if !piece.isEmpty { pieces.append(Piece(text: piece, isHighlighted: isHighlighted)) }
          piece = ""
          isHighlighted = scalar == "\u{F0D0A}"
        default: piece.unicodeScalars.append(scalar)
        }
      }
      if !piece.isEmpty { pieces.append(Piece(text: piece, isHighlighted: isHighlighted)) }
    }

    /// Returns the text with markers around the highlights.
    func marked(_ markers: (open: String, close: String)) -> String {
      pieces.map { $0.isHighlighted ? markers.open + $0.text + markers.close : $0.text }.joined()
    }
  }
}
