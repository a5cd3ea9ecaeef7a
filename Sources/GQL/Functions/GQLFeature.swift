/// A feature of the languages, and whether there is one here. docs/gql.md is made of these.
package struct GQLFeature: Sendable {
  package enum Language: String, Sendable, CaseIterable {
    case cypher = "openCypher 9"
    case iso = "ISO/IEC 39075"
  }

  package enum Support: String, Sendable {
    case full = "yes"
    case part = "partly"
    case none = "no"
  }

  var language: Language
  /// The section of openCypher, or the identifier of ISO's feature.
  var place: String
  var name: String
  var support: Support
  var note: String

  private static func cypher(
    _ place: String, _ name: String, _ support: Support = .full, _ note: String = ""
  ) -> GQLFeature {
    GQLFeature(language: .cypher, place: place, name: name, support: support, note: note)
  }

  private static func iso(
    _ place: String, _ name: String, _ support: Support = .full, _ note: String = ""
  ) -> GQLFeature {
    GQLFeature(language: .iso, place: place, name: name, support: support, note: note)
  }

  static let all: [GQLFeature] = [
    cypher("Reading", "MATCH, OPTIONAL MATCH, WHERE"),
    cypher("Patterns", "nodes, relationships, several labels and types, maps, named paths"),
    cypher(
      "Patterns", "variable length", .part,
      "a map's values depend on nothing later in the pattern"),
    cypher(
      "Patterns", "shortestPath, allShortestPaths", .part,
      "in MATCH; the least length is 0 or 1; WHERE is looked at after the search"),
    cypher("Patterns", "patterns and EXISTS as conditions, pattern comprehensions"),
    cypher("Projecting", "WITH, RETURN, DISTINCT, ORDER BY, SKIP, LIMIT, UNWIND, UNION"),
    cypher("Writing", "CREATE, MERGE, SET, REMOVE, DELETE, DETACH DELETE"),
    cypher("Writing", "FOREACH"),
    cypher("Calling", "CALL of procedures", .full, "those of the last table, and an app's own"),
    cypher("Calling", "CALL with a subquery", .none),
    cypher("Expressions", "three-valued logic, chained comparisons, CASE, IN, STARTS WITH …"),
    cypher("Expressions", "regular expressions (=~)", .none),
    cypher("Expressions", "lists: elements, parts, comprehensions, quantifiers, reduce"),
    cypher("Values", "integers of 64 bits, floats, texts, booleans, lists, maps"),
    cypher("Values", "dates, times, moments with zones, durations"),
    cypher("Values", "points", .none),
    cypher("Values", "properties", .part, "no maps, and no null within a list"),
    cypher("Parameters", "values of any type"),
    cypher(
      "Administration", "CREATE INDEX FOR (n:A) ON (n.x), DROP INDEX …", .part,
      "one property, no name, for all labels of the graph; making one again changes nothing"),
    cypher("Administration", "constraints", .none),
    iso("GC01, GC02", "CREATE SCHEMA, DROP SCHEMA, IF [NOT] EXISTS", .part, "no schema in another"),
    iso("GC03", "graph types", .none),
    iso("GC04, GC05", "CREATE GRAPH, DROP GRAPH, IF [NOT] EXISTS", .part, "open graphs only"),
    iso("GD01", "INSERT, SET, REMOVE, DELETE"),
    iso("GE07", "XOR"),
    iso("GG01", "open graphs"),
    iso("GL01, GL02", "hexadecimal and octal integers"),
    iso("GP01", "inline procedures", .none),
    iso("GQ01", "USE", .none),
    iso("GQ02", "EXCEPT", .none),
    iso("GQ03", "UNION"),
    iso("GQ08, GQ09", "FILTER, LET"),
    iso("GQ10", "FOR"),
    iso("GQ11", "FOR … WITH ORDINALITY", .none),
    iso("GQ12, GQ13", "OFFSET, LIMIT"),
    iso("GQ15", "GROUP BY", .none, "groups follow from the columns"),
    iso("GQ20", "NEXT", .part, "after RETURN"),
    iso("G002", "different edges in one match"),
    iso("G010, G012, G013", "path modes WALK, SIMPLE, ACYCLIC", .none),
    iso("G017, G018", "ALL SHORTEST, ANY SHORTEST", .part, "as shortestPath"),
    iso("G019, G020", "SHORTEST with a number", .none),
    iso(
      "G035", "quantified paths", .part,
      "no quantifier within; WHERE sees only what is known before the clause"),
    iso("G036", "quantified edges", .part, "as variable length"),
    iso("G074", "label expressions with &, |, ! and %"),
    iso("GS04", "SESSION RESET of everything"),
    iso("GT01", "transactions of several statements", .none, "a statement is a transaction"),
  ]

  // MARK: - The page

  private static func row(_ cells: String...) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }

  /// The tables of docs/gql.md.
  package static var tables: String {
    var lines: [String] = []
    for language in Language.allCases {
      lines += ["### Features: \(language.rawValue)", ""]
      lines += ["| where | what | supported | note |", "| --- | --- | --- | --- |"]
      for feature in all where feature.language == language {
        lines.append(row(feature.place, feature.name, feature.support.rawValue, feature.note))
      }
      lines.append("")
    }
    for section in GQLFunction.Section.allCases {
      lines += ["### Functions: \(section.rawValue)", ""]
      lines += ["| function | arguments | result |", "| --- | --- | --- |"]
      for function in GQLFunction.all where function.section == section {
        let (least, most) = (function.arguments.lowerBound, function.arguments.upperBound)
        let count = least == most ? "\(least)" : most > 9 ? "\(least) or more" : "\(least)–\(most)"
        lines.append(row("`\(function.name)`", count, function.summary))
      }
      lines.append("")
    }
    lines += ["### Functions: Aggregates", "", "| function | result |", "| --- | --- |"]
    lines += Aggregate.allCases.map { row("`\($0.rawValue)`", $0.summary) }
    lines += ["", "### Procedures", "", "| procedure | arguments | yields | what |"]
    lines.append("| --- | --- | --- | --- |")
    lines += GQLProcedure.all.map {
      row(
        "`\($0.name)`", $0.arguments.map(\.name).joined(separator: ", "),
        $0.fields.joined(separator: ", "), $0.summary)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
