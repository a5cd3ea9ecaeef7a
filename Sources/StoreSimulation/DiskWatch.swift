internal import CDiskCalls
internal import Foundation
internal import Simulation
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Sees everything that this process does to the files of one folder, and keeps, at the calls that it
/// is told to, what a power failure at that moment would leave of them.
///
/// What was not synced when the power went may be there, torn or missing, sector by sector, and names
/// may be those of the last time that their folder was synced. The process goes on and knows nothing
/// of it. Calls can also be made to fail: see ``inject(_:)``. One watch at a time.
final class DiskWatch: Sendable {
  /// What is on the disk after the power went.
  struct Image: Sendable {
    /// By path from the folder.
    var files: [String: [UInt8]]
    /// Which call it was taken before, in words.
    var moment: String
    /// What ``DiskWatch/init(_:seed:context:)`` was given to ask.
    var acknowledged: Set<Int>
  }

  /// What is on the way to happen, and what has.
  struct Failures: Sendable {
    /// What failed, in words.
    var story: [String] = []
    var codes: Set<Int32> = []
    /// A file was not made durable: nobody knows what the disk has of it.
    var hasLostSync = false
  }

  private struct State {
    var faults: [DiskFault] = []
    var failures = Failures()
    var files: [UInt64: SectorFile] = [:]
    /// A file that is open keeps its number, so none is given twice. Closing one would give up the
    /// locks that SQLite has on it.
    var pins: [Int32] = []
    /// Names as they were when their folder was last synced.
    var durableNames: [String: UInt64] = [:]
    var calls = 0
    var planned: Set<Int> = []
    var syncing: [UInt64: SectorFile] = [:]
    var lastToken: UInt64 = 0
    var images: [Image] = []
    var random: SplitMix64
  }

  private static let active = Mutex<DiskWatch?>(nil)

  static var isPossible: Bool { daybook_calls_are_seen() != 0 }

  private let root: String
  private let device: UInt64
  private let state: Mutex<State>
  private let acknowledged: @Sendable () -> Set<Int>

  /// - Parameter acknowledged: asked when an image is taken.
  init(_ folder: URL, seed: UInt64, acknowledged: @escaping @Sendable () -> Set<Int>) {
    root = folder.path(percentEncoded: false)
    device = Self.status(root)?.device ?? 0
    self.acknowledged = acknowledged
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// From now on, what is in the folder counts as durable, and what is done to it is seen.
  func start() {
    state.withLock { state in
      let names = Self.names(in: root)
      for (name, inode) in names { adopt(root + "/" + name, inode, &state) }
      state.durableNames = names
    }
    Self.active.withLock { $0 = self }
    daybook_calls_observe(
      { call in call.map { DiskWatch.current?.willCall(&$0.pointee) ?? 0 } ?? 0 },
      { call, token in if let call { DiskWatch.current?.didCall(call.pointee, token) } })
  }

  private static var current: DiskWatch? { active.withLock { $0 } }

  /// Nothing is seen any more. The folder's files must have been closed.
  /// - Returns: a file that is not what was seen to be written, if any: then the images are not what
  ///   they should be.
  func stop() -> String? {
    daybook_calls_observe(nil, nil)
    Self.active.withLock { $0 = nil }
    return state.withLock { state in
      let blind = Self.names(in: root).sorted { $0.key < $1.key }.first { name, inode in
        guard let file = state.files[inode], !Self.isVolatile(name) else { return false }
        return file.current != Self.read(root + "/" + name)
      }
      for pin in state.pins { close(pin) }
      state.pins = []
      return blind?.key
    }
  }

  /// Takes an image before the n-th call from now on.
  func plan(at n: Int) { state.withLock { _ = $0.planned.insert($0.calls + n) } }

  var calls: Int { state.withLock { $0.calls } }

  /// The images that were taken since the last time.
  func takeImages() -> [Image] {
    state.withLock { state in
      defer { state.images = [] }
      return state.images
    }
  }

  // MARK: - Failures

  /// From now on, calls fail as `fault` says.
  func inject(_ fault: DiskFault) { state.withLock { $0.faults.append(fault) } }

  /// The disk works again.
  /// - Returns: what has failed since the last time.
  func heal() -> Failures {
    state.withLock { state in
      defer { state.failures = Failures() }
      state.faults = []
      return state.failures
    }
  }

  /// - Returns: the error that the call fails with; 0 where it is made.
  private func failure(_ call: inout daybook_call, _ file: Status?, _ state: inout State) -> Int32 {
    for index in state.faults.indices {
      guard state.faults[index].isDue else { continue }
      let fault = state.faults[index]
      guard fault.hits(call, exists: exists(call), size: file?.size ?? 0) else { continue }
      let name = name(call, file)
      guard name.hasPrefix(fault.prefix) else { continue }
      let isWrite = call.kind == DAYBOOK_CALL_WRITE
      if isWrite, fault.error == ENOSPC, call.count > 1, state.random.below(2) == 0 {
        // The disk takes a part, and refuses the rest.
        call.count = 1 + state.random.below(call.count - 1)
        state.failures.story.append(
          "a disk takes \(call.count) bytes of \(Self.words(call)) \(name)")
        return 0
      }
      if !fault.isForGood { state.faults.remove(at: index) }
      state.failures.codes.insert(fault.error)
      state.failures.story.append(
        "\(String(cString: strerror(fault.error))), at \(Self.words(call)) \(name)")
      if call.kind == DAYBOOK_CALL_SYNC { failSync(file, &state) }
      return fault.error
    }
    return 0
  }

  /// The system calls clean what it could not write, some of which it has.
  private func failSync(_ file: Status?, _ state: inout State) {
    state.failures.hasLostSync = true
    guard let file, state.files[file.inode] != nil else { return }
    var random = state.random
    state.files[file.inode]?.failSync { _ in random.next() & 1 == 1 }
    state.random = random
  }

  private func exists(_ call: daybook_call) -> Bool {
    call.path.map { access($0, F_OK) == 0 } ?? true
  }

  /// A call's file from the store's folder on.
  private func name(_ call: daybook_call, _ file: Status?) -> String {
    if let path = call.path { return String(String(cString: path).dropFirst(root.count + 1)) }
    guard let file else { return "" }
    if let name = Self.names(in: root).first(where: { $0.value == file.inode })?.key { return name }
    return folder(file).map { $0.isEmpty ? "the store's folder" : $0 } ?? "a file without a name"
  }

  private static func words(_ call: daybook_call) -> String {
    switch call.kind {
    case DAYBOOK_CALL_OPEN: "opening"
    case DAYBOOK_CALL_WRITE: "a write to"
    case DAYBOOK_CALL_SYNC: "a sync of"
    case DAYBOOK_CALL_RESIZE: "a change of the size of"
    case DAYBOOK_CALL_GROW: "growth of"
    case DAYBOOK_CALL_RENAME: "renaming"
    case DAYBOOK_CALL_READ: "a read of"
    case DAYBOOK_CALL_MAKE_FOLDER: "making the folder"
    default: "removing"
    }
  }

  // MARK: - Calls

  private func willCall(_ call: inout daybook_call) -> UInt64 {
    let file = status(call.descriptor)
    let isInside = isInside(call)
    guard isInside || file != nil else { return 0 }
    let changes =
      call.kind != DAYBOOK_CALL_READ
      && !(call.kind == DAYBOOK_CALL_OPEN && call.creates == 0 && call.empties == 0)
    return state.withLock { state in
      var isKnown = file.map { state.files[$0.inode] != nil } ?? false
      if !isKnown, let file, changes { isKnown = folder(file) != nil }
      guard isKnown || isInside else { return 0 }
      for index in state.faults.indices where state.faults[index].wait > 0 {
        state.faults[index].wait -= 1
      }
      if changes {
        state.calls += 1
        if state.planned.remove(state.calls) != nil { takeImage(call, file, &state) }
      }
      if !state.faults.isEmpty { call.error = failure(&call, file, &state) }
      guard call.error == 0, call.kind == DAYBOOK_CALL_SYNC, let inode = file?.inode,
        let now = state.files[inode]
      else { return 0 }
      state.lastToken += 1
      state.syncing[state.lastToken] = now
      return state.lastToken
    }
  }

  private func didCall(_ call: daybook_call, _ token: UInt64) {
    guard let file = status(call.descriptor) else { return }
    state.withLock { state in
      switch call.kind {
      case DAYBOOK_CALL_OPEN:
        guard isInside(call), let path = call.path, file.isRegular else { return }
        if state.files[file.inode] == nil { adopt(String(cString: path), file.inode, &state) }
        if call.empties != 0 { state.files[file.inode]?.resize(0) }
      case DAYBOOK_CALL_WRITE:
        let bytes = UnsafeRawBufferPointer(start: call.bytes, count: call.count)
        state.files[file.inode]?.write(bytes, at: Int(call.offset))
      case DAYBOOK_CALL_RESIZE: state.files[file.inode]?.resize(Int(call.offset))
      case DAYBOOK_CALL_GROW:
        let size = state.files[file.inode]?.current.count ?? 0
        state.files[file.inode]?.resize(max(size, Int(call.offset)))
      case DAYBOOK_CALL_SYNC:
        if let begun = state.syncing.removeValue(forKey: token) {
          state.files[file.inode]?.sync(since: begun)
        } else if let folder = folder(file) {
          syncNames(of: folder, &state)
        }
      default: break
      }
    }
  }

  private func isInside(_ call: daybook_call) -> Bool {
    guard let path = call.path else { return false }
    return String(cString: path).hasPrefix(root + "/")
  }

  private func adopt(_ path: String, _ inode: UInt64, _ state: inout State) {
    let pin = open(path, O_RDONLY)
    if pin >= 0 { state.pins.append(pin) }
    state.files[inode] = SectorFile(durable: Self.read(path) ?? [])
  }

  // MARK: - Names

  private static let folders = ["", "log", "quarantine"]

  /// The folder with that number; "" is the store's own.
  private func folder(_ file: Status) -> String? {
    guard !file.isRegular else { return nil }
    return Self.folders.first { name in
      Self.status(name.isEmpty ? root : root + "/" + name).map { $0.inode == file.inode } ?? false
    }
  }

  private static func folder(of name: String) -> String {
    name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
  }

  private func syncNames(of folder: String, _ state: inout State) {
    state.durableNames = state.durableNames.filter { Self.folder(of: $0.key) != folder }
    for (name, inode) in Self.names(in: root) where Self.folder(of: name) == folder {
      state.durableNames[name] = inode
    }
  }

  /// Shared memory: it does not outlive the machine.
  private static func isVolatile(_ name: String) -> Bool { name.hasSuffix("-shm") }

  private static func names(in root: String) -> [String: UInt64] {
    var names: [String: UInt64] = [:]
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? [] {
      guard let status = status(root + "/" + name), status.isRegular else { continue }
      names[name] = status.inode
    }
    return names
  }

  // MARK: - Images

  private func takeImage(_ call: daybook_call, _ file: Status?, _ state: inout State) {
    let names = Self.names(in: root)
    var files: [String: [UInt8]] = [:]
    var older: [String] = []
    for folder in Self.folders {
      let isOlder = state.random.next() % 3 == 0
      let chosen = (isOlder ? state.durableNames : names)
        .filter { Self.folder(of: $0.key) == folder && !Self.isVolatile($0.key) }
      if isOlder, chosen != names.filter({ Self.folder(of: $0.key) == folder }) {
        older.append(folder.isEmpty ? "the store's folder" : folder)
      }
      for (name, inode) in chosen.sorted(by: { $0.key < $1.key }) {
        // The system writes back file by file: one may be there whole, and another not at all.
        let isWhole = state.random.next() % 4 == 0
        files[name] =
          state.files[inode].map { isWhole ? $0.current : $0.afterPowerLoss(&state.random) }
          ?? Self.read(root + "/" + name)
      }
    }
    let past = older.isEmpty ? "" : ", with the synced names of " + older.joined(separator: ", ")
    state.images.append(
      Image(
        files: files,
        moment: "call \(state.calls), before \(Self.words(call)) \(name(call, file))\(past)",
        acknowledged: acknowledged()))
  }

  // MARK: - The system

  private struct Status {
    var inode: UInt64
    var device: UInt64
    var size: Int64
    var isRegular: Bool

    init(_ status: stat) {
      inode = UInt64(status.st_ino)
      device = UInt64(status.st_dev)
      size = Int64(status.st_size)
      isRegular = status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// Of a file on the same disk.
  private func status(_ descriptor: Int32) -> Status? {
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
    let result = Status(status)
    return result.device == device ? result : nil
  }

  private static func status(_ path: String) -> Status? {
    var status = stat()
    return stat(path, &status) == 0 ? Status(status) : nil
  }

  private static func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }
}
