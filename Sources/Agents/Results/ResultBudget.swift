import DaybookJSON

/// The size of a result: at most so many items and bytes, so that no answer fills a model's
/// context.
struct ResultBudget {
  /// The bytes of all items of a result.
  static let bytesMax = 256 << 10
  /// The most items of a result, whatever the caller asks for.
  static let itemsMax = 1000
  static let itemsUsual = 100

  private let countMax: Int
  private(set) var items: [JSONValue] = []
  private var bytes = 0
  /// Whether an item had no room.
  private(set) var isTruncated = false

  /// - Parameter limit: the most items that the caller asks for; nil for the usual number.
  init(limit: Int?) { countMax = min(limit ?? Self.itemsUsual, Self.itemsMax) }

  /// Takes an item.
  /// - Returns: false if it has no room; the result is truncated then. The first item always has.
  mutating func add(_ item: JSONValue) -> Bool {
    var writer = JSONWriter()
    writer.value(item)
    guard items.isEmpty || items.count < countMax && bytes + writer.bytes.count <= Self.bytesMax
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
  func members(_ name: String, after offset: Int, of call: String)
    -> [(key: String, value: JSONValue)]
  {
    let next = PageCursor(offset + items.count, of: call)
    return [
      (name, .array(items)), ("truncated", .boolean(isTruncated)),
      ("cursor", isTruncated ? .text(next.text) : .null),
    ]
  }
}
