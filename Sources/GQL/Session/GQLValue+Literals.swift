// There is no literal `nil`: an optional value would then take it for null.
extension GQLValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number with a fraction.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A list.
  public init(arrayLiteral elements: GQLValue...) { self = .list(elements) }
  /// A map.
  public init(dictionaryLiteral elements: (String, GQLValue)...) {
    self = .map(GQLMap(elements.map { ($0, $1) }))
  }
}

extension GQLValue {
  /// The value as a text shows it: a text as it stands, a date or time in ISO 8601.
  package var text: String { Conversion.text(self) }
}

extension GQLValue: CustomStringConvertible {
  /// The value as a query would write it.
  public var description: String { Conversion.literal(self) }
}

extension GQLValue: Equatable {
  /// Returns whether two values are the same: null is like null, and 1 like 1.0.
  ///
  /// This is what `DISTINCT` asks, and not the operator `=` of queries, for which null is unknown.
  public static func == (a: GQLValue, b: GQLValue) -> Bool { a.key == b.key }
}
