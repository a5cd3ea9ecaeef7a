import DaybookEventCore

/// The vertices that exist in one snapshot.
///
/// An end that references one collection costs one look-up there. An end without a reference is
/// looked up in every collection. Once there have been as many look-ups as entities, a list of all
/// ids is made for the snapshot and used instead. So a search of the whole graph costs no more than
/// reading all ids twice, however many collections there are.
final class VertexIndex {
  private let schema: GraphSchema
  private let sql: StatementCache
  /// By the collection's number.
  private var lookups: [Statement?]
  /// The number of look-ups in all collections in this snapshot.
  private var lookupCount = 0
  /// An upper bound of the number of entities; nil until it is needed.
  private var entityBound: Int?
  private var list: VertexList?

  init(_ schema: GraphSchema, _ sql: StatementCache) {
    self.schema = schema
    self.sql = sql
    lookups = Array(repeating: nil, count: schema.collections.count)
  }

  /// Drops what holds for one snapshot only.
  func endSnapshot() {
    lookupCount = 0
    entityBound = nil
    list = nil
  }

  func isThere(_ node: GraphNode) throws(ProjectionError) -> Bool {
    let query = try lookup(node.collection)
    defer { query.reset() }
    try query.bind(1, node.id)
    return try query.step()
  }

  private func lookup(_ collection: Int) throws(ProjectionError) -> Statement {
    if let query = lookups[collection] { return query }
    let table = Names.quoted(schema.collections[collection].name)
    let query = try sql("SELECT 1 FROM \(table) WHERE id = ?")
    lookups[collection] = query
    return query
  }

  /// Returns the vertices with an id in all collections, in the order of the collections.
  func everywhere(_ id: String) throws(ProjectionError) -> [GraphNode] {
    if list == nil, lookupCount > (try bound()) {
      list = try VertexList(schema, sql)
    }
    var found: [GraphNode] = []
    for collection in list?.collections(of: id) ?? Array(schema.collections.indices) {
      lookupCount += 1
      let node = GraphNode(collection: collection, id: id)
      if try isThere(node) { found.append(node) }
    }
    return found
  }

  /// Returns the number of vertices in a collection. Cost: reads an index.
  func count(in collection: Int) throws(ProjectionError) -> Int {
    let query = try sql("SELECT count(*) FROM \(Names.quoted(schema.collections[collection].name))")
    defer { query.reset() }
    return try query.step() ? query.int(0) : 0
  }

  /// Calls `body` with the vertices of a collection, sorted by id, until it returns false.
  func forEach(in collection: Int, _ body: (GraphNode) -> Bool) throws(ProjectionError) {
    let table = Names.quoted(schema.collections[collection].name)
    let query = try sql("SELECT id FROM \(table) ORDER BY id")
    defer { query.reset() }
    while try query.step() {
      guard body(GraphNode(collection: collection, id: query.text(0))) else { return }
    }
  }

  private func bound() throws(ProjectionError) -> Int {
    if let entityBound { return entityBound }
    let query = try sql("SELECT max(number) FROM _daybook_entities")
    defer { query.reset() }
    let bound = try query.step() ? query.int(0) : 0
    entityBound = bound
    return bound
  }
}

/// The collections in which an id may exist: eight bytes for each entity of a snapshot.
private struct VertexList {
  /// Ascending; each entry has an id's hash in the upper bits, and a collection's number in the
  /// lower 24.
  private let entries: [UInt64]
  private static let collectionBits: UInt64 = 24

  /// Makes the list. Cost: reads the ids of all entities.
  init(_ schema: GraphSchema, _ sql: StatementCache) throws(ProjectionError) {
    var entries: [UInt64] = []
    for (number, collection) in schema.collections.enumerated() {
      let query = try sql("SELECT id FROM \(Names.quoted(collection.name))")
      defer { query.reset() }
      while try query.step() {
        entries.append(query.withBytes(0, Self.hash) | UInt64(number))
      }
    }
    entries.sort()
    self.entries = entries
  }

  /// Returns the numbers of the collections that may hold the id. It may return too
  /// many, never too few.
  func collections(of id: String) -> [Int] {
    var id = id
    let hash = id.withUTF8 { Self.hash(UnsafeRawBufferPointer($0)) }
    var index = entries.partitioningIndex { $0 >= hash }
    var collections: [Int] = []
    let mask = (1 << Self.collectionBits) - 1 as UInt64
    while index < entries.count, entries[index] & ~mask == hash {
      let number = Int(entries[index] & mask)
      // Two ids of one collection may have the same hash.
      if collections.last != number { collections.append(number) }
      index += 1
    }
    return collections
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return UInt64(bitPattern: Int64(hasher.finalize())) << collectionBits
  }
}
