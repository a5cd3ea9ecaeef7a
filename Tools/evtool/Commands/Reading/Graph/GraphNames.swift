import Daybook
import DaybookProjections
import GRDB

/// The names of vertices and edges for output, in one snapshot. Each name costs one lookup; nothing
/// is cached.
struct GraphNames {
  private let sql: StatementCache
  /// The SQL that returns an entity's title, for each collection of vertices with a title field.
  private let titles: [String: String]
  /// The SQL that returns the fields that name an edge, for each relationship.
  private let kinds: [String: String]

  private static let kindFields = ["kind", "type", "name"]
  private static let titleWidth = 40

  init(_ db: Database, _ schema: StoreSchema) throws {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    sql = StatementCache(connection)
    var titles: [String: String] = [:]
    for collection in schema.sorted where !collection.isRelationship {
      guard let field = Entities.titleField(collection) else { continue }
      titles[collection.name] =
        "SELECT \"\(field.name)\" FROM \"\(collection.name)\" WHERE id = ?"
    }
    self.titles = titles
    var kinds: [String: String] = [:]
    for collection in schema.relationships {
      let fields = Self.kindFields.filter { collection[field: $0]?.type == .text }
      guard !fields.isEmpty else { continue }
      let columns = fields.compactMap { collection[field: $0] }.map { "\"\($0.name)\"" }
      kinds[collection.name] =
        "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" WHERE id = ?"
    }
    self.kinds = kinds
  }

  /// Returns `collection/id`, with the title after it if that says more.
  func name(_ vertex: Graph.Vertex) throws -> String {
    let shown = Text.oneLine(vertex.description)
    guard let title = try title(vertex), title != Text.oneLine(vertex.id) else { return shown }
    return "\(shown) \(Terminal.dim("“\(title)”"))"
  }

  /// Returns the title of a vertex; nil if it has none.
  func title(_ vertex: Graph.Vertex) throws -> String? {
    guard let text = titles[vertex.collection] else { return nil }
    let query = try sql(text)
    try query.bind(1, vertex.id)
    defer { query.reset() }
    guard try query.step() else { return nil }
    let title = query.text(0)
    return title.isEmpty ? nil : Text.brief(title, Self.titleWidth)
  }

  /// Returns the name of an edge: its kind if the collection has such a field, else the collection.
  func label(_ edge: Graph.Edge) throws -> String {
    guard let text = kinds[edge.collection] else { return edge.collection }
    let query = try sql(text)
    try query.bind(1, edge.id)
    defer { query.reset() }
    guard try query.step() else { return edge.collection }
    for column in 0..<query.columnCount where !query.text(column).isEmpty {
      return Text.brief(query.text(column), Self.titleWidth)
    }
    return edge.collection
  }

  /// Returns the report of a vertex at a distance.
  func report(_ reach: Graph.Reach) throws -> Report {
    try Report {
      $0.line(
        "\(Text.padded("\(reach.depth)", 3, right: true))  \(try name(reach.vertex))")
      $0.add(reach.vertex.report)
      $0.fact("depth", reach.depth)
    }
  }
}
