import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore

/// The store that an agent's tools work on, and who the agent is.
struct AgentSession: Sendable {
  let store: Store
  let actor: String
  let isReadOnly: Bool

  init(_ store: Store, actor: String, isReadOnly: Bool) {
    self.store = store
    self.actor = actor
    self.isReadOnly = isReadOnly
  }

  /// Writes one event, whose label is the call.
  /// - Parameters:
  ///   - call: the call in words, as `insert notes/n1`.
  ///   - label: the caller's own words; nil for the call.
  /// - Returns: the event; nil if there was nothing to change.
  func write(
    _ call: String, label: String?, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> EventID? {
    guard !isReadOnly else {
      throw CallFailure(
        "the server was started for reading only", cure: "Start it without --read-only")
    }
    return try await store.write(actor: actor, label: label ?? call) { transaction in
      try body(transaction)
      return transaction.isEmpty ? nil : transaction.event
    }
  }
}
