import DaybookFrames
import DaybookLogEngine
import DaybookSimulation
import Testing

/// The simulated disk, which fails as it is told, and in no other way.
@Suite struct SimulatedDiskTests {
  private func file(_ disk: SimulatedDisk, _ name: String = "log/a") throws -> any StorageFile {
    let storage = SimulatedStorage(disk)
    try storage.makeFolder("log")
    try storage.syncFolder("")
    let file = try storage.open(name, .create)
    try storage.syncFolder("log")
    return file
  }

  @Test("bytes of a failed sync may be lost, though the next sync reports success")
  func failedSync() throws {
    var losses = 0
    for seed in 0..<50 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let file = try file(disk)
      try file.write([UInt8](repeating: 1, count: 2048), at: 0)
      try file.sync()
      try file.write([UInt8](repeating: 2, count: 2048), at: 0)
      disk.inject(.ioFailed, at: .next(.sync, 1))
      #expect(throws: LogError.self) { try file.sync() }
      try file.sync()
      #expect(disk.files["log/a"] == [UInt8](repeating: 2, count: 2048))
      disk.loseAndRestorePower()
      let found = disk.files["log/a"] ?? []
      #expect(found.allSatisfy { $0 == 1 || $0 == 2 })
      if found.contains(1) { losses += 1 }
    }
    #expect(losses > 40)
  }

  @Test(
    "bytes that are written again after a failed sync are durable",
    arguments: 0..<20 as Range<UInt64>)
  func writtenAgain(seed: UInt64) throws {
    let disk = SimulatedDisk(seed: seed)
    let file = try file(disk)
    let bytes = [UInt8](repeating: 2, count: 2000)
    try file.write(bytes, at: 0)
    disk.inject(.ioFailed, at: .next(.sync, 1))
    #expect(throws: LogError.self) { try file.sync() }
    try file.write(bytes, at: 0)
    try file.sync()
    disk.loseAndRestorePower()
    #expect(disk.files["log/a"] == bytes)
  }

  @Test("a folder whose name was not synced may be lost with its durable files")
  func newFolder() throws {
    var losses = 0
    for seed in 0..<40 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let storage = SimulatedStorage(disk)
      try storage.makeFolder("log")
      let file = try storage.open("log/a", .create)
      try file.write([1], at: 0)
      try file.sync()
      try storage.syncFolder("log")
      if seed % 2 == 0 { try storage.syncFolder("") }
      disk.loseAndRestorePower()
      let isThere = disk.files["log/a"] == [1]
      if seed % 2 == 0 { #expect(isThere) }
      if !isThere { losses += 1 }
    }
    #expect(losses > 2)
  }

  /// Returns which of two names survive, over many power failures. The names are created one after
  /// the other.
  private func survivors(_ change: (SimulatedDisk, any Storage) throws -> Void) throws -> Set<
    [Bool]
  > {
    var seen: Set<[Bool]> = []
    for seed in 0..<100 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let storage = SimulatedStorage(disk)
      _ = try storage.open("a", .create)
      _ = try storage.open("b", .create)
      try change(disk, storage)
      disk.loseAndRestorePower()
      seen.insert(["a", "b"].map { disk.files[$0] != nil })
    }
    return seen
  }

  @Test("each name that was not synced survives a power failure independently")
  func names() throws {
    #expect(try survivors { _, _ in }.count == 4)
    #expect(try survivors { try $1.syncFolder("") } == [[true, true]])
  }

  @Test("a failed sync of a folder makes some names durable, and the next sync the others")
  func failedFolderSync() throws {
    func fail(_ disk: SimulatedDisk, _ storage: any Storage) {
      disk.inject(.ioFailed, at: .next(.syncFolder, 1))
      #expect(throws: LogError.self) { try storage.syncFolder("") }
    }
    #expect(try survivors(fail).count == 4)
    let later = try survivors { disk, storage in
      fail(disk, storage)
      try storage.syncFolder("")
    }
    #expect(later == [[true, true]])
  }

  @Test("a misdirected write reports success, and lands elsewhere")
  func misdirected() throws {
    var isElsewhere = false
    for seed in 0..<20 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      disk.put("log/b", [UInt8](repeating: 9, count: 1000))
      let file = try file(disk)
      disk.inject(.misdirectedWrite, at: .next(.write, 1))
      try file.write([1, 2, 3], at: 100)
      #expect(disk.files["log/a"]?.count == 103)
      #expect(disk.spoiled.first?.name == "log/a")
      #expect(disk.spoiled.first?.range == 100..<103)
      if disk.files["log/b"]?.contains(1) == true { isElsewhere = true }
      // The fault happens once.
      try file.write([4, 5, 6], at: 200)
      #expect(disk.files["log/a"]?[200...] == [4, 5, 6])
    }
    #expect(isElsewhere)
  }

  @Test("a corrupted write differs in one bit, which the disk reports")
  func corrupted() throws {
    let disk = SimulatedDisk(seed: 3)
    let file = try file(disk)
    disk.inject(.silentCorruption, at: .next(.write, 1))
    let bytes = [UInt8](repeating: 0xAA, count: 64)
    try file.write(bytes, at: 0)
    let found = try #require(disk.files["log/a"])
    let wrong = zip(found, bytes).enumerated().filter { $0.element.0 != $0.element.1 }
    #expect(wrong.count == 1)
    #expect(wrong.first.map { ($0.element.0 ^ $0.element.1).nonzeroBitCount } == 1)
    #expect(disk.spoiled.map(\.range.lowerBound) == wrong.map(\.offset))
  }

  @Test("a lasting failure fails every call of its kind, and no other, until it is cleared")
  func lasting() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try file(disk)
    disk.injectForGood(.ioFailed, from: 2, .write)
    try file.write([1], at: 0)
    for _ in 0..<3 { #expect(throws: LogError.self) { try file.write([1], at: 0) } }
    try file.sync()
    #expect(disk.failures == 3)
    disk.clearFailures()
    try file.write([1], at: 0)
  }

  @Test("a disk without space fails writes as full, and other calls as failed")
  func noSpace() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try file(disk)
    disk.injectForGood(.noSpace, from: 1)
    var codes: [LogError.Code] = []
    do throws(LogError) { try file.write([1], at: 0) } catch { codes.append(error.code) }
    do throws(LogError) { _ = try file.size() } catch { codes.append(error.code) }
    #expect(codes == [.noSpace, .ioFailed])
  }

  @Test("calls of an observer are not counted and do not fail")
  func observing() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try file(disk)
    let calls = disk.calls
    disk.inject(.ioFailed, at: .call(1))
    let size = try disk.observing { try file.size() }
    #expect(size == 0)
    #expect(disk.calls == calls)
    #expect(throws: LogError.self) { try file.size() }
  }

  @Test("the journal has each call, its subject, and its failure")
  func journal() throws {
    let disk = SimulatedDisk(seed: 1)
    disk.startJournal()
    let file = try file(disk)
    disk.inject(.ioFailed, at: .next(.write, 1))
    try? file.write([1, 2], at: 7)
    #expect(
      disk.takeJournal() == [
        "makeFolder log", "syncFolder ", "open log/a to create", "syncFolder log",
        "write log/a 2 at 7  ⚡ ioFailed",
      ])
    #expect(disk.takeJournal().isEmpty)
  }
}
