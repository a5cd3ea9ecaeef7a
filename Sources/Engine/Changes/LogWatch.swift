import DaybookLocks
import DaybookLogEngine
import Foundation

/// Wakes listeners when a store's log may have grown: by this store at once, and by another process
/// as soon as the system tells of its write.
///
/// A wake says only “look again”. Wakes that follow closely may come as one, and there may be one
/// too many. The new events are durable then, and this store's ``EventLog`` shows them. The read
/// model shows them too, if this store wrote them. If another process did, the read model may be
/// behind for a moment, because a process writes the durable mark before it commits to SQLite. It
/// may also be behind after a sync; see ``StoreReplica/isBehind``.
///
/// Each process that writes changes the file `log/mark` after its fsync, so this file is watched,
/// and the names in `log`. A rebuild of the read model does not write to the log. It makes and
/// removes the folder of ``RebuildTurn``, so the names in the store's folder are watched, too. A
/// thread does so while there is a listener, and sleeps until the system wakes it. If the system
/// does not tell of changes, the thread polls.
package final class LogWatch: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
    /// The listeners that are also woken by names that come and go.
    var nameListeners: [Int: @Sendable () -> Void] = [:]
    /// The end of the log when the listeners were last woken; nil if they were not.
    var announced: LogPosition?
    /// The files on which the thread waits; nil if there is no listener.
    var watch: FileWatch?
    var isClosed = false
    var hasWarned = false
    var looks = 0
    var threads = 0
  }

  private let log: EventLog
  private let store: String
  private let folder: String
  private let mark: String
  private let telemetry: StoreTelemetry
  private let period: Duration
  private let open: @Sendable () -> FileWatch
  private let state = Mutex(State())

  /// - Parameters:
  ///   - files: the files of the store that has the log.
  ///   - period: the time between two looks at the log if it has to be polled.
  ///   - open: makes what a thread waits for.
  init(
    _ log: EventLog, _ files: StoreFiles, _ telemetry: StoreTelemetry,
    period: Duration = .milliseconds(250),
    open: @escaping @Sendable () -> FileWatch = { FileWatch() }
  ) {
    self.log = log
    store = files.path
    folder = files.log
    mark = files.mark
    self.telemetry = telemetry
    self.period = period
    self.open = open
  }

  /// Registers a listener, which is woken when the log grows.
  ///
  /// The listener reads the events that the log has already by itself. It may be woken once at the
  /// beginning, although the log has not grown.
  /// - Parameters:
  ///   - names: called when a file or folder of the store has come or gone, as after a rebuild of
  ///     the read model by any process; nil for nothing. It must not block.
  ///   - body: called on the writing thread or on the watch's own; it must not block.
  /// - Returns: a token for ``forget(_:)``.
  package func listen(
    names: (@Sendable () -> Void)? = nil, _ body: @escaping @Sendable () -> Void
  ) -> Int {
    let (listener, watch) = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = body
      state.nameListeners[state.next] = names
      guard state.watch == nil, !state.isClosed else { return (state.next, nil as FileWatch?) }
      state.announced = nil
      state.watch = open()
      return (state.next, state.watch)
    }
    if let watch { start(watch) }
    return listener
  }

  /// Removes a listener. A call to it may still be in progress.
  package func forget(_ listener: Int) {
    let watch = state.withLock { state -> FileWatch? in
      state.listeners[listener] = nil
      state.nameListeners[listener] = nil
      guard state.listeners.isEmpty else { return nil }
      defer { state.watch = nil }
      return state.watch
    }
    watch?.endWait()
  }

  /// Removes all listeners, because the store is closed.
  func close() {
    let watch = state.withLock { state in
      defer {
        (state.watch, state.listeners, state.nameListeners, state.isClosed) = (nil, [:], [:], true)
      }
      return state.watch
    }
    watch?.endWait()
  }

  /// Wakes the listeners if the log has grown since they were last woken.
  ///
  /// To be called when this store may have written, and has released the commit lock.
  /// - Parameter always: whether to wake them in any case. A writer is sure that they were called
  ///   when it goes on. Otherwise the watch's own thread may be about to call them.
  func announce(always: Bool = false) { _ = announce(log.durableEnd, always: always) }

  /// - Returns: whether the log has grown since the listeners were last woken.
  private func announce(_ end: LogPosition, always: Bool) -> Bool {
    let (hasGrown, listeners) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
      let hasGrown = state.announced != end
      state.announced = end
      return (hasGrown, always || hasGrown ? Array(state.listeners.values) : [])
    }
    for listener in listeners { listener() }
    return hasGrown
  }

  // MARK: - For tests

  /// The number of times that a thread has looked at the log, and woken listeners if it had to.
  var looks: Int { state.withLock { $0.looks } }

  /// The number of threads that watch the log.
  var threads: Int { state.withLock { $0.threads } }

  // MARK: - The thread

  private func start(_ watch: FileWatch) {
    state.withLock { $0.threads += 1 }
    let thread = Thread { [self] in
      run(watch)
      state.withLock { $0.threads -= 1 }
    }
    thread.name = "daybook-log-watch"
    thread.start()
  }

  private func run(_ watch: FileWatch) {
    var changes = FileWatch.Changes.names
    var isTold = false
    while state.withLock({ $0.watch === watch }) {
      // Before the look, so that no change is missed in between.
      if !isTold || changes.contains(.names) { isTold = add(to: watch) }
      let (isRead, hasGrown) = refresh()
      if !isTold || changes.contains(.names) {
        for body in state.withLock({ Array($0.nameListeners.values) }) { body() }
      }
      // The system tells of this store's own writes, too. Of those that follow closely, one look is
      // enough, and each would take time from the next commit.
      if !hasGrown { Thread.sleep(forTimeInterval: Self.pause) }
      changes = watch.wait(atMost: isTold && isRead ? nil : period)
    }
  }

  /// Watches the files that are at the paths now.
  /// - Returns: whether the system tells of all their changes.
  private func add(to watch: FileWatch) -> Bool {
    do {
      try watch.add(namesIn: store)
      try watch.add(namesIn: folder)
      try watch.add(writesTo: mark)
      return true
    } catch {
      let isFirst = state.withLock { state in
        defer { state.hasWarned = true }
        return !state.hasWarned
      }
      if isFirst { telemetry.polls(error, every: period) }
      return false
    }
  }

  /// The time before the next look if only this store has written, in seconds.
  private static let pause = 0.002

  /// Reads what other processes have written, and wakes the listeners if the log has grown.
  /// - Returns: whether the log can be read now, and whether another process has written to it.
  private func refresh() -> (isRead: Bool, hasGrown: Bool) {
    let isRead = (try? log.refreshForReading()) != nil
    let end = log.durableEnd
    // If this store is writing, it announces that itself, when the read model shows it, too.
    let hasGrown = !log.isLocked && announce(end, always: false)
    state.withLock { $0.looks += 1 }
    return (isRead, hasGrown)
  }
}
