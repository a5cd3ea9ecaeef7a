import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The options that all graph commands share.
struct GraphOptions: ParsableArguments {
  @Option(help: "Follow this relationship collection only; may be given several times.")
  var via: [String] = []
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Follow only relationships with this value in a field; may be given several times, and then "
        + "all count. FIELD:null asks for no value.", valueName: "field=value"))
  var conditions: [FieldAssignment] = []
  @OptionGroup var output: JSONOption

  /// Returns the relationships to follow; nil for all.
  func collections(_ store: Store) async throws -> [String]? {
    guard !via.isEmpty else { return nil }
    let known = try await store.schema().relationships.map(\.name)
    for name in via where !known.contains(name) {
      throw Failure(
        .usage, "there is no relationship collection \(name.quotedForMessage)",
        hint: NameSuggestion.hint(for: name, among: known, none: "None is defined yet"))
    }
    return via
  }

  /// Returns the conditions, with values of the types that the followed relationships declare.
  func fields(_ store: Store) async throws -> [String: Value] {
    guard !conditions.isEmpty else { return [:] }
    let all = try await store.schema().relationships
    let followed = via.isEmpty ? all : all.filter { via.contains($0.name) }
    var values: [String: Value] = [:]
    for condition in conditions {
      let declaring = followed.filter { $0[field: condition.field] != nil }
      guard let first = declaring.first, let field = first[field: condition.field] else {
        // The query itself reports unknown fields.
        values[condition.field] = .null
        continue
      }
      guard declaring.allSatisfy({ $0[field: condition.field]?.type == field.type }) else {
        throw Failure(
          .usage,
          "the field \(condition.field) is not of the same type in \(Self.names(declaring))",
          hint: "Say which of them to follow, with --via")
      }
      let typed = try FieldAssignment.values([condition], first)
      guard typed.keys.allSatisfy({ values[$0] == nil }) else {
        throw Failure(.usage, "the field \(condition.field) is given twice", hint: "Give it once")
      }
      values.merge(typed) { $1 }
    }
    return values
  }

  private static func names(_ collections: [StoreSchema.Collection]) -> String {
    collections.map(\.name).joined(separator: " and ")
  }
}

enum Direction: String, CaseIterable, ExpressibleByArgument {
  case outgoing, incoming, both

  var graph: Graph.Direction {
    switch self {
    case .outgoing: .outgoing
    case .incoming: .incoming
    case .both: .both
    }
  }
}

extension Graph.Vertex {
  static let help: ArgumentHelp =
    "The vertex: COLLECTION/ID, or its id where only one collection has it."

  /// The vertex, for programs.
  var report: Report {
    Report {
      $0.fact("collection", collection)
      $0.fact("id", id)
    }
  }
}

extension Graph.Edge {
  /// The edge, for programs.
  var report: Report {
    Report {
      $0.fact("collection", collection)
      $0.fact("id", id)
      $0.fact("source", source.report)
      $0.fact("target", target.report)
      if !isDirected { $0.fact("directed", false) }
      if let weight { $0.fact("weight", weight) }
    }
  }
}
