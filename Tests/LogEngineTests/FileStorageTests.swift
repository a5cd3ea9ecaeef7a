import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookLogEngine

/// The log on a real file system.
@Suite struct FileStorageTests {
  @Test("a store on disk is written, rolled, closed, opened and verified")
  func lifeOnDisk() throws {
    try inFolder { folder in
      var author = try Author(1)
      let options = LogMachine.options {
        $0.segmentBytes = 20_000
        $0.sealOnCloseBytes = 1000
      }
      var (log, report) = try open(folder, options)
      #expect(report == RecoveryReport())
      for _ in 0..<100 {
        try log.lock()
        try log.append(try author.frame(2, size: 200, isNoise: true))
        try log.sync()
        try log.rollIfNeeded()
        log.unlock()
      }
      try log.close()
      (log, report) = try open(folder, options)
      #expect(report == RecoveryReport())
      #expect(try log.segments.count > 2)
      #expect(try log.events(of: author.origin) == author.events)
      let result = try log.verify()
      #expect(result.isSound)
      #expect(result.bytesCovered == result.bytesTotal)
      let onDisk = try FileManager.default.contentsOfDirectory(atPath: folder + "/log")
      #expect(try onDisk.count == log.segments.count + 1)
    }
  }

  @Test("two logs on two threads of one process exclude each other and lose nothing")
  func twoThreads() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let authors = try await withThrowingTaskGroup(of: Author.self) { group in
      for seed in [1, 2] as [UInt8] {
        group.addTask {
          var author = try Author(seed)
          let (log, _) = try open(folder, LogMachine.options { $0.segmentBytes = 8000 })
          for _ in 0..<50 {
            try log.lock()
            try log.append(try author.frame(1, size: 100, isNoise: true))
            try log.sync()
            try log.rollIfNeeded()
            log.unlock()
          }
          try log.close()
          return author
        }
      }
      var authors: [Author] = []
      for try await author in group { authors.append(author) }
      return authors
    }
    let (log, report) = try open(folder, LogMachine.options())
    #expect(report == RecoveryReport())
    for author in authors { #expect(try log.events(of: author.origin) == author.events) }
    #expect(try log.verify().isSound)
  }

  @Test("readers on other threads see whole commits while a writer commits and seals")
  func concurrentReaders() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (log, _) = try open(folder, LogMachine.options { $0.segmentBytes = 6000 })
    let origin = try Author(1).origin
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var author = try Author(1)
        for _ in 0..<60 {
          try log.lock()
          try log.append(try author.frame(2, size: 100, isNoise: true))
          try log.sync()
          try log.rollIfNeeded()
          log.unlock()
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var last: UInt64 = 0
          while last < 120 {
            let snapshot = log.snapshot()
            let now = snapshot.vector[origin]
            #expect(now >= last && now % 2 == 0)
            var seen: UInt64 = 0
            if now > 0 {
              try snapshot.forEachEvent(of: origin, in: 1...now) { _, _ in seen += 1 }
            }
            #expect(seen == now)
            last = now
          }
        }
      }
      try await group.waitForAll()
    }
    try log.close()
  }

  @Test("an error of the system has a code, the name of the file and a cause")
  func systemErrors() throws {
    try inFolder { folder in
      let storage = FileStorage(folder: folder)
      do throws(LogError) {
        _ = try storage.open("log/none", .read)
        Issue.record("opened what is not there")
      } catch {
        #expect(error.code == .notFound)
        #expect(error.message.contains("log/none"))
        #expect(error.cause != nil)
      }
      expect(.notFound) { _ = try storage.list("log") }
      expect(.notFound) { try storage.rename("a", to: "b") }
      try storage.remove("a")
      #expect(throws: LogError.self) { try FileStorage(folder: "/dev/null").makeFolder("x") }
    }
  }

  @Test("a file can be reserved, written, cut, and read up to its end")
  func fileCalls() throws {
    try inFolder { folder in
      let file = try FileStorage(folder: folder).open("a", .create)
      try file.allocate(to: 10_000)
      #expect(try file.size() == 10_000)
      try file.allocate(to: 5_000)
      #expect(try file.size() == 10_000)
      try file.write([1, 2, 3], at: 9_999)
      #expect(try file.size() == 10_002)
      #expect(try file.read(at: 9_998, count: 10) == [0, 1, 2, 3])
      #expect(try file.read(at: 20_000, count: 10).isEmpty)
      try file.truncate(to: 10_000)
      try file.sync()
      #expect(try file.read(at: 9_998, count: 10) == [0, 1])
    }
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }
}

private func makeFolder() throws -> String {
  let folder = NSTemporaryDirectory() + "/daybook-log-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return folder
}

private func open(_ folder: String, _ options: EventLog.Options) throws -> (
  log: EventLog, report: RecoveryReport
) {
  try EventLog.open(
    storage: FileStorage(folder: folder), lock: CommitLock(folder: folder),
    options: options)
}
