import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// What a picture of the graph shows beside its vertices.
enum GraphPicture {
  /// The most relationships of a picture.
  private static let edgesMax = 20_000

  /// Returns the relationships among vertices.
  /// - Parameter weight: a numeric field; a collection without it has no weights.
  static func edges(
    among vertices: [Graph.Vertex], via: [String]?, weight: String?, _ store: Store
  ) async throws -> [Graph.Edge] {
    let schema = try await store.schema()
    let known = Set(vertices)
    let names = via ?? schema.relationships.map(\.name)
    return try await store.core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      var edges: [Graph.Edge] = []
      for name in names {
        let hasWeight = weight.flatMap { schema[name]?[field: $0] } != nil
        let graph = try view.graph(via: [name])
        for vertex in vertices {
          // A relationship between two of them is found once, at its source.
          for edge in try graph.neighbors(
            of: vertex, direction: .outgoing, weight: hasWeight ? weight : nil, limit: 2000)
          where known.contains(edge.source) && known.contains(edge.target)
            && (edge.isDirected || edge.source == vertex)
          {
            edges.append(edge)
            if edges.count >= edgesMax { return edges }
          }
        }
      }
      return edges
    }
  }

  /// Returns what people call each vertex: its first text, or else its id.
  static func titles(_ vertices: [Graph.Vertex], _ store: Store) async throws -> [String] {
    try await store.core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      let schema = view.schema
      return try vertices.map { vertex in
        guard let collection = schema[vertex.collection],
          let entity = try view.entity(vertex.collection, vertex.id)
        else { return vertex.id }
        for field in collection.fields where field.type == .text && field.references == nil {
          if case .text(let text) = entity[field.name], !text.isEmpty {
            return String(text.unicodeScalars.prefix(80))
          }
        }
        return vertex.id
      }
    }
  }
}
