import Daybook
import EventCore
import Foundation
import LogEngine
import Simulation
import Testing

@testable import StoreSimulation

extension StoreCampaignTests {
  /// One call to the system fails once, whichever it is, which tells nothing about the contents of
  /// the disk.
  @Suite final class ReadFailureTests {
    private let place = FileManager.default.temporaryDirectory.appending(
      path: "daybook-read-\(UUID())")
    private var folder: URL { place.appending(path: StoreRun.folderName) }

    init() throws {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: place) }

    /// - Returns: The replica of the store.
    private func makeStore() async throws -> ReplicaID {
      let store = try await Store.create(at: folder, options: StoreRun.options)
      for number in 0..<3 {
        try await StoreWrite(number: number, size: 100, noise: 7).run(in: store)
      }
      try await store.close()
      return store.replica
    }

    private func failOnce(_ path: String, after wait: Int) -> DiskFault {
      DiskFault(
        error: EIO, scope: .everything, isForGood: false, prefix: StoreRun.folderName + path,
        wait: wait)
    }

    /// Runs `body` again and again on a copy of the store as it is now, with another failing call
    /// each time, until no call has failed. The calls would never come to an end on a store that
    /// grows.
    /// - Parameter check: Checks the store after each run, without failures.
    /// - Returns: The number of calls that have failed.
    private func sweep(
      _ path: String, _ body: () async throws -> Void,
      check: (_ story: String) async throws -> Void = { _ in }
    ) async throws -> Int {
      let original = place.appendingPathExtension("original")
      try FileManager.default.copyItem(at: folder, to: original)
      defer { try? FileManager.default.removeItem(at: original) }
      var wait = 0
      while true {
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.copyItem(at: original, to: folder)
        let watch = DiskWatch(place, seed: 1) { [] }
        watch.start()
        watch.inject(failOnce(path, after: wait))
        do { try await body() } catch { try StoreRun.requireTyped(error) }
        let failures = watch.heal()
        _ = watch.stop()
        try await check(failures.story.joined(separator: "; "))
        if failures.story.isEmpty { return wait }
        wait += 1
      }
    }

    private func open() async throws -> Store {
      try await Store.open(at: folder, options: StoreRun.options)
    }

    /// A read model that could not be read once was set aside. A key that could not be read was
    /// replaced by a new one, and the store went on as another replica.
    @Test("a call that fails once while a store is opened or written to changes nothing")
    func transient() async throws {
      let replica = try await makeStore()
      var acknowledged = 3
      let failed = try await sweep("/") {
        acknowledged = 3
        let store = try await self.open()
        do {
          try await StoreWrite(number: 3, size: 50, noise: 9).run(in: store)
          acknowledged = 4
        } catch {
          try? await store.close()
          throw error
        }
        try await store.close()
      } check: { story in
        #expect(StoreRun.setAside(self.folder) == [], "\(story)")
        let store = try await self.open()
        #expect(store.replica == replica)
        #expect(store.damage.isEmpty)
        #expect(try await store.digest().vector.count == 1)
        #expect(try await StoreRun.rows(store) >= acknowledged)
        try await store.close()
      }
      #expect(failed > 100)
      try await StoreRun.verify(folder)
    }

    /// The last event was damaged and the mark was missing, so that only the read model proved the
    /// event to be acknowledged. The read model could not be read once, and the event was cut off
    /// as a torn tail.
    @Test("evidence that an event was durable is not passed over if it cannot be read once")
    func evidence() async throws {
      let replica = try await makeStore()
      let segment = folder.appending(path: "log/0000000000000001.segment")
      var bytes = try Data(contentsOf: segment)
      bytes[bytes.count - 20] ^= 1
      try bytes.write(to: segment)
      try FileManager.default.removeItem(at: folder.appending(path: "log/mark"))
      let failed = try await sweep("/read-model") {
        let store = try await self.open()
        #expect(!store.damage.isEmpty)
        try await store.close()
      } check: { story in
        #expect(StoreRun.setAside(self.folder) == [], "\(story)")
        let now = try Data(contentsOf: segment)
        #expect(now == bytes, "\(story)")
      }
      #expect(failed > 5)
      #expect(StoreRun.setAside(folder) == [])
      let store = try await open()
      #expect(!store.damage.isEmpty && store.recovery.tornTail == nil)
      #expect(store.replica == replica)
      try await store.close()
    }

    @Test("the status of a store is right or an error if a call fails once")
    func failedStatus() async throws {
      _ = try await makeStore()
      let failed = try await sweep("/") {
        let status = try await Store.status(at: self.folder)
        #expect(status.events == 4 && status.damage.isEmpty && !status.isPoisoned)
        #expect(status.quarantine.isEmpty)
      }
      #expect(failed > 20)
      try await StoreRun.verify(folder)
    }
  }
}
