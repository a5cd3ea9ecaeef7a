import DaybookLocks
import Foundation

/// A limit on concurrent exchanges, with a bounded queue for the others.
///
/// Each exchange has an owner: its token, or its zone if no tokens are needed. No owner runs more
/// than half of the exchanges. The next turn goes to the owner in the queue whose exchanges have
/// taken the least time recently. An owner that asks for much therefore gets what others leave.
///
/// In addition, the time that one owner's exchanges take may be limited.
final class Gate: Sendable {
  struct Limits {
    /// The most concurrent exchanges.
    var count: Int
    /// The most exchanges in the queue.
    var waitingMax: Int
    /// The most bytes of requests that are handled at once. A larger request is handled alone.
    var bytes = Int.max
    /// The time that the exchanges of one owner may take in an hour; nil for no limit.
    ///
    /// An owner gets it back evenly, and one that was idle may use it up at once.
    var hourlyTime: Duration?
  }

  private struct Waiter {
    var owner: String
    var bytes: Int
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct Owner {
    var running = 0
    var waiting = 0
    /// The time that the owner's exchanges have taken recently, in seconds. It decays.
    var spent = 0.0
    /// The time that the owner has used and not got back yet, in seconds; zero without a limit.
    var used = 0.0
    var noted: ContinuousClock.Instant
  }

  private struct State {
    var running = 0
    var bytes = 0
    var waiting: [Waiter] = []
    var owners: [String: Owner] = [:]
  }

  private let state = Mutex(State())
  private let limits: Limits
  private let ownersShare: Int
  private let now: @Sendable () -> ContinuousClock.Instant

  /// The time after which an owner's spent time counts half, in seconds.
  private static let halfLife = 10.0
  /// The number of owners above which idle owners are forgotten.
  private static let ownersMax = 1000

  init(_ limits: Limits, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.limits = limits
    self.now = now
    ownersShare = max(1, limits.count / 2)
  }

  /// Runs `body` when it is this exchange's turn.
  /// - Parameters:
  ///   - owner: The owner of the exchange.
  ///   - bytes: The size of the request.
  /// - Returns: nil if the queue is full, or the owner has half of it already.
  func pass<T>(owner: String, bytes: Int, _ body: () async throws -> T) async throws -> T? {
    guard await enter(owner, bytes) else { return nil }
    let began = now()
    defer { leave(owner, bytes, took: now() - began) }
    return try await body()
  }

  /// Returns how long an owner has to wait until it has time left; nil if it has some now.
  ///
  /// An exchange that has begun may take more time than is left.
  func wait(of id: String) -> Duration? {
    guard let hourly = limits.hourlyTime else { return nil }
    return state.withLock { state in
      guard let owner = state.owners[id] else { return nil }
      let excess = used(by: owner, at: now()) - hourly / .seconds(1)
      return excess < 0 ? nil : .seconds(excess * (.seconds(3600) / hourly))
    }
  }

  /// The exchanges in the queue.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private func enter(_ id: String, _ bytes: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let verdict: Bool? = state.withLock { state in
        let owner = state.owners[id] ?? Owner(noted: now())
        let waiter = Waiter(owner: id, bytes: bytes, continuation: continuation)
        // Exchanges in the queue come first.
        if mayRun(waiter, state), !state.waiting.contains(where: { hasShare($0.owner, state) }) {
          begin(waiter, &state)
          return true
        }
        guard state.waiting.count < limits.waitingMax,
          owner.waiting < max(1, limits.waitingMax / 2)
        else { return false }
        state.waiting.append(waiter)
        state.owners[id, default: owner].waiting += 1
        return nil
      }
      if let verdict { continuation.resume(returning: verdict) }
    }
  }

  private func hasShare(_ owner: String, _ state: State) -> Bool {
    state.owners[owner]?.running ?? 0 < ownersShare
  }

  private func mayRun(_ waiter: Waiter, _ state: State) -> Bool {
    state.running < limits.count && hasShare(waiter.owner, state)
      && (state.bytes == 0 || waiter.bytes <= limits.bytes - state.bytes)
  }

  private func begin(_ waiter: Waiter, _ state: inout State) {
    state.running += 1
    state.bytes += waiter.bytes
    state.owners[waiter.owner, default: Owner(noted: now())].running += 1
  }

  private func leave(_ id: String, _ bytes: Int, took: Duration) {
    let next = state.withLock { state in
      state.running -= 1
      state.bytes -= bytes
      let time = now()
      if var owner = state.owners[id] {
        owner.running -= 1
        owner.spent = Self.left(of: owner, at: time) + took / .seconds(1)
        owner.used = used(by: owner, at: time) + took / .seconds(1)
        owner.noted = time
        state.owners[id] = owner
      }
      if state.owners.count > Self.ownersMax {
        state.owners = state.owners.filter {
          $0.value.running + $0.value.waiting > 0 || Self.left(of: $0.value, at: time) > 0.1
            || used(by: $0.value, at: time) > 0
        }
      }
      return takeNext(&state, time)
    }
    for waiter in next { waiter.continuation.resume(returning: true) }
  }

  /// Starts the queued exchanges that there is room for.
  private func takeNext(_ state: inout State, _ time: ContinuousClock.Instant) -> [Waiter] {
    var found: [Waiter] = []
    while state.running < limits.count {
      var best: (place: Int, spent: Double)?
      for (place, waiter) in state.waiting.enumerated() {
        guard hasShare(waiter.owner, state), let owner = state.owners[waiter.owner] else {
          continue
        }
        let spent = Self.left(of: owner, at: time)
        if best.map({ spent < $0.spent }) ?? true { best = (place, spent) }
      }
      // A large request must get its turn too: the exchanges behind it wait until there is room for
      // it.
      guard let place = best?.place, mayRun(state.waiting[place], state) else { break }
      let waiter = state.waiting.remove(at: place)
      state.owners[waiter.owner]?.waiting -= 1
      begin(waiter, &state)
      found.append(waiter)
    }
    return found
  }

  private func used(by owner: Owner, at time: ContinuousClock.Instant) -> Double {
    guard let hourly = limits.hourlyTime else { return 0 }
    return max(0, owner.used - (time - owner.noted) / .seconds(3600) * (hourly / .seconds(1)))
  }

  private static func left(of owner: Owner, at time: ContinuousClock.Instant) -> Double {
    owner.spent * exp2(-((time - owner.noted) / .seconds(1)) / halfLife)
  }
}
