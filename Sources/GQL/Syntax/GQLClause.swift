/// A query: one or more parts, whose rows are put together by `UNION`.
struct GQLQuery: Equatable, Sendable {
  var first: [GQLClause]
  var others: [Union] = []
  var place: Place

  struct Union: Equatable, Sendable {
    /// Whether rows that are the same stay.
    var keepsAll: Bool
    var clauses: [GQLClause]
    var place: Place
  }

  var position: GQLPosition { place.position }

  /// Returns a query whose result is one value.
  static func result(of value: GQLExpression) -> GQLQuery {
    var projection = GQLProjection()
    projection.items = [.init(value: value, alias: nil, text: "value")]
    return GQLQuery(
      first: [GQLClause(kind: .result(projection), place: value.place)], place: value.place)
  }
}

/// A clause of a query.
struct GQLClause: Equatable, Sendable {
  var kind: Kind
  var place: Place

  var position: GQLPosition { place.position }

  /// Whether the clause changes the graph and returns nothing.
  var isChange: Bool {
    switch kind {
    case .create, .merge, .set, .remove, .delete, .forEach: true
    case .match, .unwind, .with, .result, .finish, .call: false
    }
  }

  enum Kind: Equatable, Sendable {
    case match(isOptional: Bool, [GQLPathPattern], filter: GQLExpression?)
    case unwind(GQLExpression, variable: String)
    case with(GQLProjection, filter: GQLExpression?)
    case result(GQLProjection)
    /// `FINISH`: the query has no rows.
    case finish
    case create([GQLPathPattern])
    case merge(GQLPathPattern, onCreate: [SetItem], onMatch: [SetItem])
    case set([SetItem])
    case remove([RemoveItem])
    case delete(isDetaching: Bool, [GQLExpression])
    case call(GQLProcedureCall)
    /// `FOREACH`: changes for each element of a list.
    case forEach(variable: String, GQLExpression, [GQLClause])
  }

  enum SetItem: Equatable, Sendable {
    case property(GQLExpression, String, GQLExpression, Place)
    case replace(String, GQLExpression, Place)
    case merge(String, GQLExpression, Place)
    case labels(String, [String], Place)
  }

  enum RemoveItem: Equatable, Sendable {
    case property(GQLExpression, String, Place)
    case labels(String, [String], Place)
  }
}

/// What `WITH` and `RETURN` make of the rows before them.
struct GQLProjection: Equatable, Sendable {
  struct Item: Equatable, Sendable {
    var value: GQLExpression
    var alias: String?
    /// The text of the expression, which names a column without an alias.
    var text: String
  }

  struct Order: Equatable, Sendable {
    var value: GQLExpression
    var isDescending: Bool
  }

  var isDistinct = false
  /// Whether all variables are taken along.
  var takesAll = false
  var items: [Item] = []
  var order: [Order] = []
  var skip: GQLExpression?
  var limit: GQLExpression?
}

/// `CALL name(arguments) YIELD …`.
struct GQLProcedureCall: Equatable, Sendable {
  struct Yield: Equatable, Sendable {
    var field: String
    var variable: String
    var place: Place
  }

  var name: String
  /// Nil if they are taken from the parameters.
  var arguments: [GQLExpression]?
  /// Nil without `YIELD`; `takesAll` for `YIELD *`.
  var yields: [Yield]?
  var takesAll = false
  var filter: GQLExpression?
}

/// A whole statement.
enum GQLStatement: Equatable, Sendable {
  case query(GQLQuery)
  case explain(GQLQuery)
  /// A query on the graph as it was at a time.
  case past(GQLExpression, GQLQuery)
  case session(SessionChange)
  case catalog(CatalogChange)

  /// A change of the session.
  enum SessionChange: Equatable, Sendable {
    case schema(GQLName)
    case graph(GQLName)
    case reset
    case close
  }

  /// A change of the schemas, graphs and indexes that there are.
  enum CatalogChange: Equatable, Sendable {
    case createSchema(GQLName, ifNotExists: Bool)
    case dropSchema(GQLName, ifExists: Bool)
    case createGraph(GQLName, ifNotExists: Bool)
    case dropGraph(GQLName, ifExists: Bool)
    case createIndex(IndexTarget, ifNotExists: Bool)
    case dropIndex(IndexTarget, ifExists: Bool)
  }

  /// The label or type and the property that an index is about.
  struct IndexTarget: Equatable, Sendable {
    var isOfRelationships: Bool
    var label: String
    var property: String
    var place: Place
  }
}

/// The name of a schema or graph: `/schema/graph`, `/schema` or `graph`.
struct GQLName: Equatable, Sendable {
  /// Whether it begins with a slash.
  var isAbsolute: Bool
  var parts: [String]
  var place: Place
}
