import EventCore
import Foundation
import GRDB
import LogEngine
import Projections
import Testing

@testable import Daybook

/// A bit that is not as it was written, anywhere in a small sealed store, and files that are gone,
/// empty, cut or another's: `verify` finds it, nothing traps, and nothing wrong is served. Bits of each
/// byte with `DAYBOOK_DAMAGE=all`, else of each eighth.
@Suite struct DamageTests {
  @Test("a flipped bit in any file beside the read model is found", arguments: 0..<4)
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
    // The header, byte by byte; then places all over, in every page.
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

  @Test("a damaged page stays an error while the store is open, until a rebuild mends it in place")
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

  @Test("a file that is gone, empty, cut or another's is found, and nothing wrong is served")
  func lostFiles() async throws {
    let sealed = try await SealedStore()
    let names = try sealed.names()
    for name in names {
      let bytes = try sealed.bytes(name)
      for (what, change) in try sealed.losses(of: name, among: names) {
        try change()
        // A store that lacks its key, its read model or the gate of that, which is empty, is sound.
        let isHarmless =
          what == "removed" && ["identity.key", "read-model.sqlite"].contains(name)
        #expect(await sealed.isFound() != isHarmless, "\(name) \(what)")
        #expect(try await sealed.wrongRows() == 0, "\(name) \(what)")
        try sealed.restore()
        #expect(try sealed.bytes(name) == bytes)
      }
    }
  }

  /// Found by the campaign of damaged stores: SQLite takes for zeros what is missing of a page, so rows were NULL.
  @Test("a read model that ends within a page of rows serves none of them wrong")
  func cutPage() async throws {
    let sealed = try await SealedStore()
    let name = "read-model.sqlite"
    var bytes: [UInt8] = []
    // Until a page of the table's rows is the last one of the file.
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

  @Test("a read model that another program wrote to is found, with the row that differs")
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

  /// Found by the campaign of damaged stores: it ended the process.
  @Test(
    "a checkpoint whose values are of other types belongs to no usable read model",
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
    "what the internal tables say wrongly is found",
    arguments: [
      "UPDATE _daybook_origins SET times = x'' || times || x'00'",
      "DELETE FROM _daybook_history",
      "DELETE FROM _daybook_conflicts",
      "UPDATE _daybook_mentions SET through = through + 1",
      "DELETE FROM _daybook_context",
    ])
  func internalTables(sql: String) async throws {
    let sealed = try await SealedStore()
    let queue = try ReadModelFile.openAlone(sealed.path("read-model.sqlite"))
    let changes = try await queue.write { db in
      try db.execute(sql: sql)
      return db.changesCount
    }
    try queue.close()
    // Nothing to see where the store has no such rows; the statement is then no test.
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

/// A store that was closed in order, with a sealed log, and what belongs in it.
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
    try await store.onCommitThread { engine in
      try engine.log.lock()
      defer { engine.log.unlock() }
      try engine.log.seal()
    }
    expected = try await store.read { try SealedStore.rows($0) }
    try await store.close()
    for name in try names() { content[name] = try bytes(name) }
  }

  /// Two authors who had not seen each other's writes: a context and a conflict.
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
    try await store.onCommitThread { try $0.receive([frame]) }
  }

  func path(_ name: String) -> String { folder.url.appending(path: name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Every file, by its path in the store's folder; but for those that SQLite makes anew for whoever
  /// opens the read model, and that are empty or worthless when it is closed.
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

  /// Whether verifying finds something, or says why it cannot.
  func isFound() async -> Bool {
    do { return try await !Store.verify(at: url).isSound } catch { return true }
  }

  static func rows(_ db: Database) throws -> [String: String] {
    let rows = try Row.fetchAll(db, sql: "SELECT id, title FROM notes")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Rows that are served and were never written so. One that cannot be had is not wrong.
  func wrongRows() async throws -> Int {
    var wrong = 0
    for isReadOnly in [true, false] {
      let options = Store.Options(isReadOnly: isReadOnly)
      guard let store = try? await Store.open(at: url, options: options) else { continue }
      if let rows = try? await store.read({ try SealedStore.rows($0) }) {
        wrong += rows.count { expected[$0.key] != $0.value }
        // A log that lost events says so, or all rows are there.
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
