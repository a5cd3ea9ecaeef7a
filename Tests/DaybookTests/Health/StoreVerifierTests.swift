import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// What `verify` says of the events that the read model does not show yet.
@Suite struct StoreVerifierTests {
  /// Makes a store whose read model lacks the last event.
  private func behind(_ folder: TemporaryStore) async throws -> StoreFiles {
    let files = StoreFiles(folder: folder.url)
    let old = try TemporaryStore()
    try FileManager.default.createDirectory(at: old.url, withIntermediateDirectories: true)
    let kept = old.url.appending(path: "read-model").path(percentEncoded: false)
    var store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    try await store.close()
    try FileManager.default.copyItem(atPath: files.readModel, toPath: kept)
    store = try await Store.open(at: folder.url)
    try await store.write { try $0.insert("notes", "n2", ["title": .text("two")]) }
    try await store.close()
    try StoreFiles.removeReadModel(files.readModel)
    try FileManager.default.moveItem(atPath: kept, toPath: files.readModel)
    return files
  }

  private func change(_ files: StoreFiles, _ sql: String) throws {
    let queue = try ReadModelFile.openAlone(files.readModel)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test("a read model that is behind is sound if the rest of the log can be projected")
  func lag() async throws {
    let folder = try TemporaryStore()
    _ = try await behind(folder)
    let found = try await Store.verify(at: folder.url)
    #expect(found.isSound && found.isCompared)
    #expect(found.notes.contains("the read model is 1 events behind the log"), "\(found.notes)")
  }

  /// A collection that SQLite refuses is set aside, so that its table is missing.
  @Test("an event that the read model lacks and will not take is a difference")
  func refusedEvent() async throws {
    let folder = try TemporaryStore()
    try change(
      try await behind(folder),
      """
      CREATE TRIGGER refuse BEFORE INSERT ON notes WHEN NEW.id = 'n2'
      BEGIN SELECT RAISE(ABORT, 'it will not'); END
      """)
    let found = try await Store.verify(at: folder.url)
    #expect(!found.isSound && found.log.isSound)
    #expect(found.difference != nil || !found.readModelFindings.isEmpty, "\(found)")
  }

  @Test("an event that the read model lacks and would show wrongly is a difference")
  func differentEvent() async throws {
    let folder = try TemporaryStore()
    try change(
      try await behind(folder),
      """
      CREATE TRIGGER differ AFTER INSERT ON notes WHEN NEW.id = 'n2'
      BEGIN UPDATE notes SET title = 'other' WHERE id = NEW.id; END
      """)
    let found = try await Store.verify(at: folder.url)
    #expect(!found.isSound && found.log.isSound)
    #expect(found.difference != nil || !found.readModelFindings.isEmpty, "\(found)")
  }

  @Test("without a usable read model, the whole log is projected, and its state is named")
  func withoutReadModel() async throws {
    let folder = try TemporaryStore()
    let files = try await behind(folder)
    let store = try await Store.open(at: folder.url)
    let digest = try await store.digest().digest
    try await store.close()
    for change in ["UPDATE _daybook_checkpoint SET format = 0", nil] {
      if let change {
        try self.change(files, change)
      } else {
        try StoreFiles.removeReadModel(files.readModel)
      }
      let found = try await Store.verify(at: folder.url)
      #expect(found.isSound && !found.isCompared, "\(found)")
      #expect(found.digest == digest)
      #expect(found.notes.count == 1, "\(found.notes)")
    }
  }
}
