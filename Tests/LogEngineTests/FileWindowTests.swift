import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookLogEngine

/// Files that become shorter while they are read, because a writer gives reserved space back.
@Suite struct FileWindowTests {
  /// A file that reports a greater size than it has.
  private struct TrimmedFile: StorageFile {
    var bytes: [UInt8]

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
      throws(LogError) -> Int
    {
      let start = min(Int(clamping: offset), bytes.count)
      let found = bytes[start..<min(start + buffer.count, bytes.count)]
      buffer.copyBytes(from: found)
      return found.count
    }

    func size() throws(LogError) -> UInt64 { UInt64(bytes.count) + 100_000 }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {}
    func sync() throws(LogError) {}
    func truncate(to size: UInt64) throws(LogError) {}
    func allocate(to size: UInt64) throws(LogError) {}
  }

  private func scan(_ scene: Scene, cutAt end: Int, durableEnd: Int) throws -> SegmentScan {
    let bytes = try #require(scene.machine.disk.files[segment1])
    let file = TrimmedFile(bytes: Array(bytes[..<end]))
    return try SegmentScan(
      file: file, fileSize: try file.size(), salt: try scene.salt(),
      from: UInt64(SegmentHeader.size), durableEnd: UInt64(durableEnd))
  }

  @Test("a segment that was trimmed is read up to its new end, without damage")
  func trimmed() throws {
    let scene = try Scene(commits: 5)
    let scan = try scan(scene, cutAt: scene.end, durableEnd: scene.end)
    #expect(scan.records.count == 5)
    #expect(scan.damage.isEmpty && scan.tail == .none)
    #expect(scan.fileSize == UInt64(scene.end) && scan.end == UInt64(scene.end))
  }

  @Test("a segment that was cut below its durable end is damaged, wherever it ends")
  func cut() throws {
    let scene = try Scene(commits: 3)
    for end in SegmentHeader.size..<scene.end {
      let scan = try scan(scene, cutAt: end, durableEnd: scene.end)
      #expect(!scan.damage.isEmpty, "cut at \(end)")
      #expect(scan.records.count == scene.offsets.count { $0 <= end } - 1, "cut at \(end)")
    }
  }

  /// The reader failed, as if another process had cut the file, though nothing was wrong.
  @Test("a reader beside a writer that opens and closes meets no error")
  func beside() throws {
    let folder = NSTemporaryDirectory() + "/daybook-trim-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    @Sendable func open(isReadOnly: Bool) throws -> EventLog {
      var options = EventLog.Options { .random(in: 0 ... .max) }
      options.isReadOnly = isReadOnly
      return try EventLog.open(
        storage: FileStorage(folder: folder), lock: CommitLock(folder: folder), options: options
      ).log
    }
    var author = try Author(1)
    let first = try open(isReadOnly: false)
    try first.commit(try author.frame(2))
    try first.close()
    let frames = try (0..<200).map { _ in try author.frame(1, size: 100) }
    let isOver = Mutex(false)
    let writer = Thread {
      for frame in frames {
        do {
          let log = try open(isReadOnly: false)
          try log.commit(frame)
          try log.close()
        } catch { Issue.record("\(error)") }
      }
      isOver.withLock { $0 = true }
    }
    let staying = try open(isReadOnly: true)
    writer.start()
    while !isOver.withLock({ $0 }) {
      let log = try open(isReadOnly: true)
      #expect(log.damage.isEmpty)
      try staying.refreshForReading()
      #expect(try staying.verify().findings.isEmpty)
    }
    #expect(staying.vector[author.origin] <= 202)
  }
}
