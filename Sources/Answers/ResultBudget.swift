package import DaybookJSON

/// The size of a result: at most so many items and bytes, so that no answer fills a model's
/// context or the memory of a page.
package struct ResultBudget {
  /// The bytes of all items of a result.
  package static let bytesMax = 256 << 10
  /// The most items of a result, whatever the caller asks for.
  package static let itemsMax = 1000
  package static let itemsUsual = 100

  private let countMax: Int
  private let bytesMax: Int
  package private(set) var items: [JSONValue] = []
  private var bytes = 0
  /// Whether an item had no room.
  package private(set) var isTruncated = false

  /// - Parameters:
  ///   - limit: the most items that the caller asks for; nil for the usual number.
  ///   - bytesMax: the bytes of all items.
  package init(limit: Int?, bytesMax: Int = Self.bytesMax) {
    countMax = min(limit ?? Self.itemsUsual, Self.itemsMax)
    self.bytesMax = bytesMax
  }

  /// Takes an item.
  /// - Returns: false if it has no room; the result is truncated then. The first item always has.
  package mutating func add(_ item: JSONValue) -> Bool {
    var writer = JSONWriter()
    writer.value(item)
    guard items.isEmpty || items.count < countMax && bytes + writer.bytes.count <= bytesMax
    else {
      isTruncated = true
      return false
    }
    bytes += writer.bytes.count
    items.append(item)
    return true
  }

  /// Returns the members of a result: the items, whether there are more, and the cursor for these.
  /// - Parameters:
  ///   - name: the name of the items.
  ///   - offset: the number of items before these.
  ///   - call: what tells the call from others.
  package func members(_ name: String, after offset: Int, of call: String)
    -> [(key: String, value: JSONValue)]
  {
    let next = PageCursor(offset + items.count, of: call)
    return [
      (name, .array(items)), ("truncated", .boolean(isTruncated)),
      ("cursor", isTruncated ? .text(next.text) : .null),
    ]
  }
}
