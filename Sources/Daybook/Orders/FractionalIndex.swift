public import DaybookEngine
public import DaybookEventCore
public import DaybookProjections

/// The place of an entity in an order that people make, such as that of a list with drag and drop.
///
/// ```swift
/// @Entity("tasks") struct Task {
///   var id = ID()
///   var title = ""
///   @Index var position = FractionalIndex.first
/// }
/// let tasks = try await store.fetch(Task.all.order(by: \.position))
/// ```
/// Between any two there is always another, so that a move writes the entity that moves, and no
/// other. An index is a text, and its bytes are its order, also in SQL.
///
/// The same call with the same neighbours makes the same index on every device. So two devices that
/// insert in one place make equal ones; queries have entities of equal indexes in the order of
/// their ids, which is the same everywhere. ``moving(_:to:in:)`` finds what to write, also between
/// equal ones.
///
/// Any text can be an index. One that was not made here, such as an empty one, sorts by its bytes
/// as well, and gets another when a row is moved beside it; see ``isRegular``.
public struct FractionalIndex: Hashable, Sendable {
  /// The text that the store has.
  public let text: String

  /// Makes an index of a text that the store or another program has.
  public init(_ text: String) { self.text = text }

  /// The index to begin with.
  public static let first = FractionalIndex(Whole.zero)

  /// Whether the text is one that this type makes: 1 or more characters of `-`, `0` to `9`, `A` to
  /// `Z`, `_` and `a` to `z`, of which the last one is not `-`.
  public var isRegular: Bool {
    guard let last = text.utf8.last else { return false }
    return last != Base64.digits[0] && text.utf8.allSatisfy { Base64.value(of: $0) != nil }
  }

  // MARK: - New indexes

  /// Returns an index after another one, to append with.
  ///
  /// 64 appended indexes have up to 2 characters, 4,000 have 3, and 260,000 have 4.
  /// - Parameter low: the greatest index so far; nil if there is none. Of one that is not
  ///   ``isRegular``, its regular beginning counts.
  /// - Returns: ``first`` if that is greater than `low`.
  public static func after(_ low: FractionalIndex?) -> FractionalIndex {
    guard let low = low?.fraction, !low.lexicographicallyPrecedes(Whole.zero) else { return .first }
    return FractionalIndex(Whole(of: low).next ?? Fraction.simplest(above: low))
  }

  /// Returns an index before another one, to insert at the beginning with.
  /// - Parameter high: the least index so far; nil if there is none. Of one that is not
  ///   ``isRegular``, its regular beginning counts.
  /// - Returns: ``first`` if that is less than `high`.
  public static func before(_ high: FractionalIndex?) -> FractionalIndex {
    guard let high = high?.fraction, !high.isEmpty, !Whole.zero.lexicographicallyPrecedes(high)
    else { return .first }
    return FractionalIndex(Whole(of: high).previous(of: high) ?? Fraction.simplest(below: high))
  }

  /// Returns the shortest index between two others.
  ///
  /// Each call in one and the same place needs one bit more than the longer neighbour, so that a
  /// text grows by one character in six calls.
  /// - Parameters:
  ///   - low: the index before; nil at the beginning.
  ///   - high: the index after; nil at the end.
  /// - Throws: ``StoreError`` `noPlace` if the first one is not less than the second one, as when
  ///   two devices have inserted in one place, or one of them is not ``isRegular``.
  ///   ``moving(_:to:in:)`` also works then.
  public static func between(
    _ low: FractionalIndex?, _ high: FractionalIndex?
  ) throws(StoreError) -> FractionalIndex {
    try check(low, high)
    return simplest(low, high)
  }

  /// Returns as many indexes between two others as are asked for, in ascending order.
  ///
  /// They are short: a thousand need ten bits more than one, and without a limit at one side they
  /// follow each other as those of ``after(_:)`` or ``before(_:)`` do.
  /// - Parameters:
  ///   - low: the index before; nil at the beginning.
  ///   - high: the index after; nil at the end.
  ///   - count: the number of indexes; 0 or less for none.
  /// - Throws: ``StoreError`` `noPlace`, as ``between(_:_:)`` does.
  public static func between(
    _ low: FractionalIndex?, _ high: FractionalIndex?, count: Int
  ) throws(StoreError) -> [FractionalIndex] {
    try check(low, high)
    return spread(count, low, high)
  }

  private static func check(
    _ low: FractionalIndex?, _ high: FractionalIndex?
  ) throws(StoreError) {
    let hint = "Let FractionalIndex.moving find which rows get new indexes"
    for index in [low, high].compactMap({ $0 }) where !index.isRegular {
      throw StoreError(
        .noPlace, "there is no place beside “\(index)”, which is no regular index", hint: hint)
    }
    if let low, let high, low >= high {
      throw StoreError(.noPlace, "there is no place between “\(low)” and “\(high)”", hint: hint)
    }
  }

  /// Returns the shortest index between two others that are regular and ascend.
  private static func simplest(_ low: FractionalIndex?, _ high: FractionalIndex?) -> FractionalIndex
  {
    guard let low else { return before(high) }
    guard let high else { return after(low) }
    return FractionalIndex(Fraction.simplest(low.fraction, high.fraction))
  }

  /// Returns indexes between two others that are regular and ascend.
  static func spread(
    _ count: Int, _ low: FractionalIndex?, _ high: FractionalIndex?
  ) -> [FractionalIndex] {
    guard count > 0 else { return [] }
    var indexes: [FractionalIndex] = []
    switch (low, high) {
    case (let low, nil):
      for _ in 0..<count { indexes.append(after(indexes.last ?? low)) }
    case (nil, let high):
      for _ in 0..<count { indexes.append(before(indexes.last ?? high)) }
      indexes.reverse()
    case (let low?, let high?):
      // Halves of halves, so that none is much longer than the others.
      let middle = simplest(low, high)
      indexes += spread((count - 1) / 2, low, middle)
      indexes.append(middle)
      indexes += spread(count - 1 - (count - 1) / 2, middle, high)
    }
    return indexes
  }

  /// The digits of the text's regular beginning.
  private var fraction: [UInt8] {
    var digits: [UInt8] = []
    for byte in text.utf8 {
      guard let digit = Base64.value(of: byte) else { break }
      digits.append(digit)
    }
    return Fraction.trimmed(digits)
  }

  private init(_ digits: [UInt8]) {
    text = String(decoding: digits.map { Base64.digits[Int($0)] }, as: UTF8.self)
  }
}

extension FractionalIndex: Comparable {
  /// Whether one index is before another in the order of their bytes, as SQLite sorts them.
  public static func < (a: FractionalIndex, b: FractionalIndex) -> Bool { utf8Less(a.text, b.text) }

  public static func == (a: FractionalIndex, b: FractionalIndex) -> Bool {
    a.text.isSame(as: b.text)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension FractionalIndex: Codable, LosslessStringConvertible {
  public var description: String { text }

  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension FractionalIndex: FieldValue {
  public static var fieldType: FieldType { .text }
  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self.init(text)
  }
  public var storedValue: Value { .text(text) }
}

/// The digits of indexes, in the order of ASCII.
private enum Base64 {
  static let digits = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"): 0
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 1
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A") + 11
    case UInt8(ascii: "_"): 37
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 38
    default: nil
    }
  }
}

/// An index as a number between 0 and 1: digits to the base of 64 behind the point, the last of
/// which is not 0. Numbers are in the order of the texts.
private enum Fraction {
  static func trimmed(_ digits: [UInt8]) -> [UInt8] {
    Array(digits.prefix((digits.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  /// Returns the binary fraction between two others that has the fewest bits; there is one only.
  static func simplest(_ low: [UInt8], _ high: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    while true {
      let place = digits.count
      let (below, above) = (place < low.count ? low[place] : 0, high[place])
      if below < above {
        // If `high` goes on, its digit here is less than it.
        if let digit = simplest(below + 1, place + 1 < high.count ? above : above - 1) {
          return digits + [digit]
        }
        return digits + [below] + simplest(above: low.dropFirst(place + 1))
      }
      digits.append(below)
    }
  }

  /// Returns the binary fraction above another one, and below 1, that has the fewest bits.
  static func simplest(above low: some Collection<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    for below in low {
      if let digit = simplest(below + 1, 63) { return digits + [digit] }
      digits.append(below)
    }
    return digits + [32]
  }

  /// Returns the binary fraction below another one, and above 0, that has the fewest bits.
  static func simplest(below high: [UInt8]) -> [UInt8] { simplest([], high) }

  /// Returns the number of a range that has the most zeros at its end; nil if the range is empty.
  private static func simplest(_ low: UInt8, _ high: UInt8) -> UInt8? {
    for bit in (0..<6).reversed() {
      let step = 1 << bit
      let number = (Int(low) + step - 1) / step * step
      if number <= Int(high) { return UInt8(number) }
    }
    return nil
  }
}

/// The beginning of an index: a number without a fraction, so that those that are appended stay
/// short.
///
/// The first digit says how many follow: from 32 on, one more for each; below 32, one more for each
/// that is less. So numbers with more digits are further away from the middle, on both sides.
private struct Whole {
  static let zero: [UInt8] = [32]

  private let head: UInt8
  private let digits: [UInt8]

  private static func count(_ head: UInt8) -> Int { Int(head >= 32 ? head - 31 : 32 - head) }

  private init(head: UInt8, all digit: UInt8) {
    self.head = head
    digits = Array(repeating: digit, count: Self.count(head))
  }

  private init(head: UInt8, digits: [UInt8]) {
    self.head = head
    self.digits = digits
  }

  /// The greatest number that is not greater than an index.
  init(of fraction: [UInt8]) {
    head = fraction[0]
    let count = Self.count(head)
    let digits = fraction.dropFirst().prefix(count)
    self.digits = digits + Array(repeating: 0, count: count - digits.count)
  }

  private var fraction: [UInt8] { Fraction.trimmed([head] + digits) }

  /// The next number; nil for the greatest of all.
  var next: [UInt8]? {
    if let place = digits.lastIndex(where: { $0 < 63 }) {
      let zeros = Array(repeating: UInt8(0), count: digits.count - place - 1)
      return Whole(head: head, digits: digits[..<place] + [digits[place] + 1] + zeros).fraction
    }
    return head == 63 ? nil : Whole(head: head + 1, all: 0).fraction
  }

  /// Returns the greatest number below an index that begins with this one; nil if there is none
  /// above 0.
  func previous(of index: [UInt8]) -> [UInt8]? {
    let found: [UInt8]
    if index != fraction {
      found = fraction
    } else if let place = digits.lastIndex(where: { $0 > 0 }) {
      let nines = Array(repeating: UInt8(63), count: digits.count - place - 1)
      found = Whole(head: head, digits: digits[..<place] + [digits[place] - 1] + nines).fraction
    } else if head > 0 {
      found = Whole(head: head - 1, all: 63).fraction
    } else {
      return nil
    }
    return found.isEmpty ? nil : found
  }
}
