import DaybookLocks
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Locks, also if their files are removed.
@Suite struct LockFileTests {
  private func insert(_ id: String, _ store: Store) async throws {
    try await store.write { try $0.insert("notes", id, ["title": .text("note \(id)")]) }
  }

  #if os(Linux)
    @Test("no program that a process starts inherits a file of its open stores")
    func inheritance() async throws {
      let folder = try TemporaryStore()
      let store = try await Store.create(at: folder.url)
      try await store.write { try $0.define(StoreTests.notes) }
      try await insert("n1", store)
      _ = try await store.search("note")
      try await store.rebuild()
      // The process started by `popen` has all descriptors that are not closed on starting it.
      let pipe = try #require(popen("ls -l /proc/self/fd", "r"))
      var seen = ""
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, Int32(line.count), pipe) != nil {
        seen += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      }
      #expect(pclose(pipe) == 0 && seen.contains(" 1 -> "), "\(seen)")
      #expect(!seen.contains(folder.url.lastPathComponent), "\(seen)")
      try await store.close()
    }
  #endif

  /// One instance went on in a segment that another had replaced, and its acknowledged events were
  /// lost.
  @Test(
    "the lock file may be removed or replaced while stores are in use",
    arguments: [false, true])
  func removed(isReplaced: Bool) async throws {
    let folder = try TemporaryStore()
    let lock = folder.url.appending(path: "lock")
    let one = try await Store.create(at: folder.url)
    try await one.write { try $0.define(StoreTests.notes) }
    try await insert("n1", one)
    let old = try Data(contentsOf: lock)
    func lose() throws {
      try FileManager.default.removeItem(at: lock)
      if isReplaced { try old.write(to: lock) }
    }
    try lose()
    let two = try await Store.open(at: folder.url)
    // The note is so large that closing seals the segment, and another file replaces it.
    try await two.write { tx in
      var random = SystemRandomNumberGenerator()
      let noise = (0..<1 << 18).map { _ in String(UInt64.random(in: 0 ... .max, using: &random)) }
      try tx.insert("notes", "large", ["body": .text(noise.joined())])
    }
    try await two.close()
    try await insert("n2", one)
    try lose()
    let three = try await Store.open(at: folder.url)
    try await insert("n3", three)
    try lose()
    try await insert("n4", one)
    try await insert("n5", three)
    for store in [one, three] {
      for id in ["n1", "large", "n2", "n3", "n4", "n5"] {
        #expect(try await store.fetch("notes", id) != nil, "\(id)")
      }
      try await store.close()
    }
    let again = try await Store.open(at: folder.url)
    #expect(again.recovery.isClean, "\(again.recovery)")
    #expect(try await again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } == 6)
    try await again.close()
    let found = try await Store.verify(at: folder.url)
    #expect(found.isSound, "\(found)")
  }

  @Test("no file of an open store is inherited by child processes")
  func inherited() async throws {
    let links = "/proc/self/fd"
    guard FileManager.default.fileExists(atPath: links) else { return }
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    try await insert("n1", store)
    try await store.rebuild()
    let root = folder.url.resolvingSymlinksInPath().path
    var names: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: links) {
      guard let descriptor = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\(name)"),
        target.hasPrefix(root)
      else { continue }
      names.append(target)
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(target)")
    }
    #expect(names.count > 4)
    try await store.close()
  }

  /// The calls once took a mutex that was held while the commit thread waited for another process's
  /// lock.
  @Test(
    "calls that do not write do not wait for the writes of another instance",
    .timeLimit(.minutes(10)))
  func unblocked() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.lockTimeout = .seconds(3600)
    let store = try await Store.create(at: folder.url, options: options)
    try await store.write { try $0.define(StoreTests.notes) }
    try await insert("n1", store)
    let other = try await Store.open(at: folder.url)
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let elsewhere = Task {
      try await other.write { tx in
        hasBegun.signal()
        mayEnd.wait()
        try tx.insert("notes", "n2")
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        hasBegun.wait()
        continuation.resume()
      }
    }
    let waiting = Task { try await insert("n3", store) }
    // The write soon waits for the lock, and keeps waiting.
    for _ in 0..<1000 {
      #expect(store.damage.isEmpty)
      try store.core.log.refreshForReading()
      await Task.yield()
    }
    #expect(try await store.fetch("notes", "n1") != nil)
    #expect(try await store.changes(from: .vector(.init())).count == 1)
    _ = try await store.status()
    mayEnd.signal()
    try await elsewhere.value
    try await waiting.value
    #expect(try await store.fetch("notes", "n3") != nil)
    try await other.close()
    try await store.close()
  }
}
