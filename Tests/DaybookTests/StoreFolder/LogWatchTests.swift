import DaybookLocks
import DaybookLogEngine
import DaybookSimulation
import Foundation
import GRDB
import Logging
import Testing

@testable import Daybook
@testable import DaybookEngine

/// How listeners hear that a log has grown. Each test waits for a wake, and never for time.
@Suite(.timeLimit(.minutes(10))) struct LogWatchTests {
  private let folder: TemporaryStore
  private static let notes = Definition(collection: "notes", fields: [])

  init() throws { folder = try TemporaryStore() }

  /// A listener to a watch.
  private final class Listener: Sendable {
    private let wakes: AsyncStream<Void>
    private let token: Int
    private let watch: LogWatch

    init(_ watch: LogWatch) {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      (self.watch, wakes) = (watch, stream)
      token = watch.listen { continuation.yield() }
    }

    /// Looks at the condition at once and after each wake, until it holds.
    func wait(until isSo: () throws -> Bool) async rethrows {
      if try isSo() { return }
      for await _ in wakes where try isSo() { return }
    }

    func end() { watch.forget(token) }
  }

  /// Waits for something that wakes no listener.
  private func poll(until isSo: () -> Bool) async throws {
    while !isSo() { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func open(_ options: Store.Options = .init()) async throws -> Store {
    try await Store.open(at: folder.url, options: options)
  }

  private func events(_ store: Store) -> UInt64 {
    store.core.log.vector.entries.reduce(0) { $0 + $1.sequence }
  }

  private func insert(_ store: Store, _ ids: ClosedRange<Int>) async throws {
    for id in ids { try await store.write { try $0.insert("notes", "n\(id)") } }
  }

  @Test("a listener is woken by a write of its own store, and can read it then")
  func ownWrite() async throws {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.notes) }
    let seen = Mutex<Set<Int>>([])
    let listener = Listener(store.core.watch)
    for id in 1...20 {
      let before = events(store)
      try await insert(store, id...id)
      await listener.wait { events(store) > before }
      seen.withLock { _ = $0.insert(id) }
    }
    #expect(seen.withLock { $0.count } == 20)
    listener.end()
    try await store.close()
  }

  @Test("a listener is not woken by a commit of its own store before the read model shows it")
  func readModelFirst() throws {
    let store = try BlockingStore.create(at: folder.url)
    try store.write { try $0.define(Self.notes) }
    let (watch, reader) = (store.store.core.watch, store.store.core.reads.reader)
    let shown = Mutex<[Int?]>([])
    let token = watch.listen {
      let count = try? reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
      shown.withLock { $0.append(count) }
    }
    while watch.looks < 1 { usleep(1_000) }
    for id in 1...50 {
      shown.withLock { $0 = [] }
      try store.write { try $0.insert("notes", "n\(id)") }
      // The system tells of this store's writes, too.
      while watch.looks < id + 1 { usleep(1_000) }
      #expect(shown.withLock { Set($0) } == [id])
    }
    watch.forget(token)
    try store.close()
  }

  @Test("a listener is woken by the write of another open store, also if its own is read-only")
  func otherStore() async throws {
    let writer = try await Store.create(at: folder.url)
    try await writer.write { try $0.define(Self.notes) }
    let reader = try await open(Store.Options(isReadOnly: true))
    let other = try await open()
    for store in [reader, other] {
      let listener = Listener(store.core.watch)
      for _ in 1...3 {
        try await writer.write { try $0.insert("notes", "\(UUID())") }
        await listener.wait { events(store) == events(writer) }
      }
      // Its segment is replaced, and the next write begins another.
      try writer.core.log.lock()
      try writer.core.log.seal()
      writer.core.log.unlock()
      try await writer.write { try $0.insert("notes", "\(UUID())") }
      await listener.wait { events(store) == events(writer) }
      listener.end()
    }
    for store in [reader, other, writer] { try await store.close() }
  }

  @Test("a watch sleeps while nothing is written, however often its store is read")
  func idle() async throws {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.notes) }
    let watch = LogWatch(
      store.core.log, store.core.files, store.core.telemetry, period: .milliseconds(1))
    let listener = Listener(watch)
    try await poll { watch.looks > 0 }
    let work = try TemporaryStore()
    let elsewhere = try await Store.create(at: work.url)
    try await elsewhere.write { try $0.define(Self.notes) }
    let looks = watch.looks
    for id in 1...20 {
      try await insert(elsewhere, id...id)
      try store.core.log.refreshForReading()
      _ = try await store.read { try String.fetchAll($0, sql: "SELECT id FROM notes") }
      _ = try await Store.status(at: folder.url)
    }
    #expect(watch.looks == looks)
    listener.end()
    try await elsewhere.close()
    try await store.close()
  }

  @Test("a watch that the system refuses polls, says so once, and hears the writes of others")
  func refusal() async throws {
    let log = RecordedLog()
    var options = Store.Options()
    options.logger = log.logger(.warning)
    let writer = try await Store.create(at: folder.url)
    let store = try await open(options)
    let watch = LogWatch(
      store.core.log, store.core.files, store.core.telemetry, period: .milliseconds(1),
      open: { FileWatch(refusal: EMFILE) })
    for _ in 1...2 {
      let listener = Listener(watch)
      let before = watch.looks
      try await writer.write { try $0.define(Self.notes) }
      try await writer.write { try $0.insert("notes", "\(UUID())") }
      await listener.wait { events(store) == events(writer) }
      try await poll { watch.looks > before + 2 }
      listener.end()
      try await poll { watch.threads == 0 }
    }
    let warnings = log.lines.filter { $0.message.contains("polled") }
    #expect(warnings.count == 1 && warnings.first?.level == .warning)
    #expect("\(warnings)".contains("Too many open files"))
    try await store.close()
    let status = try await Store.status(at: folder.url)
    #expect(status.incidents.contains { $0.message.contains("polled") })
    try await writer.close()
  }

  @Test("a watch has one thread while anyone listens, and none before and afterwards")
  func threads() async throws {
    let store = try await Store.create(at: folder.url)
    let watch = store.core.watch
    #expect(watch.threads == 0)
    for _ in 1...3 {
      let listeners = [Listener(watch), Listener(watch)]
      await listeners[0].wait { watch.threads == 1 }
      listeners[0].end()
      #expect(watch.threads == 1)
      listeners[1].end()
      try await poll { watch.threads == 0 }
    }
    _ = Listener(watch)
    try await store.close()
    try await poll { watch.threads == 0 }
    _ = Listener(watch)
    #expect(watch.threads == 0)
  }

  @Test("a watch survives that its folder is moved away and back, and hears later writes")
  func movedFolder() async throws {
    let log = RecordedLog()
    var options = Store.Options()
    options.logger = log.logger(.warning)
    let store = try await Store.create(at: folder.url, options: options)
    let watch = LogWatch(
      store.core.log, store.core.files, store.core.telemetry, period: .milliseconds(1))
    let listener = Listener(watch)
    try await poll { watch.looks > 0 }
    let (path, aside) = (store.core.files.log, folder.url.appending(path: "aside").path)
    #expect(rename(path, aside) == 0)
    try await poll { log.lines.contains { $0.message.contains("polled") } }
    let looks = watch.looks
    try await poll { watch.looks > looks + 2 }
    #expect(rename(aside, path) == 0)
    let writer = try await open()
    try await writer.write { try $0.define(Self.notes) }
    await listener.wait { events(store) == events(writer) }
    listener.end()
    try await poll { watch.threads == 0 }
    for store in [writer, store] { try await store.close() }
  }
}
