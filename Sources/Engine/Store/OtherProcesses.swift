import DaybookEventCore
import DaybookLogEngine
import DaybookProjections

/// Announces what other processes change in a store's read model.
///
/// The log tells that another process has written, and a moment later the read model shows it. What
/// has changed follows from the events that the read model shows now and did not show before. If
/// another process has rebuilt the read model, anything may have changed.
struct OtherProcesses: Sendable {
  private let store: OpenStore
  private let feed: ChangeFeed

  /// The most events that are looked at one by one; with more, anything counts as changed.
  private static let eventsMax = 4096
  /// The number of times that the read model is looked at until it shows all that is in the log.
  ///
  /// The pauses in between double, beginning with a millisecond.
  private static let looksMax = 10

  private init(_ store: OpenStore, _ feed: ChangeFeed) {
    self.store = store
    self.feed = feed
  }

  /// Starts the watch, and returns a closure that ends it.
  static func watch(_ store: OpenStore, for feed: ChangeFeed) -> @Sendable () -> Void {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (watch, log) = (store.watch, store.log)
    let wakeUp: @Sendable () -> Void = { wake.yield() }
    let token = watch.listen(names: wakeUp) {
      // This process has announced its own writes by now.
      if feed.shown != log.wholeVector { wake.yield() }
    }
    let task = Task { [weak store] in
      // The number is read here, so that a store without observers opens no connection for it.
      if feed.rebuilds == nil, let store {
        feed.rebuilds = try? await store.reads.asynchronously { try RebuildCount.read($0.database) }
      }
      for await _ in wakes {
        guard let store else { return }
        await OtherProcesses(store, feed).announceAll()
      }
    }
    return {
      watch.forget(token)
      wake.finish()
      task.cancel()
    }
  }

  /// Announces what the read model shows now, until it shows all events of the log.
  private func announceAll() async {
    var pause = Duration.milliseconds(1)
    for _ in 1...Self.looksMax {
      guard let isComplete = try? await announce() else { return }
      if isComplete { return }
      do { try await Task.sleep(for: pause) } catch { return }
      pause *= 2
    }
    // The other process has ended, or holds the commit lock for long. This store does the rest.
    if !store.options.isReadOnly {
      try? await store.onCommitThread { try $0.catchUp() }
      _ = try? await announce()
    }
  }

  /// Announces what the read model shows now and did not show before.
  /// - Returns: whether it shows all events of the log.
  private func announce() async throws -> Bool {
    // A commit of this store is shown a moment before it is announced.
    await store.announcedOwnCommits()
    let (shown, rebuilds) = try await store.reads.asynchronously { snapshot in
      (try snapshot.view.wholeVector, try RebuildCount.read(snapshot.database))
    }
    let known = feed.shown
    let isRebuilt = feed.rebuilds != rebuilds
    // This store has announced another commit since: look again.
    if let known, !isRebuilt, !shown.contains(known) { return false }
    if shown != known || isRebuilt {
      feed.rebuilds = rebuilds
      let changes = try await Blocking.surfacing {
        isRebuilt ? nil : try self.changes(from: known, to: shown)
      }
      try await store.notifyObservers(of: changes)
      feed.announce(ShownChanges(rows: changes, before: known ?? shown, after: shown))
    }
    return shown.contains(store.log.wholeVector)
  }

  /// Returns the collections whose rows the events between two states may have changed; nil for
  /// anything.
  ///
  /// A write to one entity may also hide or show others of its collection, so no ids are named.
  private func changes(from: VersionVector?, to: VersionVector) throws -> RowChanges? {
    guard let from, to.contains(from), to.lead(over: from) <= Self.eventsMax else { return nil }
    var names: Set<String> = []
    var isAnything = false
    try store.log.refreshForReading()
    for (origin, last) in to.entries where last > from[origin] {
      try store.feed.forEachEvent(of: origin, in: from[origin] + 1...last) { sequence, view in
        let event = try? Event(id: EventID(origin, sequence), decoding: view.encoded)
        guard let operations = event?.body?.operations else {
          isAnything = true
          return
        }
        for operation in operations {
          // A stamp ranks events anew, a definition changes tables.
          if let name = operation.entity?.collection {
            names.insert(name)
          } else {
            isAnything = true
          }
        }
      }
    }
    return isAnything ? nil : RowChanges(anyRowsOf: names)
  }
}
