import DaybookEventCore
import DaybookLocks

/// One write of a series: several events that are written in order.
package struct SeriesWrite<T: Sendable>: Sendable {
  /// The actor of the event; ``Store/Options/actor`` if nil.
  package var actor: String?
  /// The purpose of the write, in words.
  package var label: String
  /// Facts about the event itself.
  package var annotations: [String: String]
  /// Whether the transaction reads events of the log, so that all before it must be there.
  package var readsLog: Bool
  /// The transaction.
  package var body: @Sendable (WriteTransaction) throws -> T

  package init(
    actor: String? = nil, label: String = "", annotations: [String: String] = [:],
    readsLog: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) {
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.readsLog = readsLog
    self.body = body
  }
}
