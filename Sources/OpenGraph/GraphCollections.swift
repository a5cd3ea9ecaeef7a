import DaybookEventCore

/// The collections that hold an open graph.
package struct GraphCollections: Hashable, Sendable {
  package let prefix: String

  /// Those of the main graph.
  package static let main = GraphCollections(prefix: "graph")

  private init(prefix: String) { self.prefix = prefix }

  /// The collections of a named graph.
  /// - Parameter generation: how often a graph of that name was dropped before. What was dropped
  ///   must not come back with its name.
  package init(_ graph: GraphName, generation: Int64) {
    if graph == .main {
      self = .main
      return
    }
    let id = DerivedID.id(
      collection: GraphCatalog.collection,
      key: [.text(graph.schema), .text(graph.name), .integer(generation)])
    prefix = "g" + id.replacing("-", with: "").prefix(12)
  }

  /// The collection of the open nodes.
  package var nodes: String { "\(prefix)_nodes" }

  /// Returns the collection of the relationships of a type from a collection to one. Its name may
  /// be longer than ``GraphSpelling/bytesMax``.
  ///
  /// Both ends of most are open nodes. If an end is in a typed collection, the name also has `_2`
  /// and a digest of both: the fields `source` and `target` refer to one collection each.
  package func collection(ofType type: String, from source: String, to target: String) -> String {
    let name = "\(prefix)_r_\(GraphSpelling.encoded(type))"
    if source == nodes, target == nodes { return name }
    let ends = DerivedID.id(collection: name, key: [.text(source), .text(target)])
    return name + "_2" + ends.replacing("-", with: "").prefix(Self.endsLength)
  }

  /// The digits of the digest of both ends.
  private static let endsLength = 12

  /// Returns the type of the relationships in a collection of this graph.
  package func type(of collection: String) -> String? {
    guard collection.hasPrefix("\(prefix)_r_") else { return nil }
    let name = collection.dropFirst(prefix.utf8.count + 3)
    // An encoded name has no `_2` outside of `__2`, so it is not taken for the mark of ends.
    if let type = GraphSpelling.decoded(name) { return type }
    let start = name.dropLast(Self.endsLength)
    return start.hasSuffix("_2") ? GraphSpelling.decoded(start.dropLast(2)) : nil
  }

  /// Whether a collection holds some open graph, or the list of graphs.
  package static func owns(_ collection: String) -> Bool {
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
