import DaybookEventCore

/// A graph of a store by its schema and name; both are empty for the one that is always there.
struct GraphName: Hashable, Sendable {
  var schema = ""
  var name = ""

  static let main = GraphName()

  /// As a query names it.
  var shown: String {
    self == .main
      ? "the main graph" : "/" + [schema, name].filter { !$0.isEmpty }.joined(separator: "/")
  }
}

/// The collections that hold an open graph.
struct GraphCollections: Hashable, Sendable {
  let prefix: String

  static let main = GraphCollections(prefix: "graph")

  private init(prefix: String) { self.prefix = prefix }

  /// The collections of a named graph.
  /// - Parameter generation: how often a graph of that name was dropped before. What was dropped
  ///   must not come back with its name.
  init(_ graph: GraphName, generation: Int64) {
    if graph == .main {
      self = .main
      return
    }
    let id = DerivedID.id(
      collection: GraphCatalog.collection,
      key: [.text(graph.schema), .text(graph.name), .integer(generation)])
    prefix = "g" + id.replacing("-", with: "").prefix(12)
  }

  var nodes: String { "\(prefix)_nodes" }

  func relationships(_ type: String) throws(GQLError) -> String {
    let name = "\(prefix)_r_\(GraphSpelling.encoded(type))"
    guard name.utf8.count <= 63 else { throw GraphSpelling.tooLong(type, "type") }
    return name
  }

  /// Returns the type of the relationships in a collection of this graph.
  func type(of collection: String) -> String? {
    collection.hasPrefix("\(prefix)_r_")
      ? GraphSpelling.decoded(collection.dropFirst(prefix.utf8.count + 3)) : nil
  }

  /// Whether a collection holds some open graph, or the list of graphs.
  static func owns(_ collection: String) -> Bool {
    if collection == GraphCatalog.collection { return true }
    guard let end = collection.firstIndex(of: "_") else { return false }
    let prefix = collection[..<end]
    let rest = collection[end...]
    guard rest == "_nodes" || rest.hasPrefix("_r_") else { return false }
    if prefix == main.prefix { return true }
    return prefix.utf8.count == 13 && prefix.hasPrefix("g")
      && prefix.dropFirst().allSatisfy { $0.isHexDigit }
  }
}
