#if Macros
  import Daybook
  import Foundation
  import Observation

  /// A folder for the stores of one test, each of which stands for a device.
  struct Place: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "daybook-requirements-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func open(
      _ name: String, _ schema: [any Entity.Type], migrations: [Migration] = [],
      options: Store.Options = Store.Options()
    ) async throws -> Store {
      try await Store.open(
        at: folder.appending(path: name), schema: schema, migrations: migrations, options: options)
    }

    /// Makes an empty folder beside the stores.
    func makeFolder(_ name: String) throws -> URL {
      let made = folder.appending(path: name)
      try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
      return made
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  extension Store {
    /// Exchanges events with another store until both hold the same.
    func meet(_ other: Store) async throws { try await syncOnce(with: StorePeer(other)) }

    /// The newest event of the log.
    func lastEvent() async throws -> LoggedEvent? {
      try await events(EventQuery(limit: 1, isNewestFirst: true)).all().first
    }
  }

  extension [Store] {
    func close() async throws { for store in self { try await store.close() } }
  }

  /// Waits until a condition on observable objects of the main actor is met.
  /// - Throws: `CancellationError` if the test has taken too long.
  @MainActor func wait(until isMet: @MainActor () -> Bool) async throws {
    while true {
      try Task.checkCancellation()
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      if withObservationTracking({ isMet() }, onChange: { continuation.yield() }) { return }
      for await _ in changes { break }
    }
  }

  /// Returns the code of the store's error that a call throws; nil if it throws nothing.
  func refusal<T>(_ call: () async throws -> T) async throws -> StoreError.Code? {
    do {
      _ = try await call()
      return nil
    } catch let error as StoreError {
      return error.code
    }
  }
#endif
