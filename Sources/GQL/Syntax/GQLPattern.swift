/// A path of a pattern: nodes, and between two of them a relationship.
struct GQLPathPattern: Equatable, Sendable {
  enum Search: String, Sendable {
    case all, shortest, allShortest
  }

  /// The variable of the whole path.
  var variable: String?
  var search = Search.all
  /// One more than there are relationships.
  var nodes: [GQLNodePattern]
  var relationships: [GQLRelationshipPattern]
  var place: Place

  var position: GQLPosition { place.position }
}

/// A node of a pattern.
struct GQLNodePattern: Equatable, Sendable {
  var variable: String?
  var labels: GQLLabels?
  /// A map, or a parameter that is one.
  var properties: GQLExpression?
  var filter: GQLExpression?
  var place: Place

  var position: GQLPosition { place.position }
}

/// A relationship of a pattern, several in a row, or a part of a path that is repeated.
struct GQLRelationshipPattern: Equatable, Sendable {
  enum Direction: Sendable {
    case outgoing, incoming, either
  }

  /// How many relationships in a row.
  struct Length: Equatable, Sendable {
    var least: Int
    /// The most; nil for any number.
    var most: Int?
  }

  var variable: String?
  var types: GQLLabels?
  var direction: Direction
  /// Nil for one relationship.
  var length: Length?
  var properties: GQLExpression?
  var filter: GQLExpression?
  /// The part that is repeated, of which ``length`` says how often; nil for relationships in a row.
  var group: GQLPathPattern?
  var place: Place

  var position: GQLPosition { place.position }
}
