import CSystemCalls
import Foundation
import Replication
import Synchronization

/// Tells when the names in a shared folder change.
///
/// The system wakes it where it can (inotify). Besides, the folders' times and the number of their names
/// are looked at now and then: that works on network drives too, only later.
final class FolderWatch: Sendable {
  private let disk: FolderDisk
  private let lookout: Duration
  private let isStopped = Mutex(false)

  /// Programs that synchronise bring several files at a time.
  private static let settling: Int32 = 20
  /// Whoever stops is obeyed within so many milliseconds.
  private static let patience: Int32 = 200

  init(_ disk: FolderDisk, lookout: Duration) {
    self.disk = disk
    self.lookout = lookout
  }

  func stop() { isStopped.withLock { $0 = true } }

  func start(
    onChange: @escaping @Sendable () -> Void,
    onEnd: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let thread = Thread { [self] in
      do {
        try run(onChange)
        onEnd(nil)
      } catch { onEnd(error) }
    }
    thread.name = "daybook-folder-watch"
    thread.start()
  }

  private func run(_ onChange: () -> Void) throws {
    let watcher = daybook_watch_open()
    defer { daybook_watch_close(watcher) }
    var seen = try look(watcher)
    onChange()
    var lastLook = ContinuousClock.now
    while !isStopped.withLock(\.self) {
      let isWoken = daybook_watch_wait(watcher, Self.patience) == 1
      guard isWoken || ContinuousClock.now - lastLook >= lookout else { continue }
      if isWoken { daybook_watch_wait(-1, Self.settling) }
      let now = try look(watcher)
      lastLook = ContinuousClock.now
      // Times are coarse: what wakes counts whatever they say.
      if isWoken || now != seen { onChange() }
      seen = now
    }
  }

  /// The folders that count, with something that changes as they do; and begins to watch what is new. What
  /// cannot be looked at now counts as another then.
  private func look(_ watcher: Int32) throws -> [String: Int64] {
    try disk.requireFolder()
    var seen: [String: Int64] = [:]
    var folders = [""]
    for zone in try disk.list("") where FolderLayout.zone(of: zone) != nil {
      folders.append(zone)
      for writer in (try? disk.list(zone)) ?? [] where FolderLayout.writer(of: writer) != nil {
        folders.append(zone + "/" + writer)
      }
    }
    for folder in folders {
      // Before it is looked at: what comes in between is looked at twice.
      daybook_watch_add(watcher, disk.path(folder))
      guard !folder.isEmpty, let facts = try? disk.facts(folder) else { continue }
      seen[folder] = facts.modified &* 1_000_003 &+ Int64((try? disk.list(folder).count) ?? 0)
    }
    return seen
  }
}
