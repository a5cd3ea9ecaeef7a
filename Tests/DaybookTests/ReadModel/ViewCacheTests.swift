import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The cache that readers keep between two reads.
@Suite struct ViewCacheTests {
  @Test("readers see new definitions, entities and histories of every instance")
  func freshness() async throws {
    let folder = try TemporaryStore()
    let one = try await Store.create(at: folder.url)
    let two = try await Store.open(at: folder.url)
    let reader = try await Store.open(at: folder.url, options: .init(isReadOnly: true))
    for number in 0..<20 {
      let (writer, name) = (number % 2 == 0 ? one : two, "c\(number % 5)")
      try await writer.write { tx in
        try tx.define(
          Definition(name, [.text("f\(number)").searchable()]))
        try tx.put(name, "e", ["f\(number)": .text("word\(number)")])
      }
      for store in [one, two, reader] {
        #expect(try await store.schema()[name]?[field: "f\(number)"] != nil)
        #expect(try await store.fetch(name, "e")?["f\(number)"] == .text("word\(number)"))
        #expect(try await store.search("word\(number)").map(\.collection) == [name])
        #expect(try await store.history(of: name, "e").count == number / 5 + 1)
      }
      if number == 9 {
        try await one.rebuild()
      }
    }
    for store in [reader, two, one] { try await store.close() }
  }

  @Test("readers beside a writer see snapshots, and a store closes cleanly among them")
  func concurrency() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...150 {
          try await store.write { tx in
            try tx.put("notes", "a", ["weight": .real(Double(number))])
            try tx.put("notes", "b", ["weight": .real(Double(number))])
          }
        }
      }
      for _ in 0..<6 {
        group.addTask {
          for _ in 0..<100 {
            let pair = try await store.core.reads.asynchronously { snapshot in
              let view = try snapshot.view
              return [try view.entity("notes", "a"), try view.entity("notes", "b")]
            }
            #expect(pair[0]?["weight"] == pair[1]?["weight"])
          }
        }
      }
      try await group.waitForAll()
    }
    // Readers that come too late are refused, and keep no file open.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try? await store.fetch("notes", "a") } }
      group.addTask { try? await store.close() }
    }
    try? await store.close()
    let again = try await Store.open(at: folder.url)
    #expect(try await again.fetch("notes", "a")?["weight"] == .real(150))
    try await again.close()
    let difference = try await Store.readModelDifference(at: folder.url)
    #expect(difference == nil)
  }
}
