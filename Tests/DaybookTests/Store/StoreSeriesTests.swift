import DaybookEventCore
import DaybookLocks
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct StoreSeriesTests {
  private static let notes = Definition(
    "notes",
    [
      .text("title").searchable(),
      .blob("data"),
    ])

  private static func insert(_ number: Int, data: [UInt8] = []) -> SeriesWrite<Int> {
    SeriesWrite(label: "\(number)") { tx in
      if number == 0 { try tx.define(notes) }
      try tx.insert("notes", "n\(number)", ["title": .text("note \(number)"), "data": .blob(data)])
      return number
    }
  }

  private static func labels(_ store: Store) async throws -> [String] {
    let labels = Mutex<[String]>([])
    try await store.forEachEvent { logged in
      if let label = logged.event.body?.label, !label.isEmpty {
        labels.withLock { $0.append(label) }
      }
      return true
    }
    return labels.withLock { $0 }
  }

  private static func open(_ folder: TemporaryStore, defers: Bool) async throws -> Store {
    var options = Store.Options()
    options.defersProjection = defers
    return try await Store.create(at: folder.url, options: options)
  }

  @Test("each write of a series is an event, in order", arguments: [false, true])
  func inOrder(defers: Bool) async throws {
    let folder = try TemporaryStore()
    let store = try await Self.open(folder, defers: defers)
    let written = await store.write(series: (0..<100).map { Self.insert($0) })
    #expect(written.values == Array(0..<100))
    #expect(written.failure == nil)
    #expect(try await Self.labels(store) == (0..<100).map(String.init))
    #expect(await store.write(series: [SeriesWrite<Int>]()).values.isEmpty)
    try await store.close()
  }

  @Test("a failing write of a series ends it after the writes before", arguments: [false, true])
  func failure(defers: Bool) async throws {
    let folder = try TemporaryStore()
    let store = try await Self.open(folder, defers: defers)
    let ran = Mutex<Set<Int>>([])
    let first = (0..<20).map { number in
      SeriesWrite(label: "\(number)") { tx -> Int in
        ran.withLock { _ = $0.insert(number) }
        let value = try Self.insert(number).body(tx)
        // The closure fails after it has written, so that the whole group is rolled back and
        // repeated.
        if number == 12 { try tx.insert("notes", "n3", [:]) }
        return value
      }
    }
    let written = await store.write(series: first)
    #expect(written.values == Array(0..<12))
    #expect((written.failure as? StoreError)?.code == .entityExists)
    #expect(ran.withLock { $0 } == Set(0...12))
    #expect(try await Self.labels(store) == (0..<12).map(String.init))

    let second = await store.write(series: [Self.insert(12), Self.insert(13)])
    #expect(second.values == [12, 13])
    try await store.close()
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound && verification.isCompared, "\(verification)")
  }

  @Test(
    "a series that is larger than frames and groups gives the same events",
    arguments: [false, true])
  func manyFrames(defers: Bool) async throws {
    let folder = try TemporaryStore()
    let store = try await Self.open(folder, defers: defers)
    let sizes = (0..<60).map { [10, 70_000, 300_000, 30_000, 1_500_000][$0 % 5] }
    let writes = sizes.enumerated().map { number, size in
      Self.insert(number, data: (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7 * number) })
    }
    let written = await store.write(series: writes)
    #expect(written.values == Array(0..<60))
    #expect(written.failure == nil)
    #expect(try await Self.labels(store) == (0..<60).map(String.init))
    let found = try await store.read { db in
      try Int.fetchAll(
        db, sql: "SELECT length(data) FROM notes ORDER BY CAST(substr(id, 2) AS INT)")
    }
    #expect(found == sizes)
    try await store.close()
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound && verification.isCompared, "\(verification)")
  }

  @Test("a group that fails ends its series, and not other writes")
  func failedGroup() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.lockTimeout = .zero
    let store = try await Store.create(at: folder.url, options: options)
    let outcomes = Mutex<[Int: Bool]>([:])
    let lock = CommitLock(folder: StoreFiles(folder: folder.url).path)
    try await store.core.onCommitThread { engine in
      let series = WriteSeries()
      let jobs = try (0..<3).map { number in
        try WriteJob(
          actor: "", label: "\(number)", annotations: [:], body: Self.insert(number).body,
          series: number == 2 ? nil : series
        ) { outcome in
          let isWritten = if case .success = outcome { true } else { false }
          outcomes.withLock { $0[number] = isWritten }
        }
      }
      try lock.lock(timeout: .zero)
      engine.commit([jobs[0]])
      lock.unlock()
      engine.commit([
        try WriteJob(
          actor: "", label: "define", annotations: [:], body: { try $0.define(Self.notes) },
          finish: { _ in })
      ])
      engine.commit([jobs[1], jobs[2]])
    }
    #expect(outcomes.withLock { $0 } == [0: false, 1: false, 2: true])
    #expect(try await Self.labels(store) == ["define", "2"])
    try await store.close()
  }

  @Test("an invalid annotation fails its own write, and a closed store fails the series")
  func refused() async throws {
    let folder = try TemporaryStore()
    let store = try await Self.open(folder, defers: false)
    var writes = (0..<5).map { Self.insert($0) }
    writes[3].annotations = ["not a key": ""]
    let written = await store.write(series: writes)
    #expect(written.values == [0, 1, 2])
    #expect((written.failure as? StoreError)?.code == .invalidName)
    try await store.close()
    let closed = await store.write(series: [Self.insert(3)])
    #expect(closed.values.isEmpty)
    #expect((closed.failure as? StoreError)?.code == .closed)
  }
}
