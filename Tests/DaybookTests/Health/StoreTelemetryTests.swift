import CoreMetrics
import DaybookSimulation
import Foundation
import GRDB
import Logging
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The lines and metrics that a store writes to an app's logger and metrics.
@Suite struct StoreTelemetryTests {
  private let folder: TemporaryStore
  private let log = RecordedLog()
  private let metrics = RecordedMetrics()

  init() throws { folder = try TemporaryStore() }

  private func options(_ level: Logger.Level = .trace) -> Store.Options {
    var options = Store.Options()
    options.logger = log.logger(level)
    options.metrics = metrics
    return options
  }

  /// Makes a store with a few events, and closes it.
  private func makeStore() async throws {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for number in 0..<5 {
      try await store.write { try $0.insert("notes", "n\(number)", ["title": .text("a")]) }
    }
    try await store.close()
  }

  private var segment: URL { folder.url.appending(path: "log/0000000000000001.segment") }

  @Test("commits, operations, groups, fsyncs and their times are counted")
  func commits() async throws {
    let store = try await Store.create(at: folder.url, options: options())
    try await store.write { try $0.define(StoreTests.notes) }
    let handles = metrics.handles
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await store.write { tx in
            try tx.insert("notes", "n\(number)")
            try tx.update("notes", "n\(number)", ["title": .text("x")])
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.close()
    // There are twenty writes, the definition, and the identity event.
    #expect(metrics.sum("daybook.commits") == 22)
    #expect(metrics.sum("daybook.group.size") == 22)
    #expect(metrics.sum("daybook.operations") >= 42)
    let groups = metrics["daybook.group.size"].count
    for name in ["daybook.commit.time", "daybook.fsync.time"] {
      #expect(metrics[name].count == groups, "\(name)")
      #expect(metrics[name].allSatisfy { $0 > 0 }, "\(name)")
    }
    #expect(metrics["daybook.projection.lag"].allSatisfy { $0 == 0 })
    #expect(metrics.handles == handles)
  }

  @Test("a commit logs nothing above debug, and never the written data")
  func secrets() async throws {
    let store = try await Store.create(at: folder.url, options: options())
    try await store.write { try $0.define(StoreTests.notes) }
    let before = log.lines.count
    try await store.write(actor: "mallory", label: "hush") {
      try $0.insert("notes", "secret-id", ["title": .text("secret value")])
    }
    _ = try? await store.write { try $0.insert("notes", "secret-id") }
    _ = try? await store.write {
      try $0.update("notes", "secret-id", ["pinned": .text("secret value")])
    }
    let said = log.lines.dropFirst(before)
    #expect(said.contains { $0.message == "a group was committed" })
    #expect(said.allSatisfy { $0.level <= .debug }, "\(said)")
    try await store.close()
    for word in ["secret", "mallory", "hush", "title"] {
      #expect(!log.lines.contains { $0.text.contains(word) }, "\(word)")
    }
  }

  @Test("opening and closing are logged once each, with figures and the folder")
  func lifecycle() async throws {
    try await makeStore()
    let store = try await Store.open(at: folder.url, options: options(.debug))
    try await store.close()
    #expect(
      log.lines.map(\.message).filter { $0.hasPrefix("the store") } == [
        "the store is open", "the store is closed",
      ])
    #expect(log.lines.first?.metadata["events"] == "7")
    #expect(log.lines.first?.metadata["store"]?.contains(folder.url.lastPathComponent) == true)
  }

  @Test("an opening after a crash logs the torn tail with segment and offset")
  func tornTail() async throws {
    try await makeStore()
    let end = try Data(contentsOf: segment).count
    let file = try FileHandle(forWritingTo: segment)
    try file.seekToEnd()
    try file.write(contentsOf: Data(repeating: 0xA5, count: 77))
    try file.close()
    let store = try await Store.open(at: folder.url, options: options())
    let line = try #require(log.first("torn tail"))
    #expect(line.level == .notice)
    #expect(line.metadata["segment"] == "1")
    #expect(line.metadata["offset"] == "\(end)")
    #expect(line.metadata["bytes"] == "77")
    #expect(line.metadata["copy"]?.hasPrefix("quarantine/") == true)
    #expect(metrics.sum("daybook.torn_tails") == 1)
    try await store.close()
  }

  @Test("each finding of damage is logged once as an error, and counted")
  func damage() async throws {
    try await makeStore()
    var bytes = try Data(contentsOf: segment)
    bytes[300] ^= 1
    try bytes.write(to: segment)
    let store = try await Store.open(at: folder.url, options: options())
    let errors = log.lines.filter { $0.level == .error }
    #expect(errors.count == store.damage.count)
    #expect(metrics.sum("daybook.damage") == Double(store.damage.count))
    #expect(errors.first?.metadata["segment"] == "1")
    #expect(errors.first?.metadata["offset"] != nil)
    await #expect(throws: (any Error).self) {
      try await store.write { try $0.delete("notes", "n1") }
    }
    #expect(log.first("transactions were not written")?.metadata["code"] == "damaged")
    try await store.close()
  }

  @Test("an app hears nothing from level info on of a new store and its first writes")
  func newStore() async throws {
    let store = try await Store.create(at: folder.url, options: options())
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title").searchable()]))
      try tx.insert("notes", "n", ["title": "one"])
    }
    try await store.close()
    let heard = log.lines.filter { $0.level >= .info }.map(\.message)
    #expect(heard.isEmpty, "\(heard)")
  }

  @Test("the quarantine and the rebuild of a broken read model are logged")
  func readModel() async throws {
    try await makeStore()
    try Data("no database".utf8).write(to: folder.url.appending(path: "read-model.sqlite"))
    let store = try await Store.open(at: folder.url, options: options())
    #expect(log.first("set aside")?.level == .notice)
    #expect(log.first("set aside")?.metadata["copy"]?.contains("quarantine") == true)
    let made = try #require(log.first("was made from the log"))
    #expect(made.level == .info)
    #expect(made.metadata["events"] == "7")
    try await store.rebuild()
    #expect(log.lines.count { $0.message.contains("was made from the log") } == 2)
    #expect(metrics["daybook.rebuild.time"].count == 2)
    let reading = metrics["daybook.rebuild.progress{phase=reading}"]
    #expect(reading.last == 1)
    #expect(reading.allSatisfy { (0...1).contains($0) })
    try await store.close()
  }

  @Test("a new identity is logged with the former one")
  func identity() async throws {
    try await makeStore()
    try FileManager.default.removeItem(at: folder.url.appending(path: "identity.key"))
    let store = try await Store.open(at: folder.url, options: options())
    try await store.write { try $0.delete("notes", "n1") }
    let line = try #require(log.first("new identity"))
    #expect(line.level == .notice)
    #expect(line.metadata["before"] == store.replica.description)
    #expect(line.metadata["origin"] != line.metadata["before"])
    try await store.close()
  }
}
