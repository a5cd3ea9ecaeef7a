import Daybook
import DaybookEventCore
import DaybookLogEngine
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookStoreSimulation

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

    private static let failsAll =
      ProcessInfo.processInfo.environment["DAYBOOK_READ_FAILURES"] == "all"

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
      DiskFault(error: EIO, scope: .everything, isForGood: false, prefix: path, wait: wait)
    }

    /// Runs `body` again and again on a copy of the store as it is now, with another failing call
    /// each time, until no call has failed. The calls would never come to an end on a store that
    /// grows.
    /// - Parameters:
    ///   - path: The beginning of the names whose calls fail, in the folder of the test.
    ///   - stride: The distance of the calls that fail; `DAYBOOK_READ_FAILURES=all` for each.
    ///   - check: Checks the store after each run, without failures.
    /// - Returns: The number of calls that have failed.
    private func sweep(
      _ path: String = "", by stride: Int = 1, _ body: () async throws -> Void,
      check: (_ story: String) async throws -> Void = { _ in }
    ) async throws -> Int {
      let original = place.appendingPathExtension("original")
      try FileManager.default.copyItem(at: place, to: original)
      defer { try? FileManager.default.removeItem(at: original) }
      var wait = 0
      while true {
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: original, to: place)
        let watch = DiskWatch(place, seed: 1) { [] }
        watch.start()
        watch.inject(failOnce(path, after: wait))
        do { try await body() } catch { try StoreRun.requireTyped(error) }
        let failures = watch.heal()
        _ = watch.stop()
        try await check(failures.story.joined(separator: "; "))
        if failures.story.isEmpty { return wait }
        wait += Self.failsAll ? 1 : stride
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
      let failed = try await sweep {
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
      let failed = try await sweep(StoreRun.folderName + "/read-model") {
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
      let failed = try await sweep {
        let status = try await Store.status(at: self.folder)
        #expect(status.events == 4 && status.damage.isEmpty && !status.isPoisoned)
        #expect(status.quarantine.isEmpty)
      }
      #expect(failed > 20)
      try await StoreRun.verify(folder)
    }

    private var backup: URL { place.appending(path: "backup") }
    private var target: URL { place.appending(path: "restored") }

    /// Expects that the store is as ``makeStore()`` has left it.
    private func requireWhole(_ digest: Store.DigestReport, _ story: String) async throws {
      #expect(StoreRun.setAside(folder) == [], "\(story)")
      let store = try await open()
      #expect(store.damage.isEmpty, "\(story)")
      #expect(try await store.digest() == digest, "\(story)")
      #expect(try await StoreRun.rows(store) == 3)
      try await store.close()
    }

    private func digest() async throws -> Store.DigestReport {
      let store = try await open()
      let digest = try await store.digest()
      try await store.close()
      return digest
    }

    @Test("a verification is right or an error if a call fails once, and changes nothing")
    func failedVerification() async throws {
      _ = try await makeStore()
      let digest = try await digest()
      let failed = try await sweep(by: 2) {
        let found = try await Store.verify(at: self.folder)
        // It says what could not be read, or that everything is sound.
        #expect(found.isSound || found.isUnread, "\(found)")
      } check: {
        try await self.requireWhole(digest, $0)
      }
      #expect(failed > 40)
    }

    @Test("a rebuild takes place or is an error if a call fails once, and nothing is lost")
    func failedRebuild() async throws {
      _ = try await makeStore()
      let digest = try await digest()
      let failed = try await sweep(by: 7) {
        let store = try await self.open()
        do { try await store.rebuild() } catch {
          try? await store.close()
          throw error
        }
        try await store.close()
      } check: {
        try await self.requireWhole(digest, $0)
      }
      #expect(failed > 100)
    }

    @Test("a backup is whole or an error if a call fails once, and the store and the last one stay")
    func failedBackup() async throws {
      _ = try await makeStore()
      let first = try await Store.backup(at: folder, to: backup)
      let store = try await open()
      try await StoreWrite(number: 3, size: 50, noise: 9).run(in: store)
      try await store.close()
      var made: UInt64 = 0
      let failed = try await sweep(by: 2) {
        made = first.events
        made = try await Store.backup(at: self.folder, to: self.backup).events
        #expect(made > first.events)
      } check: { story in
        let found = try await Store.verify(backup: self.backup)
        #expect(found.isSound && found.events >= made, "\(story)")
        #expect(StoreRun.setAside(self.folder) == [], "\(story)")
        let again = try await Store.backup(at: self.folder, to: self.backup)
        #expect(again.events > first.events, "\(story)")
        #expect(try await Store.verify(backup: self.backup).isSound, "\(story)")
      }
      #expect(failed > 40)
      try await StoreRun.verify(folder)
    }

    @Test("a restored store is whole, or there is none, if a call fails once")
    func failedRestore() async throws {
      _ = try await makeStore()
      let digest = try await digest()
      _ = try await Store.backup(at: folder, to: backup)
      let failed = try await sweep(by: 5) {
        _ = try await Store.restore(backup: self.backup, to: self.target)
      } check: { story in
        if FileManager.default.fileExists(atPath: self.target.appending(path: "identity").path) {
          let store = try await Store.open(at: self.target, options: StoreRun.options)
          #expect(store.damage.isEmpty, "\(story)")
          #expect(try await store.digest() == digest, "\(story)")
          try await store.close()
        } else {
          try? FileManager.default.removeItem(at: self.target)
          _ = try await Store.restore(backup: self.backup, to: self.target)
        }
        #expect(try await Store.verify(backup: self.backup).isSound, "\(story)")
      }
      #expect(failed > 40)
    }

    @Test("a repair can be repeated if a call fails once, and keeps what it replaces")
    func failedRepair() async throws {
      _ = try await makeStore()
      let digest = try await digest()
      _ = try await Store.backup(at: folder, to: backup)
      let segment = folder.appending(path: "log/0000000000000001.segment")
      var damaged = try Data(contentsOf: segment)
      damaged[damaged.count / 2] ^= 1
      try damaged.write(to: segment)
      let failed = try await sweep(by: 7) {
        let report = try await Store.repair(at: self.folder, from: [self.backup])
        #expect(report.isSound)
      } check: { story in
        let report = try await Store.repair(at: self.folder, from: [self.backup])
        #expect(report.isSound, "\(story): \(report)")
        let store = try await self.open()
        #expect(store.damage.isEmpty, "\(story)")
        #expect(try await store.digest() == digest, "\(story)")
        try await store.close()
        let kept = try FileManager.default.subpathsOfDirectory(
          atPath: self.folder.appending(path: "quarantine").path)
        #expect(
          try kept.contains {
            try Data(contentsOf: self.folder.appending(path: "quarantine/\($0)")) == damaged
          }, "\(story): \(kept)")
      }
      #expect(failed > 100)
    }
  }
}

extension Store.Verification {
  /// Whether all problems are those of a read model that could not be read.
  fileprivate var isUnread: Bool {
    isDurablySound && difference == nil
      && readModelFindings.allSatisfy { $0.contains("cannot be read") }
  }
}
