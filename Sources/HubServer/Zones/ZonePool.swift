import DaybookReplication

/// The open zones of a hub. A zone is opened at its first request, and closed when it has been idle
/// for a while.
actor ZonePool {
  struct Limits {
    /// The time after which an unused zone is closed.
    var idle: Duration
    var openMax: Int
  }

  private enum State {
    case closed
    /// The task's result is false if there is no such zone. When the task ends, the state has
    /// changed.
    case opening(Task<Bool, any Error>)
    case open(any HostedZone)
    case closing(Task<Void, Never>)
  }

  private struct Slot {
    var state = State.closed
    let feed = ZoneNews()
    /// The number of exchanges in progress.
    var exchanges = 0
    /// The number of listeners, including those that are about to listen.
    var listeners = 0
    var lastUse = ContinuousClock.now
    /// Whether the zone failed, and must be reopened before its next use.
    var hasFailed = false
    /// Whether the figures of the zone stay when it is closed: it could not be used, and somebody
    /// must be able to see why.
    var keepsFigures = false
  }

  private let directory: any ZoneDirectory
  private let limits: Limits
  private let metrics: HubMetrics
  private var slots: [ZoneName: Slot] = [:]
  /// Whether new listeners are refused.
  private var isStopping = false
  /// Whether all zones are closed for good.
  private var isClosed = false

  init(_ directory: any ZoneDirectory, _ limits: Limits, _ metrics: HubMetrics) {
    self.directory = directory
    self.limits = limits
    self.metrics = metrics
  }

  // MARK: - Using a zone

  /// Runs `body` with a zone, and keeps it open meanwhile.
  /// - Returns: nil if there is no such zone.
  /// - Throws: ``PoolRefusal``; any error of opening the zone, or of `body`.
  nonisolated func use<T: Sendable>(
    _ name: ZoneName, _ body: @Sendable (any HostedZone, ZoneNews) async throws -> T
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

  /// Adds a listener to a zone's feed, which is kept until ``stopListening(_:_:)``.
  /// - Throws: ``PoolRefusal`` `.stopping`.
  func startListening(_ name: ZoneName, _ wish: ZoneNews.Wish) throws(PoolRefusal) -> (
    feed: ZoneNews, id: UInt64, wakes: AsyncStream<Void>, place: ZoneNews.Place
  ) {
    guard !isStopping else { throw .stopping }
    let slot = slots[name, default: Slot()]
    keep(slot, name)
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

  private func acquire(_ name: ZoneName) async throws -> (any HostedZone, ZoneNews)? {
    while true {
      guard !isClosed else { throw PoolRefusal.stopping }
      let slot = slots[name, default: Slot()]
      switch slot.state {
      case .open(let zone) where !slot.hasFailed:
        slots[name]?.exchanges += 1
        return (zone, slot.feed)
      case .open(let zone):
        // The zone is reopened after its current exchanges.
        guard slot.exchanges == 0 else { throw PoolRefusal.failed }
        close(name, zone)
      case .closing(let task): await task.value
      case .opening(let task): guard try await task.value else { return nil }
      case .closed:
        try makeRoom()
        keep(slot, name)
        slots[name]?.state = .opening(Task { try await open(name) })
      }
    }
  }

  /// Opens a zone.
  /// - Returns: false if there is no such zone.
  private func open(_ name: ZoneName) async throws -> Bool {
    let result = await Result.of { try await directory.open(name) }
    slots[name]?.hasFailed = false
    slots[name]?.lastUse = .now
    guard case .success(let zone?) = result else {
      slots[name]?.state = .closed
      if case .failure = result { slots[name]?.keepsFigures = true }
      forgetIfUnused(name)
      _ = try result.get()
      return false
    }
    slots[name]?.state = .open(zone)
    slots[name]?.keepsFigures = false
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

  /// Closes the zones that have been idle for longer than the limit.
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
    if slots[name]?.hasFailed == true { slots[name]?.keepsFigures = true }
    let task = Task {
      do { try await zone.close() } catch {
        metrics.closingFailed(name, error)
        slots[name]?.keepsFigures = true
      }
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
    if !slot.keepsFigures { metrics.end(name) }
  }

  private func keep(_ slot: Slot, _ name: ZoneName) {
    slots[name] = slot
    metrics.begin(name)
  }

  private var openCount: Int {
    slots.values.count {
      switch $0.state {
      case .open, .opening: true
      case .closed, .closing: false
      }
    }
  }

  // MARK: - All zones

  /// Sends all listeners a heartbeat.
  func beat() { for slot in slots.values { slot.feed.wakeAll() } }

  /// Ends all listeners' streams, and refuses new ones. Exchanges go on.
  func stopListening() {
    isStopping = true
    for slot in slots.values { slot.feed.finish() }
  }

  /// Closes all zones after their current exchanges.
  func closeAll() async {
    (isStopping, isClosed) = (true, true)
    for name in Array(slots.keys) {
      if case .opening(let task)? = slots[name]?.state { _ = try? await task.value }
      if case .open(let zone)? = slots[name]?.state { close(name, zone) }
      if case .closing(let task)? = slots[name]?.state { await task.value }
    }
  }
}

/// The reason why a zone is not available now.
enum PoolRefusal: Error {
  case stopping
  case tooManyZones
  /// The zone failed, and is about to be reopened.
  case failed
}
