import Foundation
import Synchronization

typealias WriteOutcome = Result<any Sendable, any Error>

/// A transaction on its way to the commit thread.
struct WriteJob: Sendable {
  var actor: String
  var label: String
  var annotations: [String: String]
  var body: @Sendable (Transaction) throws -> any Sendable
  /// Those that it follows; nil where it stands alone.
  var series: WriteSeries?
  var finish: @Sendable (WriteOutcome) -> Void

  /// The last word on it.
  func end(_ outcome: WriteOutcome) {
    if case .failure = outcome { series?.breakOff() }
    finish(outcome)
  }
}

/// Transactions of which each is written only if those before it were.
final class WriteSeries: Sendable {
  /// One before it was not written.
  struct Broken: Error {}

  private let broken = Atomic(false)

  var isBroken: Bool { broken.load(ordering: .relaxed) }
  fileprivate func breakOff() { broken.store(true, ordering: .relaxed) }
}

/// What a store takes from the machine it runs on.
struct StoreEnvironment: Sendable {
  /// Milliseconds since 1970.
  var wallMilliseconds: @Sendable () -> Int64
  var randomBytes: @Sendable (Int) -> [UInt8]

  static let system = StoreEnvironment(
    wallMilliseconds: { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) },
    randomBytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    })
}
