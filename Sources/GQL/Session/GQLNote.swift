import DaybookProjections

/// Something about a statement that is no error, and may be a mistake: a name that the graph does
/// not have.
public struct GQLNote: Hashable, Sendable, CustomStringConvertible {
  /// What it is, in one sentence.
  public let message: String
  /// What may be meant; nil if nothing is near.
  public let hint: String?
  /// Where in the statement.
  public package(set) var position: GQLPosition

  public var description: String {
    "\(position.line):\(position.column): \(message)" + (hint.map { ". \($0)" } ?? "")
  }
}

/// A name in a query that has to be in the graph for the query to find something.
struct ReadName: Hashable, Sendable {
  var kind: NameKind
  var name: String
  var position: GQLPosition

  /// Returns the note that a graph does not have the name; nil if it has.
  func note(_ graph: any GraphAccess) -> GQLNote? {
    guard !graph.knows(kind, name) else { return nil }
    let what =
      switch kind {
      case .labels: "no node has had the label"
      case .types: "no relationship has had the type"
      case .properties: "nothing has had the property"
      }
    let near = NameSuggestion.nearest(to: name, among: graph.knownNames(kind))
    return GQLNote(
      message: "\(what) “\(name)”", hint: near.map { "Did you mean “\($0)”?" }, position: position)
  }
}

extension PlanCompiler {
  /// Notes the names that patterns look for.
  func note(_ patterns: [GQLPathPattern]) {
    for pattern in patterns {
      for node in pattern.nodes {
        note(node.labels, .labels, node.position)
        note(node.properties, node.position)
      }
      for one in pattern.relationships {
        if let group = one.group {
          note([group])
        } else {
          note(one.types, .types, one.position)
          note(one.properties, one.position)
        }
      }
    }
  }

  func note(_ labels: GQLLabels?, _ kind: NameKind, _ position: GQLPosition) {
    for name in labels?.wantedNames ?? [] {
      note(ReadName(kind: kind, name: name, position: position))
    }
  }

  private func note(_ map: GQLExpression?, _ position: GQLPosition) {
    guard case .map(let entries) = map?.kind else { return }
    for entry in entries {
      note(ReadName(kind: .properties, name: entry.key, position: position))
    }
  }
}

extension GQLLabels {
  /// The names of which at least one makes the condition true; none of what is denied.
  fileprivate var wantedNames: [String] {
    switch self {
    case .name(let name): [name]
    case .all(let parts), .any(let parts): parts.flatMap(\.wantedNames)
    case .not, .wildcard: []
    }
  }
}
