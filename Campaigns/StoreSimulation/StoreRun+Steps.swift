import Daybook
import DaybookLogEngine
import DaybookSimulation
import Foundation

/// The steps of a store's instances.
extension StoreRun {
  enum Step: Sendable {
    case open(Store.Options)
    case close
    case rebuild
    case rebuildCollection
    case read
    case write([StoreWrite])
    /// Writes in order; each write needs all before it.
    case writeInOrder([StoreWrite])
    /// Syncs with the hub, after another store has written there.
    case receive(StoreCompany, [StoreWrite])

    var isReading: Bool { if case .read = self { true } else { false } }
  }

  /// Returns a step for each instance, or for one of them.
  mutating func anySteps() -> [(Int, Step)] {
    let isTogether = stores.count > 1 && random.below(4) > 0
    let indices = isTogether ? Array(stores.indices) : [random.below(stores.count)]
    let alone = stores.allSatisfy { $0 == nil }
    return indices.map { index in
      let step = anyStep(index, isAlone: alone && indices.count == 1)
      story.append(
        (stores.count > 1 ? "instance \(index) " : "") + describe(step)
          + (indices.count > 1 && index != indices.last ? ", while" : ""))
      return (index, step)
    }
  }

  /// - Parameter isAlone: Whether no other instance is open, or will be before the step ends.
  private mutating func anyStep(_ index: Int, isAlone: Bool) -> Step {
    guard stores[index] != nil else {
      var options = Self.options
      options.rebuildsReadModel = random.below(4) == 0
      // Deferred projection keeps the lock, so the instance must be the only one.
      options.defersProjection = stores.count == 1 && random.below(2) == 0
      if isAlone, random.below(4) == 0 { removeReadModel() }
      return .open(options)
    }
    // With several instances, more of them read what the others do.
    switch random.below(stores.count > 1 ? 13 : 10) {
    case 0...1: return .close
    case 2: return .rebuild
    case 3: return ledger.acknowledged.isEmpty ? .read : .rebuildCollection
    case 4, 10...12: return .read
    case 5...6:
      guard let company else { return .write(someWrites()) }
      return .receive(company, random.below(4) == 0 ? [] : someWrites(of: \.nextOfOther))
    // A group takes at most two large writes.
    case 7: return .writeInOrder(someWrites(of: \.next, oneOf: 4))
    default: return .write(someWrites())
    }
  }

  /// Returns changes by other programs to the store's files; no other fault hits those files.
  mutating func anyMeddling() -> [StoreMeddling] {
    let lock = folder.appending(path: "lock")
    defer { if random.below(3) == 0 { olderLock = try? Data(contentsOf: lock) } }
    guard random.below(3) == 0 else { return [] }
    return (0..<1 + random.below(3)).map { _ in
      switch random.below(4) {
      case 0: .stray(StoreMeddling.strays[random.below(StoreMeddling.strays.count)])
      case 1: .lock(olderLock)
      default: .lock(nil)
      }
    }
  }

  /// Returns the number of a call; mostly a small one.
  ///
  /// A commit makes about ten calls, and opening about thirty.
  mutating func anyMoment() -> Int { 1 + random.below(random.below(2) == 0 ? 12 : 60) }

  mutating func someWrites() -> [StoreWrite] { someWrites(of: \.next) }

  /// Returns one to four writes, sometimes large enough for the log to be sealed.
  ///
  /// - Parameter some: The writes are large once in this many times.
  private mutating func someWrites(of next: WritableKeyPath<Self, Int>, oneOf some: Int = 12)
    -> [StoreWrite]
  {
    let count = 1 + random.below(4)
    let size = random.below(some) == 0 ? 600_000 : 10 + random.below(3000)
    let writes = (0..<count).map { i in
      StoreWrite(
        number: self[keyPath: next] + i, size: size, noise: random.next(), texts: ledger.texts)
    }
    self[keyPath: next] += count
    return writes
  }

  private mutating func removeReadModel() {
    story.append("the read model is removed")
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: folder.appending(path: "read-model.sqlite\(suffix)"))
    }
  }

  private func describe(_ step: Step) -> String {
    switch step {
    case .open(let options):
      "opens" + (options.rebuildsReadModel ? ", and rebuilds" : "")
        + (options.defersProjection ? ", to fill it" : "")
    case .close: "closes"
    case .rebuild: "rebuilds"
    case .rebuildCollection: "rebuilds the collection"
    case .read: "reads on"
    case .write(let writes): "writes \(describe(writes))"
    case .writeInOrder(let writes): "writes in order \(describe(writes))"
    case .receive(_, let writes): "syncs, after another has written \(describe(writes))"
    }
  }

  private func describe(_ writes: [StoreWrite]) -> String {
    guard let first = writes.first, let last = writes.last else { return "nothing" }
    return "\(first.number)…\(last.number), \(first.size) bytes each"
  }

  /// Performs all steps concurrently; readers go on until the other steps have ended.
  ///
  /// - Parameter meddling: Changes that other programs make to the store's files meanwhile.
  /// - Returns: The outcome of each step.
  mutating func perform(_ steps: [(Int, Step)], beside meddling: [StoreMeddling] = []) async
    -> [Result<Void, any Error>]
  {
    let (folder, ledger) = (folder, ledger)
    let left = StepsLeft(steps.count { !$0.1.isReading })
    var outcomes: [Result<Void, any Error>] = []
    await withTaskGroup(of: (Int, Store?, Result<Void, any Error>)?.self) { group in
      for (index, step) in steps {
        let store = stores[index]
        group.addTask {
          defer { if !step.isReading { left.end() } }
          return await Self.perform(step, store, index, folder, ledger, left)
        }
      }
      group.addTask {
        for one in meddling { await one.apply(to: folder) }
        return nil
      }
      for await ended in group {
        guard let (index, store, outcome) = ended else { continue }
        stores[index] = store
        outcomes.append(outcome)
      }
    }
    for one in meddling { story.append("… and \(one)") }
    statistics.meddled += meddling.count
    for (_, step) in steps {
      switch step {
      case .rebuild, .rebuildCollection: statistics.rebuilds += 1
      case .write(let writes), .writeInOrder(let writes): statistics.writes += writes.count
      case .receive: statistics.syncs += 1
      default: break
      }
    }
    return outcomes
  }

  private static func perform(
    _ step: Step, _ store: Store?, _ index: Int, _ folder: URL, _ ledger: StoreLedger,
    _ left: StepsLeft
  ) async -> (Int, Store?, Result<Void, any Error>) {
    do {
      guard let store else {
        guard case .open(var options) = step else { return (index, nil, .success(())) }
        if options.rebuildsReadModel { options.progress = waiting(for: ledger, left) }
        return (index, try await Store.open(at: folder, options: options), .success(()))
      }
      switch step {
      case .open: break
      case .close:
        do { try await store.close() } catch { return (index, nil, .failure(error)) }
        return (index, nil, .success(()))
      case .rebuild: try await store.rebuild()
      case .rebuildCollection: _ = try await store.rebuild(collection: "notes")
      case .read:
        repeat {
          let acknowledged = ledger.acknowledged.count
          let rows = try await rows(store)
          guard rows >= acknowledged || ledger.isFailing else {
            throw Violation(.projected, "\(rows) rows when \(acknowledged) were acknowledged")
          }
        } while left.isAny
      case .write(let writes): try await write(writes, store, ledger)
      case .writeInOrder(let writes): try await writeInOrder(writes, store, ledger)
      case .receive(let company, let writes):
        for write in writes { ledger.begin(write) }
        try await company.write(writes)
        try await company.meet(store)
        for write in writes { ledger.acknowledge(write.number) }
      }
      return (index, store, .success(()))
    } catch { return (index, store, .failure(error)) }
  }

  /// Returns what an opening calls while it rebuilds. When the read model is made and not yet in
  /// its place, it waits until another instance has written.
  private static func waiting(for ledger: StoreLedger, _ left: StepsLeft)
    -> @Sendable (Store.RebuildProgress) -> Void
  {
    { progress in
      guard progress.phase == .indexing, progress.done == progress.total else { return }
      let known = ledger.acknowledged.count
      // Another step may itself wait for this rebuild.
      let end = ContinuousClock.now + .milliseconds(50)
      while left.isAnyOther, ledger.acknowledged.count == known, ContinuousClock.now < end {
        usleep(200)
      }
    }
  }

  private static func write(_ writes: [StoreWrite], _ store: Store, _ ledger: StoreLedger)
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for write in writes {
        ledger.begin(write)
        group.addTask {
          do { try await write.run(in: store) } catch {
            ledger.refuse(write.number, error)
            throw error
          }
          ledger.acknowledge(write.number)
        }
      }
      // Wait for all of them, even if one fails.
      var failure: (any Error)?
      while let outcome = await group.nextResult() {
        if case .failure(let error) = outcome { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }

  private static func writeInOrder(_ writes: [StoreWrite], _ store: Store, _ ledger: StoreLedger)
    async throws
  {
    ledger.beginSeries(writes)
    let written = await store.write(series: writes.map(\.inSeries))
    for write in writes[..<written.values.count] { ledger.acknowledge(write.number) }
    guard let failure = written.failure else { return }
    for write in writes[written.values.count...] { ledger.refuse(write.number, failure) }
    throw failure
  }

  mutating func closeAll() async throws {
    for index in stores.indices {
      guard let store = stores[index] else { continue }
      stores[index] = nil
      try await store.close()
    }
    story.append("all is closed")
  }
}
