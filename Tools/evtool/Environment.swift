import Foundation

/// What the environment says.
enum Environment {
  /// Nil where it is not set.
  static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
