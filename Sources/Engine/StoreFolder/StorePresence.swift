import DaybookCSystemCalls
import DaybookDisk
import DaybookLocks
import Foundation

/// Says that this process has a store open, to processes that its locks do not reach.
///
/// Where one folder is reached in two ways, as a disk and through FUSE, or by two machines through
/// the network, neither locks on folders nor mapped memory pass from one side to the other. Both
/// would write at the same place of the log. So each process that has a store open keeps a file in
/// the store's folder `sides`, and a store is open on one side at a time. Processes of one side
/// exclude each other by their locks, and may be any number.
///
/// Each makes its file first and looks for others afterwards, so of two that come at the same time
/// at least one sees the other. A process that was killed leaves its file. Others remove it once
/// they can tell that the process has ended.
final class StorePresence: Sendable {
  private let files: StoreFiles
  private let timeout: Duration
  private let makeUser: @Sendable (String) -> StoreUser
  /// The user whose file is there; nil if there is none.
  private let entered = Mutex<StoreUser?>(nil)

  /// - Parameters:
  ///   - timeout: the longest time to wait for processes on another side.
  ///   - makeUser: makes the user that this process is in a folder.
  init(
    _ files: StoreFiles, timeout: Duration,
    makeUser: @escaping @Sendable (String) -> StoreUser = { StoreUser(of: $0) }
  ) {
    self.files = files
    self.timeout = timeout
    self.makeUser = makeUser
  }

  deinit { leave() }

  /// Makes it known that this process has the store open; does nothing if that is known already.
  ///
  /// A process that may not write to the folder only looks for others.
  /// - Throws: ``StoreError`` `locked` if a process on another side has the store open.
  func enter() throws {
    try entered.withLock { entered in
      if entered != nil { return }
      let user = makeUser(files.path)
      let end = ContinuousClock.now + timeout
      while true {
        let isMade = try register(user)
        guard let other = try Self.other(than: user, in: files) else {
          if isMade { entered = user }
          return forgetSizes(user)
        }
        withdraw(user)
        guard ContinuousClock.now < end else { throw Self.refusal(other, user, files) }
        // By chance, so that two that have seen each other do not go on doing so.
        usleep(.random(in: 5_000...50_000))
      }
    }
  }

  /// Says that this process has none of the store's files open any longer.
  func leave() {
    entered.withLock { entered in
      if let user = entered { withdraw(user) }
      entered = nil
    }
  }

  /// Checks that nobody on another side has the store open; does not wait, and changes nothing.
  /// - Throws: ``StoreError`` `locked`.
  static func requireNoOther(_ files: StoreFiles) throws {
    let user = StoreUser(of: files.path)
    if let other = try other(than: user, in: files, isTidying: false) {
      throw refusal(other, user, files)
    }
  }

  // MARK: - The file

  /// - Returns: false if this process may not make its file.
  private func register(_ user: StoreUser) throws -> Bool {
    while true {
      do {
        try SystemCalls.makeFolder(files.sides, mode: 0o777)
        SystemCalls.close(try SystemCalls.open(files.sides + "/" + user.name, .new))
        return true
      } catch {
        // The last one of another process has removed the empty folder.
        if error.isMissing, try DiskPath.exists(files.path) { continue }
        if error.isForbidden { return false }
        // A disk that is full must not keep its own machine from reading and making room.
        if error.isFull, user.mount == nil { return false }
        throw StoreError(
          error.isFull ? .noSpace : .ioFailed,
          "other machines cannot be told that the store is in use: \(error)",
          hint: error.isFull ? "Free some space, and try again" : "Check “\(files.sides)”")
      }
    }
  }

  private func withdraw(_ user: StoreUser) {
    try? SystemCalls.remove(files.sides + "/" + user.name)
    rmdir(files.sides)
  }

  /// Returns a process on another side that has the store open.
  /// - Parameter isTidying: whether to remove the files of processes that have ended.
  private static func other(
    than user: StoreUser, in files: StoreFiles, isTidying: Bool = true
  ) throws -> StoreUser? {
    var found: StoreUser?
    for name in try DiskPath.list(files.sides) ?? [] where name != user.name {
      guard let other = StoreUser(name: name) else { continue }
      if other.isGone(seenBy: user) {
        if isTidying { try? SystemCalls.remove(files.sides + "/" + name) }
      } else if !other.isOnSide(of: user) {
        found = other
      }
    }
    return found
  }

  /// Has a mount forget the sizes that files had before another side has changed them.
  private func forgetSizes(_ user: StoreUser) {
    guard user.mount != nil else { return }
    for folder in [files.path, files.log] {
      for name in (try? DiskPath.list(folder)) ?? [] { daybook_look_again("\(folder)/\(name)") }
    }
  }

  private static func refusal(
    _ other: StoreUser, _ user: StoreUser, _ files: StoreFiles
  ) -> StoreError {
    let isHere = other.boot == user.boot && other.boot != 0
    let way = other.mount == nil ? "on the disk that holds it" : "through a mount"
    let file = files.sides + "/" + other.name
    return StoreError(
      .locked,
      isHere
        ? "process \(other.process) has the store open \(way), where its locks are not seen from "
          + "“\(files.path)”"
        : "a process on another machine has the store open \(way), where its locks are not seen "
          + "from here",
      hint: isHere
        ? "Close it there, or use the same path"
        : "Close it there. If that machine has lost it without closing it, and nothing there "
          + "uses it, remove the file “\(file)”")
  }
}
