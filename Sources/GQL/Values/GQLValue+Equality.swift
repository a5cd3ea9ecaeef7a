/// What `=` says, and which values are one in `DISTINCT` and groups.
extension GQLValue {
  /// Returns whether two values are equal; nil if that is unknown, since one of them, or a part of
  /// one, is null.
  static func equals(_ a: GQLValue, _ b: GQLValue) -> Bool? {
    switch (a, b) {
    case (.null, _), (_, .null): nil
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    case (.integer(let a), .float(let b)), (.float(let b), .integer(let a)):
      order(a, b) == .same
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.list(let a), .list(let b)): equals(a, b)
    case (.map(let a), .map(let b)): equals(a, b)
    case (.node(let a), .node(let b)): a.id == b.id
    case (.relationship(let a), .relationship(let b)): a.id == b.id
    case (.path(let a), .path(let b)):
      a.nodes.map(\.id) == b.nodes.map(\.id)
        && a.relationships.map(\.id) == b.relationships.map(\.id)
    case (.date(let a), .date(let b)): a == b
    case (.localTime(let a), .localTime(let b)): a == b
    case (.time(let a), .time(let b)): a.instant == b.instant
    case (.localDateTime(let a), .localDateTime(let b)): a == b
    case (.dateTime(let a), .dateTime(let b)): a.isSameMoment(as: b)
    case (.duration(let a), .duration(let b)): a == b
    default: false
    }
  }

  private static func equals(_ a: [GQLValue], _ b: [GQLValue]) -> Bool? {
    guard a.count == b.count else { return false }
    var isUnknown = false
    for (a, b) in zip(a, b) {
      switch equals(a, b) {
      case false?: return false
      case nil: isUnknown = true
      case true?: break
      }
    }
    return isUnknown ? nil : true
  }

  private static func equals(_ a: GQLMap, _ b: GQLMap) -> Bool? {
    guard a.entries.count == b.entries.count else { return false }
    let (a, b) = (a.sorted, b.sorted)
    guard zip(a, b).allSatisfy({ $0.key.utf8.elementsEqual($1.key.utf8) }) else { return false }
    return equals(a.map(\.value), b.map(\.value))
  }

  // MARK: - Groups

  /// Appends bytes that two values have in common exactly if they are one in a group: null is like
  /// null, and not-a-number like itself.
  /// - Parameter isWhole: whether the labels and properties of an element count, too, and not only
  ///   which one it is.
  func appendKey(to key: inout [UInt8], isWhole: Bool = false) {
    func append(_ tag: UInt8, _ number: some FixedWidthInteger) {
      key.append(tag)
      withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
    }
    func append(_ tag: UInt8, _ text: String) {
      append(tag, Int64(text.utf8.count))
      key.append(contentsOf: text.utf8)
    }
    func append(_ tag: UInt8, _ id: GQLElementID) {
      append(tag, Int64(id.collection.utf8.count + 1 + id.id.utf8.count))
      key.append(contentsOf: id.collection.utf8)
      key.append(UInt8(ascii: "/"))
      key.append(contentsOf: id.id.utf8)
    }
    switch self {
    case .null: key.append(0)
    case .boolean(let value): key.append(value ? 2 : 1)
    case .integer(let value): append(3, value)
    case .float(let value):
      if let integer = Int64(exactly: value) {
        append(3, integer)
      } else {
        append(4, value.isNaN ? Double.nan.bitPattern : value.bitPattern)
      }
    case .string(let text): append(5, text)
    case .list(let elements):
      append(6, Int64(elements.count))
      for element in elements { element.appendKey(to: &key, isWhole: isWhole) }
    case .map(let map):
      append(7, Int64(map.entries.count))
      for (name, value) in map.sorted {
        append(5, name)
        value.appendKey(to: &key, isWhole: isWhole)
      }
    case .node(let node):
      append(8, node.id)
      guard isWhole else { return }
      for label in node.labels.sorted() { append(5, label) }
      GQLValue.map(node.properties).appendKey(to: &key, isWhole: true)
    case .relationship(let one):
      append(9, one.id)
      if isWhole { GQLValue.map(one.properties).appendKey(to: &key, isWhole: true) }
    case .path(let path):
      append(10, Int64(path.nodes.count))
      for node in path.nodes { GQLValue.node(node).appendKey(to: &key, isWhole: isWhole) }
      for one in path.relationships {
        GQLValue.relationship(one).appendKey(to: &key, isWhole: isWhole)
      }
    case .date(let date): append(11, date.days)
    case .localTime(let time): append(12, time.nanoseconds)
    case .time(let time):
      append(13, time.local.nanoseconds)
      append(13, Int64(time.offset))
    case .localDateTime(let moment):
      append(14, moment.date.days)
      append(14, moment.time.nanoseconds)
    case .dateTime(let moment):
      append(15, moment.seconds)
      append(15, moment.nanosecond)
    case .duration(let amount):
      for part in [amount.months, amount.days, amount.seconds, amount.nanoseconds] {
        append(16, part)
      }
    }
  }

  /// The bytes that values of one group have in common.
  var key: [UInt8] {
    var key: [UInt8] = []
    appendKey(to: &key)
    return key
  }
}
