/// The graph that a schema describes: which collections hold its vertices, and which of them the ends of
/// each relationship refer to.
struct GraphSchema {
  /// What one end of a relationship refers to.
  enum End: Hashable {
    /// The entities of one collection, by its number.
    case one(Int)
    /// Those of every collection: the relationship does not say.
    case every
    /// Those of a collection that is not shown, or whose entities are no vertices.
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
    /// The name of the boolean column that says which are directed, where there is one.
    let directedColumn: String?

    /// Whether any of them may be followed both ways.
    var mayBeUndirected: Bool { schema.directedness != .directed }
  }

  /// The collections whose entities are vertices, in the order of their names. A collection's number is its
  /// index.
  let collections: [CollectionSchema]
  let numbers: [String: Int]
  /// In the order of their names.
  let relationships: [Relationship]

  init(_ schema: Schema) {
    let sorted = schema.sorted
    let collections = sorted.filter { !$0.isRelationship }
    let numbers = Dictionary(
      uniqueKeysWithValues: collections.enumerated().map { ($0.element.name, $0.offset) })
    self.collections = collections
    self.numbers = numbers
    relationships = sorted.filter(\.isRelationship).map { relationship in
      func end(_ name: String) -> End {
        guard let reference = relationship[field: name]?.references else {
          // Where there is nothing to choose from, nothing has to be looked for.
          return collections.count == 1 ? .one(0) : .every
        }
        // What a shared relationship refers to is shared: a local collection of that name hides it.
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
