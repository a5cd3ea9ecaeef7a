/// The places of siblings, as texts that sort by their bytes. There is always a place between two
/// others, so moving a folder writes that folder only.
enum SiblingRank {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Returns a place between two others.
  /// - Parameters:
  ///   - low: the place before; nil at the beginning.
  ///   - high: the place after; nil at the end.
  /// - Returns: nil if there is none, because both are the same or one is no place. Two devices
  ///   that add a folder at one place while they are apart give both the same one.
  static func between(_ low: String?, _ high: String?) -> String? {
    guard let a = values(low ?? ""), let b = high.map(values) ?? .some([]) else { return nil }
    if high != nil {
      guard !b.isEmpty, a.lexicographicallyPrecedes(b), b.last != 0 else { return nil }
    }
    guard a.last != 0 else { return nil }
    let middle = middle(a[...], high == nil ? nil : b[...])
    return String(decoding: middle.map { digits[$0] }, as: UTF8.self)
  }

  /// Returns as many places as are asked for, in ascending order.
  static func row(_ count: Int) -> [String] {
    var places: [String] = []
    for _ in 0..<count { places.append(between(places.last, nil) ?? "z") }
    return places
  }

  private static func values(_ text: String) -> [Int]? {
    let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
    return values.count == text.utf8.count ? values : nil
  }

  /// Returns digits between two others, of which none ends with 0.
  private static func middle(_ low: ArraySlice<Int>, _ high: ArraySlice<Int>?) -> [Int] {
    guard let high else {
      // Behind all others, digits are used up one by one, so that long rows have short places.
      guard let first = low.first else { return [1] }
      return first < digits.count - 1 ? [first + 1] : [first] + middle(low.dropFirst(), nil)
    }
    let (first, last) = (low.first ?? 0, high.first ?? digits.count)
    if first == last { return [first] + middle(low.dropFirst(), high.dropFirst()) }
    if last - first > 1 { return [(first + last) / 2] }
    if high.count > 1 { return [last] }
    return [first] + middle(low.dropFirst(), nil)
  }
}
