/// The graph that a schema describes: the collections that hold its vertices, and those to which
/// the ends of each relationship refer.
struct GraphSchema {
  /// The entities to which one end of a relationship refers.
  enum End: Hashable {
    /// The entities of one collection, by its number.
    case one(Int)
    /// The entities of every collection: the relationship does not say.
    case every
    /// No vertices: the collection is not shown, or its entities are relationships.
    case nothing

    func refers(to collection: Int) -> Bool {
      switch self {
      case .one(let number): number == collection
      case .every: true
      case .nothing: false
      }
    }
  }

  struct Relationship {
    let schema: CollectionSchema
    let source: End
    let target: End
    /// The name of the boolean column that says which relationships are directed; nil
    /// if there is none.
    let directedColumn: String?

    /// Whether any relationship of the collection may be followed both ways.
    var mayBeUndirected: Bool { schema.directedness != .directed }
  }

  /// The collections whose entities are vertices, sorted by name. A collection's
  /// number is its index.
  let collections: [CollectionSchema]
  let numbers: [String: Int]
  /// The relationship collections, sorted by name.
  let relationships: [Relationship]

  init(_ schema: StoreSchema) {
    let sorted = schema.sorted
    let collections = sorted.filter { !$0.isRelationship }
    let numbers = Dictionary(
      uniqueKeysWithValues: collections.enumerated().map { ($0.element.name, $0.offset) })
    self.collections = collections
    self.numbers = numbers
    relationships = sorted.filter(\.isRelationship).map { relationship in
      func end(_ name: String) -> End {
        guard let reference = relationship[field: name]?.references else {
          // With only one collection, there is nothing to look for.
          return collections.count == 1 ? .one(0) : .every
        }
        // A shared relationship refers to shared entities. A local collection of
        // that name hides them.
        guard let number = numbers[reference],
          relationship.isLocal || !collections[number].isLocal
        else { return .nothing }
        return .one(number)
      }
      var column: String?
      if case .field(let identity) = relationship.directedness {
        column = relationship.fields.first { $0.identity == identity }?.name
      }
      return Relationship(
        schema: relationship, source: end("source"), target: end("target"), directedColumn: column)
    }
  }

  func vertex(_ node: GraphNode) -> GraphVertex {
    GraphVertex(collections[node.collection].name, node.id)
  }
}
