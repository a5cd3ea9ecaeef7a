/// What `<` says, and the order of `ORDER BY`.
extension GQLValue {
  /// How two values stand to each other.
  enum Order {
    case ascending, same, descending
    /// One of them is not a number, so that every comparison is false.
    case none

    static func of<T: Comparable>(_ a: T, _ b: T) -> Order {
      a < b ? .ascending : b < a ? .descending : .same
    }

    var reversed: Order {
      switch self {
      case .ascending: .descending
      case .descending: .ascending
      default: self
      }
    }
  }

  /// Compares an integer with a number exactly, beyond 2⁵³, too.
  static func order(_ a: Int64, _ b: Double) -> Order {
    if b.isNaN { return .none }
    if b >= 0x1p63 { return .ascending }
    if b < -0x1p63 { return .descending }
    let whole = b.rounded(.down)
    guard let floor = Int64(exactly: whole) else { return .none }
    if a != floor { return a < floor ? .ascending : .descending }
    return b > whole ? .ascending : .same
  }

  private static func order(_ a: Double, _ b: Double) -> Order {
    a.isNaN || b.isNaN ? .none : .of(a, b)
  }

  /// Compares texts by their scalars, which is the order of their bytes.
  static func order(_ a: String, _ b: String) -> Order {
    if a.utf8.elementsEqual(b.utf8) { return .same }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? .ascending : .descending
  }

  /// Compares two values as `<` does; nil if that is unknown, since one is null or they are of
  /// different types.
  static func compare(_ a: GQLValue, _ b: GQLValue) -> Order? {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): .of(a, b)
    case (.float(let a), .float(let b)): order(a, b)
    case (.integer(let a), .float(let b)): order(a, b)
    case (.float(let a), .integer(let b)): order(b, a).reversed
    case (.string(let a), .string(let b)): order(a, b)
    case (.boolean(let a), .boolean(let b)): .of(a ? 1 : 0, b ? 1 : 0)
    case (.list(let a), .list(let b)): compare(a, b)
    case (.date(let a), .date(let b)): .of(a, b)
    case (.localTime(let a), .localTime(let b)): .of(a, b)
    case (.time(let a), .time(let b)): .of(a.instant, b.instant)
    case (.localDateTime(let a), .localDateTime(let b)): .of(a, b)
    case (.dateTime(let a), .dateTime(let b)): a.order(b)
    default: nil
    }
  }

  private static func compare(_ a: [GQLValue], _ b: [GQLValue]) -> Order? {
    for (a, b) in zip(a, b) {
      guard let order = compare(a, b) else { return nil }
      if order != .same { return order }
    }
    return .of(a.count, b.count)
  }

  // MARK: - ORDER BY

  /// The place of the value's type in the order of all values.
  private var rank: Int {
    switch self {
    case .map: 0
    case .node: 1
    case .relationship: 2
    case .list: 3
    case .path: 4
    case .dateTime: 5
    case .localDateTime: 6
    case .date: 7
    case .time: 8
    case .localTime: 9
    case .duration: 10
    case .string: 11
    case .boolean: 12
    case .integer, .float: 13
    case .null: 14
    }
  }

  /// Compares any two values in the order in which `ORDER BY` brings them.
  static func total(_ a: GQLValue, _ b: GQLValue) -> Order {
    guard a.rank == b.rank else { return .of(a.rank, b.rank) }
    switch (a, b) {
    case (.list(let a), .list(let b)): return total(a, b)
    case (.map(let a), .map(let b)):
      let (a, b) = (a.sorted, b.sorted)
      let keys = total(a.map { .string($0.key) }, b.map { .string($0.key) })
      return keys == .same ? total(a.map(\.value), b.map(\.value)) : keys
    case (.node(let a), .node(let b)): return byID(a.id, b.id)
    case (.relationship(let a), .relationship(let b)): return byID(a.id, b.id)
    case (.path(let a), .path(let b)): return total(a, b)
    case (.duration(let a), .duration(let b)): return .of(a.average, b.average)
    case (.time(let a), .time(let b)):
      return a.instant == b.instant ? .of(a.offset, b.offset) : .of(a.instant, b.instant)
    default: break
    }
    let order = compare(a, b) ?? .same
    guard order == .none else { return order }
    // Not-a-number stands behind all numbers.
    func isNaN(_ value: GQLValue) -> Bool {
      if case .float(let number) = value { number.isNaN } else { false }
    }
    return .of(isNaN(a) ? 1 : 0, isNaN(b) ? 1 : 0)
  }

  private static func total(_ a: [GQLValue], _ b: [GQLValue]) -> Order {
    for (a, b) in zip(a, b) {
      let order = total(a, b)
      if order != .same { return order }
    }
    return .of(a.count, b.count)
  }

  private static func total(_ a: GQLPath, _ b: GQLPath) -> Order {
    for (a, b) in zip(a.nodes, b.nodes) where a.id != b.id { return byID(a.id, b.id) }
    for (a, b) in zip(a.relationships, b.relationships) where a.id != b.id {
      return byID(a.id, b.id)
    }
    return .of(a.nodes.count, b.nodes.count)
  }

  private static func byID(_ a: GQLElementID, _ b: GQLElementID) -> Order {
    a == b ? .same : a.precedes(b) ? .ascending : .descending
  }
}
