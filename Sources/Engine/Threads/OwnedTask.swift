/// A task that is cancelled when its owner lets go of it.
///
/// The owner may belong to an actor, on which its `deinit` does not run.
package final class OwnedTask: Sendable {
  private let task: Task<Void, Never>

  /// Begins the task, on the main actor.
  package init(_ body: @escaping @MainActor @Sendable () async -> Void) {
    task = Task { await body() }
  }

  deinit { task.cancel() }
}
