import CSystemCalls
import Foundation
import Replication
import Synchronization

/// Reports changes of the names in a shared folder.
///
/// It wakes at once if the system reports changes (inotify). It also polls the folders' times and
/// the number of their names. Polling is slower but works on network drives.
final class FolderWatch: Sendable {
  private let disk: FolderDisk
  private let lookout: Duration
  private let isStopped = Mutex(false)

  /// How long to wait after a wake-up, in milliseconds, because sync programs deliver several files
  /// at a time.
  private static let settling: Int32 = 20
  /// The longest wait before the watch notices that it was stopped, in milliseconds.
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
      // Folder times are coarse, so a wake-up always counts as a change.
      if isWoken || now != seen { onChange() }
      seen = now
    }
  }

  /// Returns the folders to watch, each with a fingerprint that changes with its contents. Begins
  /// to watch new folders. A folder that cannot be read now will look changed later.
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
      // Add the watch first. A change in between is then seen twice rather than missed.
      daybook_watch_add(watcher, disk.path(folder))
      guard !folder.isEmpty, let facts = try? disk.facts(folder) else { continue }
      seen[folder] = facts.modified &* 1_000_003 &+ Int64((try? disk.list(folder).count) ?? 0)
    }
    return seen
  }
}
