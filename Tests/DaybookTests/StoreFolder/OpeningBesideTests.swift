import DaybookLocks
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Openings beside a store that is in use.
@Suite struct OpeningBesideTests {
  /// The opening put the read model of an older snapshot in the place of the live one, without the
  /// commit lock.
  @Test("an opening that rebuilds hides no acknowledged write from readers")
  func rebuildBeside() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    let acknowledged = Mutex(0)
    let insertMany: @Sendable () -> Void = {
      for _ in 0..<100 {
        let next = acknowledged.withLock { $0 }
        do {
          try store.blocking.write {
            try $0.insert("notes", "n\(next)", ["title": .text("note \(next)")])
          }
        } catch { Issue.record("\(error)") }
        acknowledged.withLock { $0 += 1 }
      }
    }
    var options = Store.Options()
    options.rebuildsReadModel = true
    // More is written once the read model is made, and before it is in place.
    options.progress = { step in
      if step.phase == .indexing, step.done == step.total { insertMany() }
    }
    insertMany()
    let isOver = Mutex(false)
    let reading = Task {
      var lacking: [String] = []
      while !isOver.withLock({ $0 }) {
        let before = acknowledged.withLock { $0 }
        let rows = try await store.read {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") ?? 0
        }
        if rows < before { lacking.append("\(rows) of \(before)") }
      }
      return lacking
    }
    for _ in 0..<5 { try await Store.open(at: folder.url, options: options).close() }
    isOver.withLock { $0 = true }
    #expect(try await reading.value == [])
    try await store.close()
    let found = try await Store.verify(at: folder.url)
    #expect(found.isSound, "\(found)")
  }

  /// Found by a life of a store: the opening read its list of origins before the write, and the
  /// definitions after it, and said that the read model was damaged.
  @Test("a store is opened while another instance writes the first definitions")
  func defineBeside() async throws {
    for round in 0..<120 {
      let folder = try TemporaryStore()
      let store = try await Store.create(at: folder.url)
      async let opened = Store.open(at: folder.url)
      // So that the write meets other steps of the opening in each round.
      for _ in 0..<round % 40 { _ = try await store.read { try Int.fetchOne($0, sql: "SELECT 1") } }
      try await store.write { try $0.define(StoreTests.notes) }
      try await opened.close()
      try await store.close()
    }
  }
}
