import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The checkpoints that keep the write-ahead log of the read model short.
@Suite struct WALCheckpointerTests {
  @Test("the write-ahead log stays short under writes that never pause")
  func restarts() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    let log = folder.url.appending(path: "read-model.sqlite-wal")
    // Without restarts, the log grew to 120 MB here.
    let text = String(repeating: "word ", count: 400)
    var longest: UInt64 = 0
    for round in 0..<2000 {
      let id = "n\(round % 40)"
      try await store.write { tx in
        for offset in 0..<4 {
          try tx.put("notes", "\(id)-\(offset)", ["title": .text("\(round) \(text)")])
        }
      }
      let size = try #require(
        try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? UInt64)
      longest = max(longest, size)
      if round % 200 == 199 {
        let entity = try #require(try await store.fetch("notes", "\(id)-0"))
        #expect(entity["title"] == .text("\(round) \(text)"))
      }
    }
    #expect(longest < 60 << 20, "the log grew to \(longest) bytes")
    try await store.close()
    let difference = try await Store.readModelDifference(at: folder.url)
    #expect(difference == nil)
  }

  @Test("the write-ahead log stays short in a store that only receives")
  func received() async throws {
    let (folder, other) = (try TemporaryStore(), try TemporaryStore())
    let store = try await Store.create(at: folder.url)
    let writer = try await Store.create(at: other.url)
    try await writer.write { try $0.define(StoreTests.notes) }
    let log = folder.url.appending(path: "read-model.sqlite-wal")
    let text = String(repeating: "word ", count: 4000)
    var longest: UInt64 = 0
    for round in 0..<400 {
      try await writer.write { tx in
        for offset in 0..<4 {
          try tx.put("notes", "n\(round % 40)-\(offset)", ["title": .text("\(round) \(text)")])
        }
      }
      try await store.syncOnce(with: StorePeer(writer))
      let size = try #require(
        try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? UInt64)
      longest = max(longest, size)
    }
    #expect(longest < 60 << 20, "the log grew to \(longest) bytes")
    #expect(try await store.digest() == writer.digest())
    try await store.close()
    try await writer.close()
  }
}
