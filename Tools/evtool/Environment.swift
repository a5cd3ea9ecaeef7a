import Foundation

/// The environment variables of the process.
enum Environment {
  /// Returns the value of a variable; nil if it is not set.
  static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
