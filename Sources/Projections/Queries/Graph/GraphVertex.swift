import DaybookEventCore
import Foundation

/// A vertex of the graph: a live entity, named by its collection and its id.
///
/// If two collections hold the same id, these are two vertices. Ids are compared by their bytes:
/// texts that Unicode holds to be equivalent are different ids.
public struct GraphVertex: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The collection of the entity.
  public var collection: String
  /// The id of the entity.
  public var id: String

  /// Makes a vertex from a collection and an id. It need not exist.
  public init(_ collection: String, _ id: String) {
    self.collection = collection
    self.id = id
  }

  public static func == (a: GraphVertex, b: GraphVertex) -> Bool {
    a.id.hasSameBytes(as: b.id) && a.collection.hasSameBytes(as: b.collection)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: collection)
    hasher.combine(bytesOf: id)
  }

  /// Compares by collection, then by id, both by their bytes.
  public static func < (a: GraphVertex, b: GraphVertex) -> Bool {
    a.collection.hasSameBytes(as: b.collection)
      ? utf8Less(a.id, b.id) : utf8Less(a.collection, b.collection)
  }

  /// The vertex as `COLLECTION/ID`.
  public var description: String { "\(collection)/\(id)" }
}

/// A vertex as searches hold it: the number of its collection in the graph, and its id.
struct GraphNode: Hashable {
  let collection: Int
  let id: String

  static func == (a: GraphNode, b: GraphNode) -> Bool {
    a.collection == b.collection && a.id.hasSameBytes(as: b.id)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(collection)
    hasher.combine(bytesOf: id)
  }
}

extension String {
  func hasSameBytes(as other: String) -> Bool {
    var (a, b) = (self, other)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count, let first = a.baseAddress, let other = b.baseAddress else {
          return a.count == b.count
        }
        return memcmp(first, other, a.count) == 0
      }
    }
  }
}

extension Hasher {
  fileprivate mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { bytes in
      combine(bytes.count)
      combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}
