import Daybook
import DaybookHubClient
import Foundation

/// `daybook history EVTOOL FILE FOLDER`: replays a real history of many authors in several stores.
///
/// Each store replays one group of authors. It writes a commit when it holds the commit's parents,
/// and fetches those that it lacks:
///
/// - `--through hub`: by sync sessions with a hub of another process, only when it lacks something;
/// - `--through live`: by engines that sync with that hub in the background, all stores at once;
/// - `--through folder`: by sync sessions with a shared folder, without stamps;
/// - `--through late`: by sessions with the hub after every store has written all of its commits.
///   No store has then seen another's commits, so parents are not required and all groups are
///   concurrent.
///
/// `--commits N` replays only the first N commits; the default is all.
///
/// At the end, all stores must hold and show the same, as the history says. One more store, which
/// is filled from the hub or folder, must agree too. If they differ, the command prints the
/// differences and exits with 1.
func daybookHistory(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let file = try words.next("FILE")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("groups", default: 8)
  let commits = try words.number("commits", default: 0)
  let way = try words.choice(
    "through", of: ["hub": HistoryWay.hub, "live": .live, "folder": .folder, "late": .late],
    default: .hub)
  try words.finish()
  let history = try History(path: file, first: commits == 0 ? nil : commits)
  let authors = history.authors.count
  guard (1...authors).contains(count) else {
    throw BenchError("--groups takes 1 to \(authors), as there are \(authors) authors")
  }
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  var input = JSONLine()
  input.add("daybook", "history_file")
  input.add("commits", history.commits.count)
  input.add("merges", history.merges)
  input.add("authors", authors)
  input.add("paths", history.paths.count)
  input.add("changes", history.changes)
  input.write()

  let hub = try way == .folder ? nil : MeasuredHub(evtool, folder.appending(path: "hub"))
  defer { hub?.stop() }
  let meeting = folder.appending(path: "meeting")
  try FileManager.default.createDirectory(at: meeting, withIntermediateDirectories: true)
  func peer() throws -> any LiveSyncPeer {
    guard let hub else { return FolderPeer(meeting) }
    return try HubClient(url: hub.url, zone: "history") { nil }
  }
  let queues = history.divided(among: count)
  var stores: [Store] = []
  for index in queues.indices {
    let store = try await Store.create(at: folder.appending(path: "store-\(index)"))
    try await HistoryWriter.define(store)
    stores.append(store)
  }
  let peers = try stores.map { _ in try peer() }
  let replay = ReplayedHistory(
    HistoryWriter(history), queues: queues, stores: stores, peers: peers)
  switch way {
  case .hub, .folder: try await replay.runInRounds()
  case .live: try await replay.runLive()
  case .late: try await replay.runAlone()
  }
  write(replay.figures, of: history, through: way)
  let passes = try await replay.syncToTheEnd()

  let newcomer = try await Store.create(at: folder.appending(path: "newcomer"))
  let start = ContinuousClock.now
  try await newcomer.syncOnce(with: try peer())
  let filled = ContinuousClock.now - start
  stores.append(newcomer)
  var line = JSONLine()
  line.add("daybook", "history_end")
  line.add("through", way.rawValue)
  line.add("passes", passes)
  line.add("newcomer_s", seconds: UInt64(nanoseconds(filled)))
  if let hub { line.add("hub_peak_memory_kib", hub.peakMemory) }
  try await check(stores, history, alone: way == .late ? queues : nil, line)
  for store in stores { try await store.close() }
}

private enum HistoryWay: String { case hub, live, folder, late }

private func write(
  _ figures: ReplayedHistory.Figures, of history: History, through way: HistoryWay
) {
  let seconds = Double(nanoseconds(figures.elapsed)) / 1e9
  var line = JSONLine()
  line.add("daybook", "history_replay")
  line.add("through", way.rawValue)
  line.add("operations", figures.operations)
  line.add("total_s", seconds: UInt64(nanoseconds(figures.elapsed)))
  line.add("commits_per_second", Int64(Double(history.commits.count) / seconds))
  line.add("operations_per_second", Int64(Double(figures.operations) / seconds))
  if way != .live {
    line.add("rounds", figures.rounds)
    line.add("exchanges", figures.exchanges)
    line.add("conflicts_on_the_way", figures.conflicts)
  }
  line.write()
  let syncs = way == .live ? "history_arrival" : "history_session"
  for (name, latencies) in [("history_commit", figures.writes), (syncs, figures.syncs)] {
    var line = JSONLine()
    line.add("daybook", name)
    line.add("through", way.rawValue)
    line.add("total_s", seconds: UInt64(latencies.total))
    line.add(latencies)
    line.write()
  }
}

/// Compares all stores at the end, and writes the result.
///
/// - Throws: ``BenchError`` with the differences, if there are any.
private func check(
  _ stores: [Store], _ history: History, alone groups: [[Int]]?, _ line: JSONLine
) async throws {
  guard let first = stores.first, let newcomer = stores.last else { return }
  var check = HistoryCheck(history)
  let (conflicts, rebuild) = try await check.compare(stores)
  try await check.compareCommits(newcomer)
  let files = try await check.compareFiles(newcomer, groups: groups)
  let verification = try await check.verify(first)
  let status = try await first.status()
  let fresh = try await newcomer.status()
  var line = line
  line.add("stores", stores.count)
  line.add("events", status.events)
  line.add("log_bytes", status.logBytes)
  line.add("newcomer_log_bytes", fresh.logBytes)
  line.add("read_model_bytes", fresh.readModelBytes)
  line.add("conflicts", conflicts)
  line.add("files", files.shown)
  line.add("files_line_by_line", files.linear)
  line.add("files_left_open", files.open)
  line.add("files_different_from_line_by_line", files.different)
  line.add("files_of_several_commits", files.mixed)
  line.add("rebuild_s", seconds: UInt64(nanoseconds(rebuild)))
  line.add("verify_s", seconds: UInt64(nanoseconds(verification)))
  line.add("peak_memory_kib", peakMemory())
  line.add("equal", check.isEqual)
  line.write()
  if !check.isEqual { throw BenchError.found(check.findings.joined(separator: "\n")) }
}
