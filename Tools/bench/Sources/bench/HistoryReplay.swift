internal import Daybook
internal import Foundation

/// A history on its way through stores, one for each group of authors. What a commit's parents are is
/// real: a store writes a commit only when it holds them.
final class HistoryReplay {
  /// What it took.
  struct Figures {
    var operations = 0
    var rounds = 0
    var exchanges = 0
    /// That sessions have found to be new.
    var conflicts = 0
    var writes = Latencies()
    /// Of sync sessions, or, live, from a parent's acknowledgement to its arrival where it is waited for.
    var syncs = Latencies()
    var elapsed = Duration.zero
  }

  let writer: HistoryWriter
  let queues: [[Int]]
  let stores: [Store]
  let peers: [any LiveSyncPeer]
  private(set) var figures = Figures()

  /// - Parameters:
  ///   - queues: for each store, the places of its commits.
  ///   - peers: for each store.
  init(
    _ writer: HistoryWriter, queues: [[Int]], stores: [Store], peers: [any LiveSyncPeer]
  ) {
    self.writer = writer
    self.queues = queues
    self.stores = stores
    self.peers = peers
  }

  private var history: History { writer.history }

  /// One session of a store with its peer.
  @discardableResult
  private func sync(_ index: Int) async throws -> SyncReport {
    let start = ContinuousClock.now
    let report = try await stores[index].sync(with: peers[index])
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

  /// In each round every store writes what it can; then those that wrote sync, and then those whose next
  /// commit has parents that they do not hold, and that can be had. One after another, so that each run
  /// does the same.
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

  /// Every store writes all of its commits before it hears of any other; parents are not waited for.
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

  /// All stores at once, which sync in the background; each waits for what it needs.
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
    try await settle(engines)
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

  /// Until the engines have nothing to do, and the stores hold the same.
  private func settle(_ engines: [SyncEngine]) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while ContinuousClock.now < end {
      var reports: Set<DigestReport> = []
      for store in stores { reports.insert(try await store.digest()) }
      let states = engines.flatMap(\.states)
      if reports.count == 1, states.allSatisfy({ $0.phase == .idle && $0.pending == 0 }) { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    let states = engines.flatMap(\.states).map { "\($0.phase) \($0.pending)" }
    throw BenchError.found(
      "the stores do not hold the same a minute after the last commit: "
        + states.joined(separator: ", "))
  }

  // MARK: - In the end

  /// Sessions of every store in turn, until a whole pass of them moves nothing.
  /// - Returns: how many passes it took, the last one included.
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

/// Which event each commit has become, for stores that wait for others.
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

  /// Nobody has to wait any longer.
  func fail(_ error: any Error) {
    failure = failure ?? error
    let all = waiting.values.flatMap { $0 }
    waiting = [:]
    for waiter in all { waiter.resume(throwing: error) }
  }
}
