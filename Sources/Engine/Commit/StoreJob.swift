import Dispatch

/// What a store's commit thread does.
enum StoreJob: Sendable {
  case write(WriteJob)
  /// Runs alone on the commit thread. Ends a bulk load first.
  case other(@Sendable (StoreEngine) -> Void)
  /// Runs alone on the commit thread. Does not end a bulk load.
  case inspection(@Sendable (StoreEngine) -> Void)

  var isWrite: Bool { if case .write = self { true } else { false } }
}

extension CommitThread<StoreJob> {
  /// Starts the thread on which an engine writes.
  /// - Parameters:
  ///   - engine: the engine, which nothing else uses from now on.
  ///   - watch: is told when the log may have grown.
  ///   - indexingDelay: the milliseconds until the search index follows a change.
  static func writing(_ engine: StoreEngine, _ watch: LogWatch, indexingDelay: Int)
    -> CommitThread<StoreJob>
  {
    let thread = CommitThread(
      name: "daybook-commit",
      take: { jobs in jobs.prefix(while: \.isWrite).prefix(StoreEngine.groupJobsMax).count },
      run: { jobs in
        var writes: [WriteJob] = []
        for job in jobs {
          switch job {
          case .write(let write): writes.append(write)
          case .inspection(let body): body(engine)
          case .other(let body):
            // An error here is made good, or thrown again, when the read model is needed.
            try? engine.bulkLoad?.end()
            body(engine)
          }
        }
        if !writes.isEmpty { engine.commit(writes) }
        watch.announce(always: !writes.isEmpty)
        engine.scheduleIndexing()
      })
    engine.indexingDelay = .milliseconds(indexingDelay)
    engine.enqueue = { [weak thread] in _ = thread?.enqueue($0) }
    return thread
  }

  /// Runs `body` between two groups of writes, and suspends the task until it is done.
  /// - Throws: what `body` throws; ``StoreError`` `closed`.
  func run<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = enqueue(
        .other { engine in
          continuation.resume(with: Result { try StoreError.surfacing { try body(engine) } })
        })
      if !isTaken { continuation.resume(throwing: StoreError.storeIsClosed) }
    }
  }

  /// Runs `body` between two groups of writes, and waits for it on the calling thread, which may
  /// block.
  /// - Throws: what `body` throws; ``StoreError`` `closed`; `reentrant` within a transaction of the
  ///   store.
  func runNow<T: Sendable>(_ body: @escaping @Sendable (StoreEngine) throws -> T) throws -> T {
    let outcome = Awaited<T>()
    let isTaken = try perform(
      .other { engine in outcome.set(Result { try StoreError.surfacing { try body(engine) } }) })
    guard isTaken else { throw StoreError.storeIsClosed }
    return try outcome.wait()
  }
}

extension StoreError {
  static var storeIsClosed: StoreError { StoreError(.closed, "the store is closed") }
}
