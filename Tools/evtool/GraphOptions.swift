import ArgumentParser
import Daybook
import Projections

/// What the graph commands have in common.
struct GraphOptions: ParsableArguments {
  @Option(help: "Follow this relationship collection only; may be given several times.")
  var via: [String] = []
  @OptionGroup var output: JSONOption

  var collections: [String]? { via.isEmpty ? nil : via }
}

enum Direction: String, CaseIterable, ExpressibleByArgument {
  case outgoing, incoming, both

  var graph: GraphDirection {
    switch self {
    case .outgoing: .outgoing
    case .incoming: .incoming
    case .both: .both
    }
  }
}

extension GraphEdge {
  /// What the edge is called: its kind, where the collection has such a field, else the collection.
  func label(_ kinds: [String: String]) -> String { kinds[id] ?? collection }

  func json(to writer: inout JSONWriter) {
    writer.object {
      $0.key("collection")
      $0.text(collection)
      $0.key("id")
      $0.text(id)
      $0.key("source")
      $0.text(source)
      $0.key("target")
      $0.text(target)
    }
  }

  /// The values of the fields `kind`, `type` or `name` of edges, by the edge's id.
  static func kinds(_ edges: [GraphEdge], _ store: Store) async throws -> [String: String] {
    var kinds: [String: String] = [:]
    for edge in edges {
      guard let entity = try await store.fetch(edge.collection, edge.id) else { continue }
      for name in ["kind", "type", "name"] {
        guard case .text(let text) = entity[name], !text.isEmpty else { continue }
        kinds[edge.id] = Text.oneLine(text)
        break
      }
    }
    return kinds
  }
}

extension JSONWriter {
  mutating func member(_ key: String, _ text: String) {
    self.key(key)
    self.text(text)
  }

  mutating func member(_ key: String, _ number: some FixedWidthInteger) {
    self.key(key)
    integer(number)
  }

  mutating func member(_ key: String, _ flag: Bool) {
    self.key(key)
    boolean(flag)
  }
}
