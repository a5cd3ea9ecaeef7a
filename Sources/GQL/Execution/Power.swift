#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Powers and the functions of angles, from the system's library.
enum Power {
  static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

  /// The functions of one number, by their names in queries.
  static let functions: [(name: String, of: @Sendable (Double) -> Double)] = [
    ("sqrt", { $0.squareRoot() }), ("exp", { exp($0) }), ("log", { log($0) }),
    ("ln", { log($0) }), ("log10", { log10($0) }), ("sin", { sin($0) }), ("cos", { cos($0) }),
    ("tan", { tan($0) }), ("cot", { 1 / tan($0) }), ("asin", { asin($0) }),
    ("acos", { acos($0) }), ("atan", { atan($0) }), ("sinh", { sinh($0) }),
    ("cosh", { cosh($0) }), ("tanh", { tanh($0) }), ("degrees", { $0 * 180 / .pi }),
    ("radians", { $0 * .pi / 180 }), ("haversin", { (1 - cos($0)) / 2 }),
  ]

  static func angle(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
}
