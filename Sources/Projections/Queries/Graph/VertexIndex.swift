import EventCore

/// Says which entities are there, in one snapshot.
///
/// An end that refers to one collection costs one look-up there. One that does not say what it refers to
/// is looked up in every collection, until that has been done as often as there are entities: from then on
/// in a list of all of them, which is made once for the snapshot. So, however many collections there are,
/// a search of the whole graph costs no more than reading all ids twice.
final class VertexIndex {
  private let schema: GraphSchema
  private let sql: StatementCache
  /// By the number of the collection.
  private var lookups: [Statement?]
  /// How many look-ups in all collections have been made in this snapshot.
  private var lookupCount = 0
  /// At least the number of entities; nil until it is asked for.
  private var entityBound: Int?
  private var list: VertexList?

  init(_ schema: GraphSchema, _ sql: StatementCache) {
    self.schema = schema
    self.sql = sql
    lookups = Array(repeating: nil, count: schema.collections.count)
  }

  /// Forgets what holds for one snapshot only.
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

  /// The vertices of that id in all collections, in the order of these.
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

  /// How many vertices a collection has. Cost: reads an index.
  func count(in collection: Int) throws(ProjectionError) -> Int {
    let query = try sql("SELECT count(*) FROM \(Names.quoted(schema.collections[collection].name))")
    defer { query.reset() }
    return try query.step() ? query.int(0) : 0
  }

  /// The vertices of a collection by their ids, until `body` returns false.
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

/// In which collections an id may be: eight bytes for each entity of a snapshot.
private struct VertexList {
  /// In each the upper bits of an id's hash, and the number of a collection in the lower ones; ascending.
  private let entries: [UInt64]
  private static let collectionBits: UInt64 = 24

  /// Cost: reads the ids of all entities.
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

  /// The numbers of the collections that may hold the id: some may not, none is missing.
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

extension [UInt64] {
  /// The first index at which the condition holds, in an array in which it holds from there on.
  fileprivate func partitioningIndex(where holds: (UInt64) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
