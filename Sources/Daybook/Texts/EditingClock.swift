/// The clock of an editing session.
struct EditingClock: Sendable {
  /// The time since the session began.
  let now: @Sendable () -> Duration
  /// Sleeps until a time since the session began.
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  init(_ clock: any Clock<Duration>) { self = Self.make(clock) }

  private init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func make<C: Clock<Duration>>(_ clock: C) -> EditingClock {
    let start = clock.now
    return EditingClock(
      now: { start.duration(to: clock.now) },
      sleep: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
  }
}
