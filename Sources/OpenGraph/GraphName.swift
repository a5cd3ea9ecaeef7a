/// A graph of a store by its schema and name; both are empty for the one that is always there.
package struct GraphName: Hashable, Sendable {
  package var schema: String
  package var name: String

  package init(schema: String = "", name: String = "") {
    self.schema = schema
    self.name = name
  }

  package static let main = GraphName()

  /// Reads a graph's path: `/schema/graph`, `/graph` or `graph`, and `/` for the main graph.
  /// - Returns: nil if the text is none, such as one with three names.
  package init?(path: String) {
    if path == "/" {
      self = .main
      return
    }
    // By bytes: a mark behind a slash does not belong to it.
    let bytes = path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]
    let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard (1...2).contains(names.count), names.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(schema: names.count == 2 ? names[0] : "", name: names[names.count - 1])
  }

  /// As a query names it.
  package var shown: String {
    self == .main
      ? "the main graph" : "/" + [schema, name].filter { !$0.isEmpty }.joined(separator: "/")
  }
}
