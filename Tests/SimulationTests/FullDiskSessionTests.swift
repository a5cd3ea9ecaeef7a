import Daybook
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookStoreSimulation

extension StoreCampaignTests {
  /// An editing session on a disk that has no room.
  @Suite final class FullDiskSessionTests {
    private let place = FileManager.default.temporaryDirectory.appending(
      path: "daybook-full-\(UUID())")
    private var folder: URL { place.appending(path: StoreRun.folderName) }

    init() throws {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: place) }

    @Test(
      "what is typed on a full disk is kept, and written when there is room",
      .enabled(if: StoreCampaign.isPossible))
    func full() async throws {
      let store = try await Store.create(at: folder, options: StoreRun.options)
      try await store.write { tx in
        try tx.define(Definition("notes", [.text("body").merging()]))
        try tx.insert("notes", "n1")
      }
      let session = try await store.editingSession("notes", "n1", text: "body")
      try session.insert("one ", at: 0)
      try await session.flush()
      let watch = DiskWatch(place, seed: 1) { [] }
      watch.start()
      watch.inject(
        DiskFault(
          error: ENOSPC, scope: .changes, isForGood: true, prefix: StoreRun.folderName, wait: 0))
      for round in 0..<2 {
        try session.insert("two ", at: 4)
        let error = await #expect(throws: StoreError.self) { try await session.flush() }
        #expect(error?.code == .noSpace && session.state.problem?.code == .noSpace)
        #expect(session.state.unsaved == round + 1 && session.state.written == 1)
      }
      #expect(session.text == "one two two ")
      _ = watch.heal()
      try session.insert("three", at: 12)
      try await session.flush()
      #expect(session.state.isSaved && session.state.problem == nil)
      _ = watch.stop()
      try await store.close()
      let again = try await Store.open(at: folder, options: StoreRun.options)
      #expect(try await again.fetch("notes", "n1")?["body"] == "one two two three")
      try await again.close()
    }
  }
}
