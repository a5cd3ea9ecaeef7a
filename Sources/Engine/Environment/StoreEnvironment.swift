import DaybookEventCore
import Foundation

/// The clock and the randomness of the machine that a store runs on.
package struct StoreEnvironment: Sendable {
  /// The current time, in milliseconds since 1970.
  package var wallMilliseconds: @Sendable () -> Int64
  package var randomBytes: @Sendable (Int) -> [UInt8]

  package init(
    wallMilliseconds: @escaping @Sendable () -> Int64,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.wallMilliseconds = wallMilliseconds
    self.randomBytes = randomBytes
  }

  package static let system = StoreEnvironment(
    wallMilliseconds: { Date.now.milliseconds },
    randomBytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    })
}
