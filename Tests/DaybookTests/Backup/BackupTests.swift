import DaybookEventCore
import DaybookLogEngine
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Copies of a store in use, and stores made from them.
@Suite struct BackupTests {
  /// A store with some entities.
  private func store(_ folder: TemporaryStore, count: Int = 20) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for number in 0..<count {
      try await store.write { try $0.insert("notes", "n\(number)", ["title": .text("\(number)")]) }
    }
    return store
  }

  private func names(_ folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))
  }

  @Test("a restored store equals the original, and gets another identity with its first write")
  func roundTrip() async throws {
    let (folder, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder)
    let first = try await Store.backup(at: folder.url, to: backup.url)
    let (digest, replica) = (try await store.digest(), store.replica)
    #expect(first.events == digest.vector.entries.reduce(0) { $0 + $1.sequence })
    try await store.write { try $0.insert("notes", "later") }
    try await store.close()

    let restored = try await Store.restore(backup: backup.url, to: back.url)
    #expect(restored.events == first.events)
    let verification = try await Store.verify(at: back.url)
    #expect(verification.isSound, "\(verification)")
    let again = try await Store.open(at: back.url)
    #expect(try await again.digest() == digest)
    #expect(try await again.fetch("notes", "later") == nil)
    try await again.write { try $0.insert("notes", "own") }
    let vector = try await again.digest().vector
    #expect(vector[replica] == digest.vector[replica])
    #expect(vector.entries.count == 2)
    try await again.close()
  }

  @Test("no file of a backup has the private key")
  func keyStays() async throws {
    let (folder, backup) = (try TemporaryStore(), try TemporaryStore())
    try await store(folder).close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    let key = try #require(FileManager.default.contents(atPath: StoreFiles(folder: folder.url).key))
    let text = key.prefix(64)
    let seed = Data(try #require(Hex.decode(String(decoding: text, as: UTF8.self))))
    for name in try names(backup.url) {
      let data = try Data(contentsOf: backup.url.appending(path: name))
      #expect(data.range(of: text) == nil && data.range(of: seed) == nil, "\(name)")
    }
  }

  @Test("a backup of a store in use ends at a commit, and the next is incremental")
  func incremental() async throws {
    let (folder, backup) = (try TemporaryStore(), try TemporaryStore())
    var store = try await store(folder, count: 400)
    try await store.close()
    // Closing has sealed the segment, which will not be copied again.
    store = try await Store.open(at: folder.url)
    let first = try await Store.backup(at: folder.url, to: backup.url)
    #expect(first.copied == first.segments)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let store = store
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<40 {
            try await store.write { tx in
              try tx.insert("notes", "a\(writer)-\(number)")
              try tx.insert("notes", "b\(writer)-\(number)")
            }
          }
        }
      }
      group.addTask {
        var events: UInt64 = 0
        for _ in 0..<8 {
          let report = try await Store.backup(at: folder.url, to: backup.url)
          #expect(report.events >= events)
          #expect(report.copied <= 1)
          events = report.events
          let back = try TemporaryStore()
          _ = try await Store.restore(backup: backup.url, to: back.url)
          let restored = try await Store.open(at: back.url, options: .init(isReadOnly: true))
          let counts = try await restored.read { db in
            try ["a", "b"].map {
              try Int.fetchOne(
                db, sql: "SELECT count(*) FROM notes WHERE id GLOB ?", arguments: ["\($0)*"]) ?? 0
            }
          }
          #expect(counts[0] == counts[1])
          try await restored.close()
        }
      }
      try await group.waitForAll()
    }
    let last = try await Store.backup(at: folder.url, to: backup.url)
    #expect(last.events == 1 + 1 + 400 + 160)
    #expect(try await Store.backup(at: folder.url, to: backup.url).copied == 0)
    #expect(try names(backup.url).filter { $0.hasSuffix(".segment") }.count == last.segments)
    try await store.close()
  }

  @Test("a backup that was cut off is the previous one, and the next removes the rest")
  func cutOff() async throws {
    let (folder, backup) = (try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder)
    let first = try await Store.backup(at: folder.url, to: backup.url)
    let before = try Data(contentsOf: backup.url.appending(path: "backup.json"))
    try await store.write { try $0.insert("notes", "later") }
    _ = try await Store.backup(at: folder.url, to: backup.url)
    // The second backup ends in the middle of a file, and before it has written its manifest.
    let old = try TemporaryStore()
    _ = try await Store.restore(backup: backup.url, to: old.url)
    let manifest = try JSONSerialization.jsonObject(with: before) as? [String: Any]
    let segments = (manifest?["backup"] as? [String: Any])?["segments"] as? [[String: Any]]
    let name = try #require(segments?.last?["file"] as? String)
    let source = folder.url.appending(path: "log/0000000000000001.segment")
    let bytes = try #require(segments?.last?["bytes"] as? Int)
    try Data(contentsOf: source).prefix(bytes).write(to: backup.url.appending(path: name))
    try before.write(to: backup.url.appending(path: "backup.json"))
    try Data("half".utf8).write(to: backup.url.appending(path: "\(name).new"))

    let back = try TemporaryStore()
    let restored = try await Store.restore(backup: backup.url, to: back.url)
    #expect(restored.events == first.events)
    let next = try await Store.backup(at: folder.url, to: backup.url)
    #expect(next.events == first.events + 1)
    #expect(try names(backup.url).count == next.segments + 1)
    try await store.close()
  }

  @Test("a backup with a flipped bit, or a cut or missing file, is not restored")
  func damage() async throws {
    let (folder, backup) = (try TemporaryStore(), try TemporaryStore())
    try await store(folder, count: 3).close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    let files = try names(backup.url)
    #expect(files.count == 2)
    for name in files {
      let file = backup.url.appending(path: name)
      let whole = try Data(contentsOf: file)
      var cases: [Data?] = [nil, Data(), whole.dropLast(), whole + Data([0])]
      for offset in stride(from: 0, to: whole.count, by: 3) {
        var flipped = whole
        flipped[offset] ^= 1 << UInt8(offset % 8)
        cases.append(flipped)
      }
      for content in cases {
        if let content {
          try content.write(to: file)
        } else {
          try FileManager.default.removeItem(at: file)
        }
        let back = try TemporaryStore()
        let error = await #expect(throws: StoreError.self) {
          try await Store.restore(backup: backup.url, to: back.url)
        }
        #expect(error.map { [.damaged, .notAStore, .newerFormat].contains($0.code) } == true)
        #expect((try? names(back.url).isEmpty) ?? true)
      }
      try whole.write(to: file)
    }
    let back = try TemporaryStore()
    _ = try await Store.restore(backup: backup.url, to: back.url)
  }

  @Test("a folder with other files or with another store's backup is left alone")
  func refusals() async throws {
    let (folder, other) = (try TemporaryStore(), try TemporaryStore())
    let (backup, foreign) = (try TemporaryStore(), try TemporaryStore())
    try await store(folder).close()
    try await store(other).close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    try FileManager.default.createDirectory(at: foreign.url, withIntermediateDirectories: true)
    try Data().write(to: foreign.url.appending(path: "holiday.jpg"))
    let before = try names(backup.url)
    for (source, target) in [(other, backup), (folder, foreign), (folder, folder)] {
      let error = await #expect(throws: StoreError.self) {
        try await Store.backup(at: source.url, to: target.url)
      }
      #expect(error?.code == .alreadyExists)
    }
    #expect(try names(backup.url) == before)
    #expect(try names(foreign.url) == ["holiday.jpg"])
    // A damaged store does not overwrite a backup that has more events.
    let segment = folder.url.appending(path: "log/0000000000000001.segment")
    var bytes = try Data(contentsOf: segment)
    bytes[200] ^= 1
    try bytes.write(to: segment)
    let error = await #expect(throws: StoreError.self) {
      try await Store.backup(at: folder.url, to: backup.url)
    }
    #expect(error?.code == .damaged)
    let taken = await #expect(throws: StoreError.self) {
      try await Store.restore(backup: backup.url, to: other.url)
    }
    #expect(taken?.code == .alreadyExists)
    let none = await #expect(throws: StoreError.self) {
      try await Store.restore(backup: foreign.url, to: folder.url.appending(path: "new"))
    }
    #expect(none?.code == .notAStore)
  }

  @Test("a backup is verified to the last byte, and the next one replaces a rotten copy")
  func rot() async throws {
    let (folder, backup) = (try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder, count: 3)
    _ = try await Store.backup(at: folder.url, to: backup.url)
    let sound = try await Store.verify(backup: backup.url)
    #expect(sound.isSound && sound.segments == 1 && sound.events == 5)
    let name = try #require(try names(backup.url).first { $0.hasSuffix(".segment") })
    let file = backup.url.appending(path: name)
    let whole = try Data(contentsOf: file)
    for offset in stride(from: 0, to: whole.count, by: 7) {
      var flipped = whole
      flipped[offset] ^= 1 << UInt8(offset % 8)
      try flipped.write(to: file)
      let found = try await Store.verify(backup: backup.url)
      #expect(found.findings == ["“\(name)” is not what was written"])
    }
    try whole.dropLast().write(to: file)
    #expect(try await !Store.verify(backup: backup.url).isSound)
    try FileManager.default.removeItem(at: file)
    #expect(
      try await Store.verify(backup: backup.url).findings == ["“\(name)” is missing"])

    var rotten = whole
    rotten[whole.count / 2] ^= 1
    try rotten.write(to: file)
    let again = try await Store.backup(at: folder.url, to: backup.url)
    #expect(again.copied == 1)
    #expect(try Data(contentsOf: file) == whole)
    #expect(try await Store.verify(backup: backup.url).isSound)
    #expect(try await Store.backup(at: folder.url, to: backup.url).copied == 0)
    try await store.close()
  }

  @Test(
    "a backup with any manifest and a right checksum does not end the process",
    arguments: 0..<20 as Range<UInt64>)
  func hostile(seed: UInt64) async throws {
    let (folder, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    try await store(folder, count: 2).close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    var random = SplitMix64(seed: seed)
    var manifest = try #require(try BackupManifest.read(backup.url))
    let numbers: [UInt64] = [0, 1, 2, 1 << 32, UInt64(Int64.max), .max - 1, .max]
    let texts = ["", "..", "../x.segment", "x.segment", "\0", "é", "00", "-", "{}"]
    for _ in 0..<random.pick(1...3) {
      switch random.below(9) {
      case 0: manifest.origins[0].sequence = random.pick(numbers)
      case 1:
        manifest.origins.append(
          .init(
            origin: random.pick([manifest.origins[0].origin, String(repeating: "7", count: 32)]),
            sequence: random.pick(numbers), chain: random.pick(texts)))
      case 2: manifest.segments[0].bytes = random.pick(numbers)
      case 3: manifest.segments[0].number = random.pick(numbers)
      case 4: manifest.segments.append(manifest.segments[0])
      case 5: manifest.segments[0].file = random.pick(texts)
      case 6: manifest.identity = random.pick(texts)
      case 7: manifest.head = random.pick(texts)
      default: manifest.origins[0].origin = random.pick(texts)
      }
    }
    let text = try manifest.text()
    try Data(text.utf8).write(to: backup.url.appending(path: BackupManifest.name))
    let verified = await Result { try await Store.verify(backup: backup.url) }
    let restored = await Result { try await Store.restore(backup: backup.url, to: back.url) }
    let isMade = (try? names(back.url))?.isEmpty == false
    switch restored {
    case .success: #expect(isMade)
    case .failure(let error):
      #expect(error is StoreError, "\(error)")
      #expect(!isMade, "\(text)")
    }
    switch verified {
    case .success(let found): #expect(found.isSound == isMade, "\(found.findings) \(text)")
    case .failure(let error):
      #expect(error is StoreError, "\(error)")
      #expect(!isMade, "\(error) \(text)")
    }
  }

  @Test("a backup that lacks events that it names is neither sound nor restored")
  func lackingEvents() async throws {
    let (folder, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    try await store(folder, count: 2).close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    let whole = try #require(try BackupManifest.read(backup.url))
    var lacking: [BackupManifest] = []
    for change: (inout BackupManifest) -> Void in [
      { $0.origins[0].sequence += 1 }, { $0.origins[0].chain = $0.sha256OfFirst },
      { $0.origins[0].origin = String(repeating: "7", count: 32) }, { $0.segments = [] },
    ] {
      var manifest = whole
      change(&manifest)
      lacking.append(manifest)
    }
    for manifest in lacking {
      try Data(try manifest.text().utf8).write(to: backup.url.appending(path: "backup.json"))
      let found = try await Store.verify(backup: backup.url)
      #expect(!found.isSound, "\(manifest)")
      let error = await #expect(throws: StoreError.self) {
        try await Store.restore(backup: backup.url, to: back.url)
      }
      #expect(error?.code == .damaged)
    }
  }
}

extension BackupManifest {
  /// A checksum that is no chain value.
  fileprivate var sha256OfFirst: String { segments[0].sha256 }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
