import Daybook
import Foundation

/// The replay of a history in several stores, one for each group of authors.
///
/// Causality is real: unless stores write alone, a store writes a commit only when it holds its
/// parents.
final class ReplayedHistory {
  /// The figures of a replay.
  struct Figures {
    var operations = 0
    var rounds = 0
    var exchanges = 0
    /// Number of conflicts that were new in a session.
    var conflicts = 0
    var writes = Latencies()
    /// Times of sync sessions; live, of each awaited parent from its acknowledgment to its arrival.
    var syncs = Latencies()
    var elapsed = Duration.zero
  }

  let writer: HistoryWriter
  let queues: [[Int]]
  let stores: [Store]
  let peers: [any LiveSyncPeer]
  private(set) var figures = Figures()

  /// - Parameters:
  ///   - queues: For each store, the indices of its commits.
  ///   - peers: A peer for each store.
  init(
    _ writer: HistoryWriter, queues: [[Int]], stores: [Store], peers: [any LiveSyncPeer]
  ) {
    self.writer = writer
    self.queues = queues
    self.stores = stores
    self.peers = peers
  }

  private var history: History { writer.history }

  /// Runs one session of a store with its peer.
  ///
  /// - Throws: ``BenchError`` if events are refused, or the peer reports a finding.
  @discardableResult
  private func sync(_ index: Int) async throws -> SyncReport {
    let start = ContinuousClock.now
    let report = try await stores[index].syncOnce(with: peers[index])
    figures.syncs.append(nanoseconds(ContinuousClock.now - start))
    figures.exchanges += report.exchanges
    figures.conflicts += report.newConflicts
    if let refusal = report.refusals.first {
      throw BenchError.found("store \(index) or its peer refuses events: \(refusal)")
    }
    if let finding = report.findings.first { throw BenchError.found("\(finding)") }
    return report
  }

  // MARK: - In rounds

  /// Replays the history in rounds.
  ///
  /// In each round every store writes the commits that it can. Then the stores that wrote sync.
  /// Then the stores sync whose next commit lacks parents, if these are published. All this happens
  /// one step after another, so that each run is the same.
  func runInRounds() async throws {
    let start = ContinuousClock.now
    var next = Array(repeating: 0, count: queues.count)
    var vectors = Array(repeating: VersionVector(), count: queues.count)
    var events: [EventID?] = Array(repeating: nil, count: history.commits.count)
    var isPublished = Array(repeating: false, count: history.commits.count)
    func commit(_ store: Int) -> Int? {
      next[store] < queues[store].count ? queues[store][next[store]] : nil
    }
    func lacks(_ store: Int, _ parent: Int) -> Bool {
      guard let event = events[parent] else { return true }
      return event.origin != stores[store].replica && !vectors[store].contains(event)
    }
    func sync(_ store: Int) async throws {
      try await self.sync(store)
      vectors[store] = try await stores[store].digest().vector
    }
    while queues.indices.contains(where: { commit($0) != nil }) {
      figures.rounds += 1
      var written: [[Int]] = Array(repeating: [], count: queues.count)
      for store in queues.indices {
        while let place = commit(store),
          !history.commits[place].parents.contains(where: { lacks(store, $0) })
        {
          events[place] = try await write(place, store)
          written[store].append(place)
          next[store] += 1
        }
      }
      guard written.contains(where: { !$0.isEmpty }) else {
        throw BenchError.found(
          "no store holds the parents of its next commit, though all have synced")
      }
      for store in queues.indices where !written[store].isEmpty {
        try await sync(store)
        for place in written[store] { isPublished[place] = true }
      }
      for store in queues.indices {
        guard let place = commit(store) else { continue }
        let parents = history.commits[place].parents
        if parents.contains(where: { lacks(store, $0) }), parents.allSatisfy({ isPublished[$0] }) {
          try await sync(store)
        }
      }
    }
    figures.elapsed = ContinuousClock.now - start
  }

  @discardableResult
  private func write(_ place: Int, _ store: Int, isAlone: Bool = false) async throws -> EventID {
    let start = ContinuousClock.now
    let (event, operations) = try await writer.write(place, to: stores[store], isAlone: isAlone)
    figures.writes.append(nanoseconds(ContinuousClock.now - start))
    figures.operations += operations
    return event
  }

  // MARK: - Alone

  /// Makes every store write all of its commits, without their parents, before any store syncs.
  func runAlone() async throws {
    let start = ContinuousClock.now
    for (store, queue) in queues.enumerated() {
      for place in queue { try await write(place, store, isAlone: true) }
    }
    figures.rounds = 1
    _ = try await syncToTheEnd()
    figures.elapsed = ContinuousClock.now - start
  }

  // MARK: - Live

  /// Replays the history in all stores concurrently; they sync in the background and wait for
  /// parents.
  func runLive() async throws {
    let start = ContinuousClock.now
    let engines = zip(stores, peers).map { store, peer in
      let engine = SyncEngine(store)
      engine.add(peer)
      return engine
    }
    let board = HistoryBoard(commits: history.commits.count)
    let (writer, stores) = (writer, stores)
    try await withThrowingTaskGroup(of: Figures.self) { group in
      for (store, queue) in zip(stores, queues) {
        group.addTask {
          do { return try await Self.write(queue, of: writer, to: store, board) } catch {
            await board.fail(error)
            throw error
          }
        }
      }
      for try await part in group {
        figures.operations += part.operations
        figures.writes.append(contentsOf: part.writes)
        figures.syncs.append(contentsOf: part.syncs)
      }
    }
    try await waitUntilSynced(engines)
    figures.elapsed = ContinuousClock.now - start
    for engine in engines { await engine.stop() }
  }

  @concurrent
  private static func write(
    _ queue: [Int], of writer: HistoryWriter, to store: Store, _ board: HistoryBoard
  ) async throws -> Figures {
    var figures = Figures()
    for place in queue {
      for parent in writer.history.commits[place].parents {
        let (event, acknowledged) = try await board.event(of: parent)
        if event.origin == store.replica { continue }
        try await wait(for: event, in: store)
        figures.syncs.append(nanoseconds(ContinuousClock.now - acknowledged))
      }
      let start = ContinuousClock.now
      let (event, operations) = try await writer.write(place, to: store)
      figures.writes.append(nanoseconds(ContinuousClock.now - start))
      figures.operations += operations
      await board.note(event, of: place)
    }
    return figures
  }

  private static func wait(for event: EventID, in store: Store) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while ContinuousClock.now < end {
      if try await store.digest().vector.contains(event) { return }
      try await Task.sleep(for: .microseconds(200))
    }
    throw BenchError.found(
      "\(event) has not arrived in \(store.url.lastPathComponent) within a minute")
  }

  /// Waits until the engines are idle and the stores hold the same.
  private func waitUntilSynced(_ engines: [SyncEngine]) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while ContinuousClock.now < end {
      var reports: Set<Store.DigestReport> = []
      for store in stores { reports.insert(try await store.digest()) }
      let states = engines.flatMap(\.states)
      if reports.count == 1, states.allSatisfy({ $0.phase == .idle && $0.unacknowledged == 0 }) {
        return
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let states = engines.flatMap(\.states).map { "\($0.phase) \($0.unacknowledged)" }
    throw BenchError.found(
      "the stores do not hold the same a minute after the last commit: "
        + states.joined(separator: ", "))
  }

  // MARK: - Final syncs

  /// Syncs every store in turn until a whole pass moves no events.
  ///
  /// - Returns: The number of passes, including the last one.
  /// - Throws: ``BenchError`` if events still move in the tenth pass.
  func syncToTheEnd() async throws -> Int {
    for pass in 1...10 {
      var moved: UInt64 = 0
      for store in stores.indices {
        let report = try await sync(store)
        moved += report.eventsSent + report.eventsReceived
      }
      if moved == 0 { return pass }
    }
    throw BenchError.found("events still move between the stores after ten sessions of each")
  }
}

/// The event of each commit written so far, for stores that wait for others' commits.
private actor HistoryBoard {
  private var events: [(event: EventID, acknowledged: ContinuousClock.Instant)?]
  private var waiting: [Int: [CheckedContinuation<Void, any Error>]] = [:]
  private var failure: (any Error)?

  init(commits: Int) { events = Array(repeating: nil, count: commits) }

  func event(of place: Int) async throws -> (event: EventID, acknowledged: ContinuousClock.Instant)
  {
    while true {
      if let failure { throw failure }
      if let event = events[place] { return event }
      try await withCheckedThrowingContinuation { waiting[place, default: []].append($0) }
    }
  }

  func note(_ event: EventID, of place: Int) {
    events[place] = (event, .now)
    for waiter in waiting.removeValue(forKey: place) ?? [] { waiter.resume() }
  }

  /// Ends every wait with an error.
  func fail(_ error: any Error) {
    failure = failure ?? error
    let all = waiting.values.flatMap { $0 }
    waiting = [:]
    for waiter in all { waiter.resume(throwing: error) }
  }
}
