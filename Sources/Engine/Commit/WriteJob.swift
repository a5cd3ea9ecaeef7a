import DaybookEventCore
import DaybookLocks

package typealias WriteOutcome = Result<any Sendable, any Error>

/// A transaction that waits for the commit thread.
package struct WriteJob: Sendable {
  var actor: String
  var label: String
  var annotations: [String: String]
  var body: @Sendable (WriteTransaction) throws -> any Sendable
  /// The series that the transaction is part of; nil if it stands alone.
  var series: WriteSeries?
  /// Whether the transaction reads events of the log, which does not have those of its own group
  /// yet.
  package var readsLog = false
  var finish: @Sendable (WriteOutcome) -> Void

  /// - Throws: ``StoreError`` `invalidName` if a key of the annotations is not printable ASCII
  ///   without spaces.
  package init(
    actor: String = "", label: String = "", annotations: [String: String] = [:],
    body: @escaping @Sendable (WriteTransaction) throws -> any Sendable,
    series: WriteSeries? = nil, finish: @escaping @Sendable (WriteOutcome) -> Void
  ) throws(StoreError) {
    for key in annotations.keys where !Body.isName(key.utf8) {
      throw StoreError(.invalidName, "“\(key)” cannot be the key of an annotation")
    }
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.body = body
    self.series = series
    self.finish = finish
  }

  /// Returns the result of a transaction as what its closure returns.
  package static func value<T>(_ outcome: any Sendable) throws(StoreError) -> T {
    guard let value = outcome as? T else {
      throw StoreError(.other, "the transaction's result has an unexpected type")
    }
    return value
  }

  /// Ends the job and reports its outcome.
  ///
  /// A failure breaks its series off.
  func end(_ outcome: WriteOutcome) {
    if case .failure = outcome { series?.breakOff() }
    finish(outcome.mapError { StoreError.surfacing($0) })
  }
}

/// What has become of a group of transactions.
struct GroupOutcome {
  /// The outcomes of the transactions, in order; those that the group had no room for have none.
  var outcomes: [WriteOutcome]
  /// The figures of the events that were made durable; nil if no transaction wrote anything.
  var written: StoreTelemetry.Group?
  /// Whether the read model's transaction is as it was before.
  var isClean: Bool
}

/// A series of transactions, each of which is written only if all before it were.
package final class WriteSeries: Sendable {
  /// The error of a transaction that was not run because one before it in the series failed.
  struct Broken: Error {}

  private let broken = Mutex(false)

  package init() {}

  var isBroken: Bool { broken.withLock { $0 } }
  fileprivate func breakOff() { broken.withLock { $0 = true } }
}
