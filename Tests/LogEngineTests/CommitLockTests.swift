import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookLogEngine

/// Locks on folders and files, also if those are removed or replaced.
@Suite final class CommitLockTests {
  private let folder = NSTemporaryDirectory() + "/daybook-lock-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func open(_ change: (inout EventLog.Options) -> Void = { _ in }) throws -> EventLog {
    var options = EventLog.Options { .random(in: 0 ... .max) }
    options.lockTimeout = .milliseconds(20)
    change(&options)
    return try EventLog.open(
      storage: FileStorage(folder: folder), lock: CommitLock(folder: folder), options: options
    ).log
  }

  // MARK: - The lock of a store

  @Test("all openings of a store share one commit lock and its state")
  func shared() throws {
    let first = CommitLock(folder: folder)
    let second = CommitLock(folder: folder)
    #expect(try first.readState() == LockState())
    try first.lock(timeout: .seconds(30))
    expect(.locked) { try second.lock(timeout: .milliseconds(20)) }
    var state = LockState()
    state.generation = 77
    let written = try first.writeState(state)
    first.unlock()
    #expect(try first.readState() == written)
    try second.lock(timeout: .seconds(30))
    #expect(try second.readState().generation == 77)
    second.unlock()
  }

  @Test("a read-only commit lock creates no file")
  func reading() throws {
    let reading = CommitLock(folder: folder + "/none", isReadOnly: true)
    #expect(try reading.readState() == LockState())
    #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
  }

  @Test("a lock file that was replaced is told from the first, even with the same contents")
  func anotherFile() throws {
    let lock = CommitLock(folder: folder)
    var state = LockState()
    state.generation = 5
    let first = try lock.writeState(state)
    #expect(try lock.readState() == first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/lock"))
    try FileManager.default.removeItem(atPath: folder + "/lock")
    let none = try lock.readState()
    #expect(none.generation == 0 && none.file != first.file)
    try bytes.write(to: URL(fileURLWithPath: folder + "/lock"))
    let second = try lock.readState()
    #expect(second.generation == 5 && second.file != first.file && second.file != none.file)
    #expect(try lock.readState() == second)
  }

  /// Two processes wrote at once, because the second took the lock on a new file.
  @Test("a commit lock stays exclusive if its file is removed while it is held")
  func removedWhileHeld() throws {
    var author = try Author(1)
    let log = try open()
    try log.lock()
    try log.append(try author.frame())
    try FileManager.default.removeItem(atPath: folder + "/lock")
    expect(.locked) { _ = try self.open() }
    try log.sync()
    log.unlock()
    let other = try open()
    #expect(other.vector[author.origin] == 1)
    try other.close()
    try log.close()
  }

  @Test("a log whose folder was moved or replaced refuses writes until the folder is back")
  func moved() throws {
    var author = try Author(1)
    let log = try open()
    try log.commit(try author.frame())
    try FileManager.default.moveItem(atPath: folder + "/log", toPath: folder + "/elsewhere")
    expect(.replaced) { try log.lock() }
    try FileManager.default.createDirectory(
      atPath: folder + "/log", withIntermediateDirectories: true)
    expect(.replaced) { try log.lock() }
    try FileManager.default.removeItem(atPath: folder + "/log")
    try FileManager.default.moveItem(atPath: folder + "/elsewhere", toPath: folder + "/log")
    try log.commit(try author.frame())
    #expect(log.vector[author.origin] == 2)
    try log.close()
  }

  /// A mutex was held while the log waited for the lock of another process.
  @Test(
    "queries of a log are answered while it waits for the commit lock", .timeLimit(.minutes(10)))
  func asking() throws {
    var author = try Author(1)
    let lock = SlowLock(CommitLock(folder: folder))
    let log = try EventLog.open(
      storage: FileStorage(folder: folder), lock: lock,
      options: EventLog.Options { .random(in: 0 ... .max) }
    ).log
    try log.commit(try author.frame())
    lock.isSlow.withLock { $0 = true }
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? log.lock()
      hasEnded.signal()
    }
    lock.isWaiting.wait()
    #expect(log.damage.isEmpty)
    try log.refreshForReading()
    #expect(try log.segments.count == 1)
    #expect(try log.verify().isSound)
    expect(.locked) { try log.lock() }
    lock.mayGoOn.signal()
    hasEnded.wait()
    log.unlock()
    try log.close()
  }

  // MARK: - Locks on folders

  @Test("a folder lock is exclusive to one holder, or shared by several")
  func modes() throws {
    let locks = (0..<3).map { _ in FolderLock(folder, name: "the folder") }
    #expect(try locks[0].tryLock(.shared) && locks[1].tryLock(.shared))
    #expect(try !locks[2].tryLock(.exclusive))
    locks[0].unlock()
    #expect(try locks[1].tryLock(.exclusive))
    expect(.locked) { try locks[2].lock(.shared, timeout: .milliseconds(10)) }
    locks[1].unlock()
    try locks[2].lock(.shared, timeout: .milliseconds(10))
  }

  @Test("a lock on a folder that was replaced is void, and the new folder can be locked")
  func replacedFolder() throws {
    let path = folder + "/turn"
    func make() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    let locks = (0..<2).map { _ in FolderLock(path, name: "the turn") }
    expect(.notFound) { _ = try locks[0].tryLock(.shared) }
    try make()
    #expect(try locks[0].tryLock(.exclusive))
    try locks[0].requireInPlace()
    #expect(try !locks[1].tryLock(.exclusive))
    try FileManager.default.removeItem(atPath: path)
    try make()
    #expect(try locks[1].tryLock(.exclusive))
    expect(.replaced) { try locks[0].requireInPlace() }
    expect(.replaced) { _ = try locks[0].tryLock(.exclusive) }
    try locks[1].requireInPlace()
  }
}

/// A commit lock that waits until it is told to go on.
private final class SlowLock: StoreLock {
  let isSlow = Mutex(false)
  let isWaiting = DispatchSemaphore(value: 0)
  let mayGoOn = DispatchSemaphore(value: 0)
  private let lock: CommitLock

  init(_ lock: CommitLock) { self.lock = lock }

  func lock(timeout: Duration) throws(LogError) {
    if isSlow.withLock({ $0 }) {
      isSlow.withLock { $0 = false }
      isWaiting.signal()
      mayGoOn.wait()
    }
    try lock.lock(timeout: timeout)
  }

  func unlock() { lock.unlock() }
  func readState() throws(LogError) -> LockState { try lock.readState() }
  func writeState(_ state: LockState) throws(LogError) -> LockState { try lock.writeState(state) }
}
