import Replication

/// The zones that are open: opened when first asked for, closed when nobody has asked for a while.
actor ZonePool {
  struct Limits {
    /// How long a zone stays open that nobody uses.
    var idle: Duration
    var openMax: Int
  }

  private enum State {
    case closed
    /// False where there is no such zone. The state has changed when the task ends.
    case opening(Task<Bool, any Error>)
    case open(any HostedZone)
    case closing(Task<Void, Never>)
  }

  private struct Slot {
    var state = State.closed
    let feed = ChangeFeed()
    /// Exchanges that are under way.
    var exchanges = 0
    /// Those who listen, and those who are about to.
    var listeners = 0
    var lastUse = ContinuousClock.now
    /// Something went wrong: to be opened again before it is used again.
    var hasFailed = false
  }

  private let directory: any ZoneDirectory
  private let limits: Limits
  private let metrics: HubMetrics
  private var slots: [ZoneName: Slot] = [:]
  /// Nobody new may listen.
  private var isStopping = false
  /// No zone is to be had any more.
  private var isClosed = false

  init(_ directory: any ZoneDirectory, _ limits: Limits, _ metrics: HubMetrics) {
    self.directory = directory
    self.limits = limits
    self.metrics = metrics
  }

  // MARK: - Using a zone

  /// Runs `body` with a zone, which stays open meanwhile.
  /// - Returns: nil where there is no such zone.
  /// - Throws: ``PoolRefusal``; what opening the zone, and `body`, throw.
  nonisolated func use<T: Sendable>(
    _ name: ZoneName, _ body: @Sendable (any HostedZone, ChangeFeed) async throws -> T
  ) async throws -> T? {
    guard let (zone, feed) = try await acquire(name) else { return nil }
    do {
      let result = try await body(zone, feed)
      await release(name, failed: false)
      return result
    } catch {
      await release(name, failed: Self.isZonesFault(error))
      throw error
    }
  }

  /// The zone's feed, kept for one listener until ``stopListening(_:_:)``.
  func startListening(_ name: ZoneName, _ wish: ChangeFeed.Wish) throws(PoolRefusal) -> (
    feed: ChangeFeed, id: UInt64, wakes: AsyncStream<Void>, place: ChangeFeed.Place
  ) {
    guard !isStopping else { throw .stopping }
    let slot = slots[name, default: Slot()]
    slots[name] = slot
    slots[name]?.listeners += 1
    let (id, wakes, place) = slot.feed.listen(wish)
    metrics.listening(name, slot.feed.count)
    return (slot.feed, id, wakes, place)
  }

  func stopListening(_ name: ZoneName, _ id: UInt64) {
    guard let slot = slots[name] else { return }
    slots[name]?.listeners -= 1
    slot.feed.forget(id)
    metrics.listening(name, slot.feed.count)
    forgetIfUnused(name)
  }

  private static func isZonesFault(_ error: any Error) -> Bool {
    !(error is SyncError || error is CancellationError || error is HTTPRefusal)
  }

  private func acquire(_ name: ZoneName) async throws -> (any HostedZone, ChangeFeed)? {
    while true {
      guard !isClosed else { throw PoolRefusal.stopping }
      let slot = slots[name, default: Slot()]
      switch slot.state {
      case .open(let zone) where !slot.hasFailed:
        slots[name]?.exchanges += 1
        return (zone, slot.feed)
      case .open(let zone):
        // Opened again once those who use it are done.
        guard slot.exchanges == 0 else { throw PoolRefusal.failed }
        close(name, zone)
      case .closing(let task): await task.value
      case .opening(let task): guard try await task.value else { return nil }
      case .closed:
        try makeRoom()
        slots[name] = slot
        slots[name]?.state = .opening(Task { try await open(name) })
      }
    }
  }

  /// - Returns: false where there is no such zone.
  private func open(_ name: ZoneName) async throws -> Bool {
    let result = await Result.of { try await directory.open(name) }
    slots[name]?.hasFailed = false
    slots[name]?.lastUse = .now
    guard case .success(let zone?) = result else {
      slots[name]?.state = .closed
      forgetIfUnused(name)
      _ = try result.get()
      return false
    }
    slots[name]?.state = .open(zone)
    metrics.zonesOpen(openCount)
    return true
  }

  private func release(_ name: ZoneName, failed: Bool) {
    slots[name]?.exchanges -= 1
    slots[name]?.lastUse = .now
    if failed { slots[name]?.hasFailed = true }
    guard let slot = slots[name], slot.hasFailed, slot.exchanges == 0,
      case .open(let zone) = slot.state
    else { return }
    close(name, zone)
  }

  // MARK: - Closing

  /// Closes the zones that were not used for long.
  func closeIdle() {
    for (name, slot) in slots {
      guard case .open(let zone) = slot.state, slot.exchanges == 0, slot.listeners == 0,
        slot.lastUse.advanced(by: limits.idle) < .now
      else { continue }
      close(name, zone)
    }
  }

  private func makeRoom() throws(PoolRefusal) {
    guard openCount >= limits.openMax else { return }
    let unused = slots.compactMap { name, slot -> (ZoneName, any HostedZone, Slot)? in
      guard case .open(let zone) = slot.state, slot.exchanges == 0 else { return nil }
      return (name, zone, slot)
    }
    guard let (name, zone, _) = unused.min(by: { $0.2.lastUse < $1.2.lastUse }) else {
      throw .tooManyZones
    }
    close(name, zone)
  }

  private func close(_ name: ZoneName, _ zone: any HostedZone) {
    let task = Task {
      do { try await zone.close() } catch { metrics.closingFailed(name, error) }
      closed(name)
    }
    slots[name]?.state = .closing(task)
  }

  private func closed(_ name: ZoneName) {
    slots[name]?.state = .closed
    slots[name]?.hasFailed = false
    metrics.zonesOpen(openCount)
    forgetIfUnused(name)
  }

  private func forgetIfUnused(_ name: ZoneName) {
    guard let slot = slots[name], slot.listeners == 0, slot.exchanges == 0,
      case .closed = slot.state
    else { return }
    slots[name] = nil
  }

  private var openCount: Int {
    slots.values.count {
      switch $0.state {
      case .open, .opening: true
      case .closed, .closing: false
      }
    }
  }

  // MARK: - All of them

  /// Lets everybody who listens know that the hub is there.
  func beat() { for slot in slots.values { slot.feed.wakeAll() } }

  /// Ends the streams of those who listen, and lets nobody else begin. Exchanges go on.
  func stopListening() {
    isStopping = true
    for slot in slots.values { slot.feed.finish() }
  }

  /// Closes all zones, once what is under way is done.
  func closeAll() async {
    (isStopping, isClosed) = (true, true)
    for name in Array(slots.keys) {
      if case .opening(let task)? = slots[name]?.state { _ = try? await task.value }
      if case .open(let zone)? = slots[name]?.state { close(name, zone) }
      if case .closing(let task)? = slots[name]?.state { await task.value }
    }
  }
}

/// Why no zone can be had now.
enum PoolRefusal: Error {
  case stopping
  case tooManyZones
  /// It failed, and is about to be opened again.
  case failed
}
