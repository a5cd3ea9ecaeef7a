/// A procedure that `CALL` runs.
struct GQLProcedure: Sendable {
  var name: String
  var arguments: [(name: String, type: StaticType)]
  var fields: [String]
  var summary: String
  var rows: @Sendable ([GQLValue], PlanRun) throws -> [[GQLValue]]

  /// All procedures.
  static let all: [GQLProcedure] = [
    names("db.labels", "label", .labels, "the labels that nodes have"),
    names("db.relationshipTypes", "relationshipType", .types, "the types of relationships"),
    names("db.propertyKeys", "propertyKey", .properties, "the names of properties"),
  ]

  private static func names(
    _ name: String, _ field: String, _ kind: NameKind, _ summary: String
  ) -> GQLProcedure {
    GQLProcedure(name: name, arguments: [], fields: [field], summary: summary) { _, run in
      try run.graph.names(kind).map { [.string($0)] }
    }
  }

  static func named(_ name: String) -> GQLProcedure? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }
}
