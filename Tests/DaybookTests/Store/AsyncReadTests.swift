import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Reads by asynchronous callers, which must not be blocked.
@Suite struct AsyncReadTests {
  private static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
    """

  @Test("a cancelled read is interrupted, and its connection stays usable")
  func cancellation() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for _ in 0..<AsyncReads.threadsMax + 1 {
      let (begun, began) = AsyncStream<Void>.makeStream()
      let reading = Task {
        try await store.read { db in
          began.yield()
          return try Int.fetchOne(db, sql: Self.endless)
        }
      }
      for await _ in begun { break }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
    #expect(try await store.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
    try await store.close()
  }

  @Test("a read that is cancelled while it waits is not begun")
  func waiting() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let begun = CallCount()
    let readers = (0..<AsyncReads.threadsMax).map { _ in
      Task {
        try await store.read { db in
          begun.add()
          return try Int.fetchOne(db, sql: Self.endless)
        }
      }
    }
    while begun.value < AsyncReads.threadsMax { await Task.yield() }
    let late = Task { try await store.read { _ in begun.add() } }
    late.cancel()
    for reader in readers { reader.cancel() }
    for reader in readers {
      await #expect(throws: CancellationError.self) { try await reader.value }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(begun.value == AsyncReads.threadsMax)
    try await store.close()
  }

  @Test("many more reads than threads all return, with reads within reads")
  func many() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      for number in 0..<20 { try tx.insert("notes", "n\(number)") }
    }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<500 {
        group.addTask {
          try await store.read { db in
            let inner = try store.blocking.read {
              try Int.fetchOne($0, sql: "SELECT count(*) FROM notes")
            }
            return try (inner ?? 0) + (Int.fetchOne(db, sql: "SELECT count(*) FROM notes") ?? 0)
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 500 * 40)
    try await store.close()
    await #expect(throws: (any Error).self) { try await store.read { _ in } }
  }
}
