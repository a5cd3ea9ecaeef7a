import Daybook
import DaybookLocks
import Foundation
import Testing

@testable import DaybookStoreSimulation

extension StoreCampaignTests {
  /// The power fails before any call of a backup and of a restore.
  @Suite final class BackupPowerTests {
    private let base = FileManager.default.temporaryDirectory.appending(
      path: "daybook-backup-power-\(UUID())")
    /// The watched folder.
    private var place: URL { base.appending(path: "place") }
    /// The folder for the images.
    private var image: URL { base.appending(path: "image") }

    init() throws {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: base) }

    /// Makes a store, or adds to it.
    private func write(_ numbers: Range<Int>) async throws -> Store.DigestReport {
      let folder = place.appending(path: StoreRun.folderName)
      let store =
        numbers.lowerBound == 0
        ? try await Store.create(at: folder, options: StoreRun.options)
        : try await Store.open(at: folder, options: StoreRun.options)
      for number in numbers {
        try await StoreWrite(number: number, size: 3000, noise: 7).run(in: store)
      }
      let digest = try await store.digest()
      try await store.close()
      return digest
    }

    /// Each seed takes images before other calls; more with `DAYBOOK_POWER_SEEDS=8`.
    static let seeds: Range<UInt64> =
      0..<(ProcessInfo.processInfo.environment["DAYBOOK_POWER_SEEDS"].flatMap { UInt64($0) } ?? 1)
    private static let stride = 8

    /// Runs `body` with an image before every eighth call.
    /// - Parameter body: The work; it gets a closure that marks a step as acknowledged.
    private func images(
      seed: UInt64, _ body: (_ done: @Sendable (Int) -> Void) async throws -> Void
    ) async throws -> [DiskWatch.Image] {
      let done = Mutex<Set<Int>>([])
      let watch = DiskWatch(place, seed: seed) { done.withLock { $0 } }
      watch.start()
      let first = 1 + Int(seed) % Self.stride
      for call in Swift.stride(from: first, to: 1000, by: Self.stride) { watch.plan(at: call) }
      do { try await body { step in done.withLock { _ = $0.insert(step) } } } catch {
        _ = watch.stop()
        throw error
      }
      #expect(watch.calls < 1000)
      #expect(watch.stop() == nil)
      return watch.takeImages()
    }

    @Test(
      "a backup in which the power fails is whole, or the one before",
      arguments: StoreCampaignTests.BackupPowerTests.seeds)
    func backup(seed: UInt64) async throws {
      let first = try await write(0..<4)
      let source = place.appending(path: StoreRun.folderName)
      let target = place.appending(path: "backup")
      let events = Mutex<[UInt64]>([])
      let images = try await images(seed: seed) { done in
        for turn in 1...2 {
          let report = try await Store.backup(at: source, to: target)
          events.withLock { $0.append(report.events) }
          done(turn)
          if turn == 1 { _ = try await self.write(4..<8) }
        }
        // There are calls after the last acknowledgement, too.
        _ = try await self.write(8..<9)
      }
      #expect(images.count > 8)
      for image in images {
        try StoreRun.put(image, in: self.image)
        let copy = self.image.appending(path: "backup")
        let acknowledged = image.acknowledged.max() ?? 0
        let isThere = FileManager.default.fileExists(
          atPath: copy.appending(path: "backup.json").path)
        #expect(isThere || acknowledged == 0, "\(image.moment)")
        let restored = self.image.appending(path: "restored")
        if isThere {
          let found = try await Store.verify(backup: copy)
          #expect(found.isSound, "\(image.moment): \(found.findings)")
          let least = events.withLock { acknowledged == 0 ? $0[0] : $0[acknowledged - 1] }
          #expect(found.events >= least, "\(image.moment)")
          _ = try await Store.restore(backup: copy, to: restored)
          let store = try await Store.open(at: restored, options: StoreRun.options)
          #expect(try await StoreRun.rows(store) >= (acknowledged == 2 ? 8 : 4))
          if found.events == events.withLock({ $0[0] }) {
            #expect(try await store.digest() == first, "\(image.moment)")
          }
          try await store.close()
        }
        // The next backup goes on from what is there.
        let there = self.image.appending(path: StoreRun.folderName)
        _ = try await Store.backup(at: there, to: copy)
        #expect(try await Store.verify(backup: copy).isSound, "\(image.moment)")
      }
    }

    @Test(
      "a restore in which the power fails leaves a whole store or none",
      arguments: StoreCampaignTests.BackupPowerTests.seeds)
    func restore(seed: UInt64) async throws {
      let digest = try await write(0..<4)
      let backup = place.appending(path: "backup")
      let target = place.appending(path: "restored")
      _ = try await Store.backup(at: place.appending(path: StoreRun.folderName), to: backup)
      let images = try await images(seed: seed) { done in
        _ = try await Store.restore(backup: backup, to: target)
        done(1)
        let store = try await Store.open(at: target, options: StoreRun.options)
        try await StoreWrite(number: 4, size: 50, noise: 9).run(in: store)
        done(2)
        try await store.close()
      }
      #expect(images.count > 8)
      var whole = 0
      for image in images {
        try StoreRun.put(image, in: self.image)
        let copy = self.image.appending(path: "restored")
        #expect(try await Store.verify(backup: self.image.appending(path: "backup")).isSound)
        guard
          FileManager.default.fileExists(atPath: copy.appending(path: "identity").path)
        else {
          #expect(image.acknowledged.isEmpty, "\(image.moment)")
          let error = await #expect(throws: StoreError.self) { try await Store.open(at: copy) }
          #expect(error?.code == .notAStore, "\(image.moment)")
          continue
        }
        whole += 1
        let store = try await Store.open(at: copy, options: StoreRun.options)
        #expect(store.damage.isEmpty, "\(image.moment)")
        let rows = try await StoreRun.rows(store)
        #expect(rows >= (image.acknowledged.contains(2) ? 5 : 4), "\(image.moment)")
        let vector = try await store.digest().vector
        for (origin, sequence) in digest.vector.entries {
          #expect(vector[origin] >= sequence, "\(image.moment)")
        }
        if !image.acknowledged.contains(1) {
          #expect(try await store.digest() == digest, "\(image.moment)")
        }
        // The power may fail between the new key and the new name. The next write takes another.
        try await StoreWrite(number: 6, size: 50, noise: 9).run(in: store)
        try await store.close()
        try await StoreRun.verify(copy)
      }
      #expect(whole > 1)
    }
  }
}
