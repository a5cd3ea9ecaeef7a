import DaybookEngine
import DaybookLocks
import DaybookReplication
import Foundation

/// Reports changes of the names in a shared folder.
///
/// It wakes at once if the system tells of changes. It also polls the folders' times and the number
/// of their names. Polling is slower but works on network drives.
final class FolderWatch: Sendable {
  private let disk: FolderDisk
  private let lookout: Duration
  private let watch = FileWatch()
  private let isStopped = Mutex(false)

  /// How long to wait after a wake-up, in microseconds, because sync programs deliver several files
  /// at a time.
  private static let pause: UInt32 = 20_000

  init(_ disk: FolderDisk, lookout: Duration) {
    self.disk = disk
    self.lookout = lookout
  }

  func stop() {
    isStopped.withLock { $0 = true }
    watch.endWait()
  }

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
    var seen = try scan()
    onChange()
    while true {
      let isTold = !watch.wait(atMost: lookout).isEmpty
      if isStopped.withLock(\.self) { return }
      if isTold { usleep(Self.pause) }
      let now = try scan()
      // Folder times are coarse, so what the system tells always counts as a change.
      if isTold || now != seen { onChange() }
      seen = now
    }
  }

  /// Returns the folders to watch, each with a fingerprint that changes with its contents. Begins
  /// to watch new folders. A folder that cannot be read now will look changed later.
  private func scan() throws -> [String: Int64] {
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
      try? watch.add(namesIn: disk.path(folder), closings: true)
      guard !folder.isEmpty, let facts = try? disk.facts(folder) else { continue }
      seen[folder] = facts.modified &* 1_000_003 &+ Int64((try? disk.list(folder).count) ?? 0)
    }
    return seen
  }
}
