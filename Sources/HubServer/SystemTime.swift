import Foundation

enum SystemTime {
  /// Returns the time in milliseconds since 1970.
  @Sendable static func milliseconds() -> Int64 {
    Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
  }
}
