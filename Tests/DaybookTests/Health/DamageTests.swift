import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Damage to a small sealed store: flipped bits, and files that are missing, empty, cut or foreign.
/// `verify` finds the damage, no call traps, and no wrong row is served. With `DAYBOOK_DAMAGE=all`,
/// bits of each byte are flipped, and otherwise of each eighth byte.
@Suite struct DamageTests {
  @Test("a flipped bit in any file other than the read model is found", arguments: 0..<4)
  func flippedBit(part: Int) async throws {
    let isWhole = ProcessInfo.processInfo.environment["DAYBOOK_DAMAGE"] == "all"
    let sealed = try await SealedStore()
    for name in try sealed.names() where name != "read-model.sqlite" {
      let bytes = try sealed.bytes(name)
      for offset in stride(from: part, to: bytes.count, by: 4) {
        guard isWhole || offset / 4 % 8 == part else { continue }
        let bit = UInt8(1) << UInt8(offset / (isWhole ? 4 : 32) % 8)
        try sealed.write(bytes.flipping(bit, at: offset), name)
        #expect(await sealed.isFound(), "bit \(bit) at \(offset) of \(name)")
      }
      try sealed.write(bytes, name)
    }
    let sound = try await Store.verify(at: sealed.url)
    #expect(sound.isSound, "\(sound)")
  }

  @Test("a flipped bit in any page of the read model is found, and never served")
  func flippedPage() async throws {
    let sealed = try await SealedStore()
    let bytes = try sealed.bytes("read-model.sqlite")
    // The offsets are each byte of the header, and places in every page.
    for offset in Array(0..<100) + Array(stride(from: 100, to: bytes.count, by: 509)) {
      let damaged = bytes.flipping(1 << UInt8(offset % 8), at: offset)
      try sealed.write(damaged, "read-model.sqlite")
      let isFound =
        (try? CheckedFile.check(sealed.path("read-model.sqlite")))
        .map { !$0.damaged.isEmpty || $0.excess > 0 } ?? true
      #expect(isFound, "offset \(offset)")
    }
    let texts = bytes.indices.filter { bytes[$0...].starts(with: "note number".utf8) }
    try #require(texts.count > 30)
    let everywhere = Array(stride(from: 7, to: bytes.count, by: 4096 * 3 + 777))
    for offset in everywhere + stride(from: 0, to: texts.count, by: 7).map({ texts[$0] }) {
      try sealed.write(bytes.flipping(4, at: offset), "read-model.sqlite")
      #expect(await sealed.isFound(), "offset \(offset)")
      #expect(try await sealed.wrongRows() == 0, "offset \(offset)")
      try sealed.restore()
    }
  }

  @Test("a damaged page of an open store stays an error until a rebuild")
  func rebuildInPlace() async throws {
    let sealed = try await SealedStore()
    let store = try await Store.open(at: sealed.url)
    let rows = try await store.read { try SealedStore.rows($0) }
    let damaged = try sealed.damageRows()
    #expect(damaged > 0)
    let other = try await Store.open(at: sealed.url, options: Store.Options(isReadOnly: true))
    await #expect(throws: (any Error).self) {
      _ = try await other.read { try SealedStore.rows($0) }
    }
    try await store.rebuild()
    #expect(try await store.read { try SealedStore.rows($0) } == rows)
    #expect(try await other.read { try SealedStore.rows($0) } == rows)
    try await other.close()
    try await store.close()
    let after = try await Store.verify(at: sealed.url)
    #expect(after.isSound, "\(after)")
  }

  @Test("a file that is missing, empty, cut or foreign is found, and no wrong row is served")
  func lostFiles() async throws {
    let sealed = try await SealedStore()
    let names = try sealed.names()
    for name in names {
      let bytes = try sealed.bytes(name)
      for (what, change) in try sealed.losses(of: name, among: names) {
        try change()
        // A store that lacks its key or its read model is sound.
        let isHarmless =
          what == "removed" && ["identity.key", "read-model.sqlite"].contains(name)
        #expect(await sealed.isFound() != isHarmless, "\(name) \(what)")
        #expect(try await sealed.wrongRows() == 0, "\(name) \(what)")
        try sealed.restore()
        #expect(try sealed.bytes(name) == bytes)
      }
    }
  }

  /// Found by the campaign of damaged stores: SQLite reads the missing part of a page as zeros, so
  /// that rows were NULL.
  @Test("a read model that is cut within a page of rows serves no wrong row")
  func cutPage() async throws {
    let sealed = try await SealedStore()
    let name = "read-model.sqlite"
    var bytes: [UInt8] = []
    // Notes are inserted until a page of their rows is the last one of the file.
    for number in 0..<200 {
      let store = try await Store.open(at: sealed.url)
      let title = "note number " + String(repeating: "x", count: 900)
      try await store.write { try $0.insert("notes", "long\(number)", ["title": .text(title)]) }
      try await store.close()
      bytes = try sealed.bytes(name)
      let page = bytes.suffix(4096)
      if page.first == 13, page.firstRange(of: Array("note number".utf8)) != nil { break }
    }
    let last = bytes.suffix(4096)
    try #require(last.first == 13 && last.firstRange(of: Array("note number".utf8)) != nil)
    for missing in stride(from: 1, to: 4096, by: 315) {
      for isReadOnly in [true, false] {
        try sealed.write(Array(bytes.dropLast(missing)), name)
        let options = Store.Options(isReadOnly: isReadOnly)
        guard let store = try? await Store.open(at: sealed.url, options: options) else { continue }
        let wrong = try? await store.read { db in
          try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM notes WHERE title IS NULL OR title NOT LIKE 'note number%'")
        }
        #expect(wrong ?? 0 == 0, "\(missing) bytes are missing, read only: \(isReadOnly)")
        try await store.close()
      }
    }
  }

  @Test("a write by another program to the read model is found, with its row")
  func foreignWrite() async throws {
    let sealed = try await SealedStore()
    let queue = try ReadModelFile.openAlone(sealed.path("read-model.sqlite"))
    try await queue.write {
      try $0.execute(sql: "UPDATE notes SET title = 'forged' WHERE id = 'n3'")
    }
    try queue.close()
    let found = try await Store.verify(at: sealed.url)
    #expect(found.isDurablySound && !found.isSound)
    let difference = try await Store.readModelDifference(at: sealed.url)
    #expect(difference?.id == "n3", "\(String(describing: difference))")
  }

  /// Found by the campaign of damaged stores: such a checkpoint ended the process.
  @Test(
    "a read model whose checkpoint has values of other types is not used",
    arguments: ["NULL", "'five'", "x'05'", "5.5"])
  func strangeCheckpoint(value: String) async throws {
    let sealed = try await SealedStore()
    let digest = try await Store.open(at: sealed.url).digest()
    let queue = try ReadModelFile.openAlone(sealed.path("read-model.sqlite"))
    try await queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE other AS SELECT id, \(value) AS format, \(value) AS rules, digest, opaque,
            opaque_local, \(value) AS replica FROM _daybook_checkpoint;
          DROP TABLE _daybook_checkpoint;
          ALTER TABLE other RENAME TO _daybook_checkpoint
          """)
    }
    try queue.close()
    let store = try await Store.open(at: sealed.url)
    #expect(try await store.digest() == digest)
    try await store.close()
    let found = try await Store.verify(at: sealed.url)
    #expect(found.isSound, "\(found)")
  }

  @Test(
    "false contents of internal tables are found",
    arguments: [
      "UPDATE _daybook_origins SET times = x'' || times || x'00'",
      "DELETE FROM _daybook_history",
      "DELETE FROM _daybook_conflicts",
      "UPDATE _daybook_mentions SET through = through + 1",
      "DELETE FROM _daybook_context",
      """
      INSERT INTO _daybook_definitions
      SELECT collection, field, attribute, origin, 1, 0, value, migration FROM _daybook_definitions
      WHERE attribute = 'type'
      """,
    ])
  func internalTables(sql: String) async throws {
    let sealed = try await SealedStore()
    let queue = try ReadModelFile.openAlone(sealed.path("read-model.sqlite"))
    let changes = try await queue.write { db in
      try db.execute(sql: sql)
      return db.changesCount
    }
    try queue.close()
    // Without such rows in the store, the statement would be no test.
    try #require(changes > 0)
    let found = try await Store.verify(at: sealed.url)
    #expect(!found.isSound && found.isDurablySound, "\(found)")
  }
}

extension [UInt8] {
  fileprivate func flipping(_ bit: UInt8, at offset: Int) -> [UInt8] {
    var copy = self
    copy[offset] ^= bit
    return copy
  }
}

/// A store with a sealed log that was closed properly, and the original contents of its files.
private final class SealedStore {
  let folder: TemporaryStore
  private var content: [String: [UInt8]] = [:]
  private let expected: [String: String]

  var url: URL { folder.url }

  init() async throws {
    folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      for number in 0..<40 {
        try tx.insert("notes", "n\(number)", ["title": .text("note number \(number)")])
      }
    }
    for round in 0..<70 {
      try await store.write { try $0.update("notes", "n1", ["title": .text("round \(round)")]) }
    }
    try await Self.writeAsAnother(folder.url, store)
    try await store.core.onCommitThread { engine in
      try engine.log.lock()
      defer { engine.log.unlock() }
      try engine.log.seal()
    }
    expected = try await store.read { try SealedStore.rows($0) }
    try await store.close()
    for name in try names() { content[name] = try bytes(name) }
  }

  /// Adds events of an author that had not seen all events of the store, which give a context and a
  /// conflict.
  private static func writeAsAnother(_ url: URL, _ store: Store) async throws {
    let identity = try Identity(seed: Array(repeating: 7, count: 32))
    let vector = try await store.digest().vector
    var context = CausalContext(author: identity.id)
    let seen = VersionVector(vector.entries.map { ($0.origin, $0.sequence - 1) })
    let delta = context.delta(to: seen)
    _ = try context.apply(delta)
    var builder = FrameBuilder(
      origin: identity.id, firstSequence: 1, chainBefore: Chain(origin: identity.id))
    let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 0)
    try builder.append(
      EncodedEvent(
        Envelope(kind: .identity, authored: time, context: delta),
        Body(operations: [.identity(IdentityClaim(identity))])))
    try builder.append(
      EncodedEvent(
        Envelope(kind: .transaction, authored: time, context: context.delta(to: seen)),
        Body(operations: [.update(collection: "notes", id: "n1", fields: ["title": .text("other")])]
        )))
    let frame = try builder.finish(.fast)
    try await store.core.onCommitThread { try $0.receive([frame]) }
  }

  func path(_ name: String) -> String { folder.url.appending(path: name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Returns every file by its path in the store's folder, except the files that SQLite makes anew
  /// whenever the read model is opened.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { name in
      !name.hasSuffix("-shm") && !name.hasSuffix("-wal")
        && (try? FileManager.default.contentsOfDirectory(atPath: path(name))) == nil
    }.sorted()
  }

  /// Puts everything back as it was.
  func restore() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.removeItem(atPath: path(name))
    }
    try FileManager.default.createDirectory(
      atPath: path("log"), withIntermediateDirectories: true)
    for (name, bytes) in content { try write(bytes, name) }
  }

  func losses(of name: String, among names: [String]) throws -> [(String, () throws -> Void)] {
    let bytes = try bytes(name)
    var losses: [(String, () throws -> Void)] = [
      ("removed", { [self] in try FileManager.default.removeItem(atPath: path(name)) })
    ]
    guard !bytes.isEmpty else { return losses }
    losses += [
      ("emptied", { [self] in try write([], name) }),
      ("cut in half", { [self] in try write(Array(bytes.prefix(bytes.count / 2)), name) }),
      ("cut by one", { [self] in try write(Array(bytes.dropLast()), name) }),
    ]
    if let other = names.first(where: { $0 != name && !(content[$0] ?? []).isEmpty }) {
      let foreign = try self.bytes(other)
      losses.append(("replaced by \(other)", { [self] in try write(foreign, name) }))
    }
    return losses
  }

  /// Returns whether verify finds anything, or fails.
  func isFound() async -> Bool {
    do { return try await !Store.verify(at: url).isSound } catch { return true }
  }

  static func rows(_ db: Database) throws -> [String: String] {
    let rows = try Row.fetchAll(db, sql: "SELECT id, title FROM notes")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Returns the number of rows that are served and were never written so. A missing row is not
  /// wrong.
  func wrongRows() async throws -> Int {
    var wrong = 0
    for isReadOnly in [true, false] {
      let options = Store.Options(isReadOnly: isReadOnly)
      guard let store = try? await Store.open(at: url, options: options) else { continue }
      if let rows = try? await store.read({ try SealedStore.rows($0) }) {
        wrong += rows.count { expected[$0.key] != $0.value }
        // Either all rows are there, or the log reports its damage.
        if rows.count < expected.count, store.damage.isEmpty { wrong += 1 }
      }
      try await store.close()
    }
    return wrong
  }

  /// Flips a bit in every page that holds text of a note.
  func damageRows() throws -> Int {
    var bytes = try bytes("read-model.sqlite")
    let needle = Array("note number".utf8)
    var count = 0
    for page in 0..<bytes.count / 4096 {
      let range = page * 4096..<(page + 1) * 4096
      guard let found = bytes[range].firstRange(of: needle) else { continue }
      bytes[found.lowerBound] ^= 1
      count += 1
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path("read-model.sqlite")))
    try handle.write(contentsOf: bytes)
    try handle.close()
    return count
  }
}
