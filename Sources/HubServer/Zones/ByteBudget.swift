import DaybookLocks

/// The budget for request bodies in memory, shared by all clients. No owner has more than half of
/// it.
final class ByteBudget: Sendable {
  private struct State {
    var free: Int
    var taken: [String: Int] = [:]
  }

  private let state: Mutex<State>
  private let ownersShare: Int

  /// Creates a budget of a number of bytes.
  /// - Parameter least: The bytes that one owner may have even if half of the budget is less.
  init(_ bytes: Int, ownersLeast least: Int = 0) {
    state = Mutex(State(free: bytes))
    ownersShare = max(bytes / 2, least)
  }

  private func take(_ bytes: Int, _ owner: String) -> Bool {
    state.withLock { state in
      let taken = state.taken[owner] ?? 0
      guard bytes <= state.free, bytes <= ownersShare - taken else { return false }
      state.free -= bytes
      state.taken[owner] = taken + bytes
      return true
    }
  }

  private func give(_ bytes: Int, _ owner: String) {
    state.withLock { state in
      state.free += bytes
      let taken = (state.taken[owner] ?? 0) - bytes
      state.taken[owner] = taken > 0 ? taken : nil
    }
  }

  /// The bytes that one request holds. They are returned when the share is released.
  final class Share: Sendable {
    private let budget: ByteBudget
    private let owner: String
    private let taken = Mutex(0)

    /// Creates an empty share.
    /// - Parameter owner: The owner of the request.
    init(_ budget: ByteBudget, owner: String) {
      self.budget = budget
      self.owner = owner
    }

    deinit { budget.give(taken.withLock { $0 }, owner) }

    /// Takes more bytes from the budget.
    /// - Returns: Whether there was room.
    func grow(by bytes: Int) -> Bool {
      guard budget.take(bytes, owner) else { return false }
      taken.withLock { $0 += bytes }
      return true
    }
  }
}
