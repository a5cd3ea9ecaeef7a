import DaybookReplication
import Foundation

/// Downloads the placeholders of a shared folder.
///
/// A few downloads run at once, and others wait. A failed download is retried after a while.
actor DownloadQueue {
  private let folder: URL
  private let downloader: any NoteDownloader
  private let options: NoteSync.Options
  private let onChange: @Sendable (NoteSync.Downloads, _ hasArrived: Bool) -> Void

  /// The placeholders that wait, by their paths in the folder.
  private var waiting: [String] = []
  private var running: [String: Task<Void, Never>] = [:]
  /// The downloads that have failed, until their retry.
  private var resting: [String: Task<Void, Never>] = [:]
  /// How often each download has failed in a row.
  private var failures: [String: Int] = [:]
  /// Files that have arrived, although the latest listing still shows their placeholders.
  private var arrived: Set<String> = []
  private var doneCount = 0
  private var lastProblem: String?
  private var isStopped = false

  init(
    _ folder: URL, _ downloader: any NoteDownloader, _ options: NoteSync.Options,
    onChange: @escaping @Sendable (NoteSync.Downloads, _ hasArrived: Bool) -> Void
  ) {
    self.folder = folder
    self.downloader = downloader
    self.options = options
    self.onChange = onChange
  }

  /// Takes a new list of placeholders. Those that are gone need no download any more.
  func want(_ placeholders: [String]) {
    guard !isStopped else { return }
    let wanted = Set(placeholders)
    waiting.removeAll { !wanted.contains($0) }
    for (path, task) in resting where !wanted.contains(path) {
      task.cancel()
      resting[path] = nil
    }
    failures = failures.filter { wanted.contains($0.key) }
    // What has arrived and is a placeholder again was evicted.
    arrived.formIntersection(wanted)
    let known = Set(waiting).union(running.keys).union(resting.keys).union(arrived)
    waiting += placeholders.filter { !known.contains($0) }
    go()
    tell()
  }

  /// Tries those that have failed again now.
  func hurry() {
    for task in resting.values { task.cancel() }
    waiting += resting.keys.sorted()
    resting = [:]
    go()
    tell()
  }

  /// Ends all downloads, and waits for those that run.
  func stop() async {
    isStopped = true
    waiting = []
    for task in resting.values { task.cancel() }
    for task in running.values { task.cancel() }
    for task in running.values { await task.value }
  }

  private func go() {
    while running.count < max(options.downloadsMax, 1), !waiting.isEmpty, !isStopped {
      let path = waiting.removeFirst()
      running[path] = Task { await run(path) }
    }
  }

  private func run(_ path: String) async {
    let placeholder = folder.appending(path: path)
    let name = placeholder.lastPathComponent.dropFirst().dropLast(".icloud".count)
    let file = placeholder.deletingLastPathComponent().appending(path: String(name))
    do {
      try await downloader.download(placeholder, to: file)
      ended(path, nil)
    } catch {
      ended(path, error)
    }
  }

  private func ended(_ path: String, _ error: (any Error)?) {
    running[path] = nil
    guard !isStopped else { return }
    if let error {
      let count = failures[path, default: 0] + 1
      failures[path] = count
      lastProblem = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      resting[path] = Task { await rest(path, after: count) }
    } else {
      failures[path] = nil
      arrived.insert(path)
      doneCount += 1
    }
    if failures.isEmpty { lastProblem = nil }
    go()
    tell(hasArrived: error == nil)
  }

  private func rest(_ path: String, after count: Int) async {
    let backoff = Backoff(first: options.firstRetry, last: options.lastRetry)
    guard (try? await Task.sleep(for: backoff.pause(after: count))) != nil, resting[path] != nil
    else { return }
    resting[path] = nil
    waiting.append(path)
    go()
    tell()
  }

  private func tell(hasArrived: Bool = false) {
    var downloads = NoteSync.Downloads()
    (downloads.waiting, downloads.running) = (waiting.count + resting.count, running.count)
    (downloads.done, downloads.failing) = (doneCount, failures.count)
    downloads.problem = lastProblem
    onChange(downloads, hasArrived)
  }
}
