import DaybookProjections

/// What a plan reads of a graph. A store is one, and so is a list of nodes in a test.
///
/// Every call sees what the statement has written so far.
protocol GraphAccess: AnyObject {
  /// Returns a node; nil if there is none.
  func node(_ id: GQLElementID) throws -> GQLNode?

  /// Returns a relationship whose ends are there; nil if there is none.
  func relationship(_ id: GQLElementID) throws -> GQLRelationship?

  /// Hands over nodes, until `body` returns false. All that match are among them; others may be,
  /// too.
  /// - Returns: false if `body` has returned false.
  func forEachNode(_ wanted: NodeSearch, _ body: (GQLNode) throws -> Bool) throws -> Bool

  /// Hands over the relationships of a node whose ends are both there, each once, until `body`
  /// returns false.
  /// - Returns: false if `body` has returned false.
  func forEachRelationship(
    of node: GQLElementID, _ wanted: RelationshipSearch,
    _ body: (GQLRelationship, GQLNode) throws -> Bool
  ) throws -> Bool

  /// Returns how the graph follows some steps, no relationship twice in one path.
  /// - Parameter collection: that of the node where they begin.
  func way(along steps: [ChainStep], from collection: String) throws -> PathWay

  /// Hands over all relationships whose ends are there.
  func forEachRelationship(types: [String]?, _ body: (GQLRelationship) throws -> Bool) throws
    -> Bool

  /// The names of all labels, types or properties that are in use, sorted.
  func names(_ kind: NameKind) throws -> [String]

  /// Returns whether something of the graph has had a name, without looking whether it has it now.
  func knows(_ kind: NameKind, _ name: String) -> Bool

  /// The names that something of the graph has had.
  func knownNames(_ kind: NameKind) -> [String]

  /// The read model, for histories and searches; nil if there is none, or while a statement writes.
  var readModel: ReadModelView? { get }

  /// Returns the collections of relationships of these types; of all types if nil.
  func relationshipCollections(types: [String]?) throws -> [String]

  /// Returns whether the nodes or relationships of a collection are a part of the graph.
  func isPart(_ collection: String) -> Bool

  /// Returns what a field of a collection stands for; nil if it is no part of the graph.
  func meaning(ofField field: String, in collection: String) -> GraphLayout.Column.Meaning?

  /// Returns how nodes are looked up that have a label and values of properties: a line of a plan.
  func explain(label: String?, properties: [String]) -> String

  /// Returns the statements of SQL that look such nodes up.
  func statements(label: String?, properties: [String], _ needs: ElementNeeds) -> [String]

  /// Returns the statements of SQL that follow relationships: one for each table and direction.
  /// - Parameter isEndKnown: whether the node at the other end is given.
  func statements(_ wanted: RelationshipSearch, isEndKnown: Bool) -> [String]

  /// Returns the statements of SQL that follow some steps at once: one for each collection of nodes
  /// where they may begin.
  func statements(along steps: [ChainStep]) throws -> [String]
}

extension GraphAccess {
  func way(along steps: [ChainStep], from collection: String) -> PathWay { .stepByStep }
  func statements(label: String?, properties: [String], _ needs: ElementNeeds) -> [String] { [] }
  func statements(_ wanted: RelationshipSearch, isEndKnown: Bool) -> [String] { [] }
  func statements(along steps: [ChainStep]) throws -> [String] { [] }
  var readModel: ReadModelView? { nil }
  func knows(_ kind: NameKind, _ name: String) -> Bool { true }
  func knownNames(_ kind: NameKind) -> [String] { [] }
  func relationshipCollections(types: [String]?) -> [String] { [] }
  func isPart(_ collection: String) -> Bool { false }
  func meaning(ofField field: String, in collection: String) -> GraphLayout.Column.Meaning? { nil }
}

/// What names a graph has.
enum NameKind: Sendable {
  case labels, types, properties
}

/// Which nodes a plan looks for.
struct NodeSearch {
  /// A label that they have; nil for any.
  var label: String?
  /// Properties that they have. No value is null or a list with one.
  var equal: [(property: String, value: GQLValue)] = []
  /// What is read of them.
  var needs = ElementNeeds.whole
}

/// Which relationships of a node a plan looks for.
struct RelationshipSearch {
  /// Seen from the node.
  var direction = GQLRelationshipPattern.Direction.either
  /// The types to follow; nil for all.
  var types: [String]?
  /// The only node to which they lead; nil for any.
  var end: GQLElementID?
  /// What is read of the relationships.
  var needs = ElementNeeds.whole
  /// What is read of the nodes to which they lead.
  var endNeeds = ElementNeeds.whole
}

/// What a plan writes to a graph.
protocol GraphWriting: GraphAccess {
  /// Whether nodes with some labels are in no typed collection.
  func isOpen(labels: [String]) -> Bool

  /// Whether relationships of a type are in no typed collection.
  func isOpen(type: String) -> Bool

  /// Makes a node.
  /// - Parameter key: what the node is made from, if it is made by a MERGE: the same key makes
  ///   the same node on every replica.
  func createNode(labels: [String], properties: GQLMap, key: [UInt8]?) throws -> GQLNode

  /// Makes a relationship.
  func createRelationship(
    type: String, from source: GQLNode, to target: GQLNode, properties: GQLMap, key: [UInt8]?
  ) throws -> GQLRelationship

  /// Changes properties and labels of a node.
  /// - Parameters:
  ///   - node: the node as it is now.
  ///   - properties: the new values; null removes one.
  /// - Returns: the node as it is afterwards.
  func update(
    _ node: GQLNode, properties: GQLMap, adding: [String], removing: [String]
  ) throws -> GQLNode

  /// Changes properties of a relationship.
  func update(_ relationship: GQLRelationship, properties: GQLMap) throws -> GQLRelationship

  /// Deletes a node, whose relationships are deleted by then.
  func delete(_ node: GQLNode) throws

  /// Deletes a relationship.
  func delete(_ relationship: GQLRelationship) throws
}
