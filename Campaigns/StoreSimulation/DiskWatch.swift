import DaybookCDiskCalls
import DaybookLocks
import DaybookSimulation
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Watches what this process does to the files of one folder, and takes images of power failures.
///
/// An image is what a power failure at that moment would leave. Data that was not synced may be
/// present, torn or missing, sector by sector. The same holds for each name that was made, changed
/// or removed since its folder was synced; a new folder's name takes its content with it. The
/// process goes on undisturbed. Calls can also be made to fail: see ``inject(_:)``. Only one watch
/// can be active at a time.
final class DiskWatch: Sendable {
  /// The content of the disk after a power failure.
  struct Image: Sendable {
    /// Content by path, relative to the watched folder.
    var files: [String: [UInt8]]
    /// The folders by path, relative to the watched folder.
    var folders: Set<String>
    /// A description of the call before which the image was taken.
    var moment: String
    /// The writes acknowledged by then, as ``DiskWatch/init(_:seed:acknowledged:)`` was told to
    /// ask.
    var acknowledged: Set<Int>
  }

  /// The failures so far.
  struct Failures: Sendable {
    /// A description of each failure.
    var story: [String] = []
    var codes: Set<Int32> = []
    /// Whether a sync failed, so that the durable content of a file or folder is unknown.
    var hasLostSync = false
  }

  private struct State {
    var faults: [DiskFault] = []
    var failures = Failures()
    /// Content by the file's inode number.
    var files: [Int: SectorFile] = [:]
    /// Open descriptors that keep inode numbers from being used again.
    ///
    /// They stay open until the end: closing one would release SQLite's locks on the file.
    var pins: [Int32] = []
    var names = UnsyncedNames()
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

  /// - Parameter acknowledged: Returns the acknowledged writes; called when an image is taken.
  init(_ folder: URL, seed: UInt64, acknowledged: @escaping @Sendable () -> Set<Int>) {
    root = folder.path(percentEncoded: false)
    device = Self.status(root)?.device ?? 0
    self.acknowledged = acknowledged
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// Starts to observe the folder; its current content counts as durable.
  func start() {
    state.withLock { state in
      let names = Self.names(in: root)
      for (name, file) in names.files { adopt(root + "/" + name, file, &state) }
      state.names = UnsyncedNames(names)
    }
    Self.active.withLock { $0 = self }
    daybook_calls_observe(
      { call in call.map { DiskWatch.current?.willCall(&$0.pointee) ?? 0 } ?? 0 },
      { call, token in if let call { DiskWatch.current?.didCall(call.pointee, token) } })
  }

  private static var current: DiskWatch? { active.withLock { $0 } }

  /// Stops observing; the folder's files must be closed.
  ///
  /// - Returns: A file whose content differs from the observed writes, if any. The images are then
  ///   wrong.
  func stop() -> String? {
    daybook_calls_observe(nil, nil)
    Self.active.withLock { $0 = nil }
    return state.withLock { state in
      let blind = Self.names(in: root).files.sorted { $0.key < $1.key }.first { name, number in
        guard let file = state.files[number], !Self.isVolatile(name) else { return false }
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

  /// Returns the images taken since the last time.
  func takeImages() -> [Image] {
    state.withLock { state in
      defer { state.images = [] }
      return state.images
    }
  }

  // MARK: - Failures

  /// Makes calls fail as `fault` says, from now on.
  func inject(_ fault: DiskFault) { state.withLock { $0.faults.append(fault) } }

  /// Ends all faults, so that the disk works again.
  ///
  /// - Returns: The failures since the last time.
  func heal() -> Failures {
    state.withLock { state in
      defer { state.failures = Failures() }
      state.faults = []
      return state.failures
    }
  }

  /// Decides whether a call fails, and may shorten a write to a full disk.
  ///
  /// - Returns: The error with which the call fails; 0 if it is made.
  private func failure(_ call: inout daybook_call, _ file: Status?, _ state: inout State) -> Int32 {
    for index in state.faults.indices {
      guard state.faults[index].isDue else { continue }
      let fault = state.faults[index]
      guard fault.hits(call, exists: exists(call), size: file?.size ?? 0) else { continue }
      let name = name(call, file, state)
      guard name.hasPrefix(fault.prefix) else { continue }
      let isWrite = call.kind == DAYBOOK_CALL_WRITE
      if isWrite, fault.error == ENOSPC, call.count > 1, state.random.below(2) == 0 {
        // The disk takes a part, and the call reports a short write.
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

  /// Applies a failed sync: some data was written, and all of it is marked clean.
  private func failSync(_ file: Status?, _ state: inout State) {
    state.failures.hasLostSync = true
    guard let file else { return }
    var random = state.random
    if let folder = folder(file, state) {
      follow(&state)
      state.names.failSync(folder, &random)
    } else {
      state.files[file.node]?.failSync { _ in random.next() & 1 == 1 }
    }
    state.random = random
  }

  private func exists(_ call: daybook_call) -> Bool {
    call.path.map { access($0, F_OK) == 0 } ?? true
  }

  /// Returns the path of a call's file, relative to the watched folder.
  private func name(_ call: daybook_call, _ file: Status?, _ state: State) -> String {
    if let path = call.path { return relative(path) }
    guard let file else { return "" }
    if let folder = folder(file, state) { return folder.isEmpty ? "the outermost folder" : folder }
    let name = Self.names(in: root).files.first { $0.value == file.node }?.key
    return name ?? "a file without a name"
  }

  private func relative(_ path: UnsafePointer<CChar>) -> String {
    String(String(cString: path).dropFirst(root.count + 1))
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
    case DAYBOOK_CALL_LOOK: "a look at"
    default: "removing"
    }
  }

  // MARK: - Calls

  private func willCall(_ call: inout daybook_call) -> UInt64 {
    let file = status(call.descriptor)
    let isInside = isInside(call)
    guard isInside || file != nil else { return 0 }
    let changes =
      call.kind != DAYBOOK_CALL_READ && call.kind != DAYBOOK_CALL_LOOK
      && !(call.kind == DAYBOOK_CALL_OPEN && call.creates == 0 && call.empties == 0)
    return state.withLock { state in
      var isKnown = file.map { state.files[$0.node] != nil } ?? false
      if !isKnown, let file, changes { isKnown = folder(file, state) != nil }
      guard isKnown || isInside else { return 0 }
      for index in state.faults.indices where state.faults[index].wait > 0 {
        state.faults[index].wait -= 1
      }
      if changes {
        state.calls += 1
        if state.planned.remove(state.calls) != nil { takeImage(call, file, &state) }
      }
      if !state.faults.isEmpty { call.error = failure(&call, file, &state) }
      guard call.error == 0, call.kind == DAYBOOK_CALL_SYNC, let node = file?.node,
        let now = state.files[node]
      else { return 0 }
      state.lastToken += 1
      state.syncing[state.lastToken] = now
      return state.lastToken
    }
  }

  private func didCall(_ call: daybook_call, _ token: UInt64) {
    if call.kind == DAYBOOK_CALL_RENAME || call.kind == DAYBOOK_CALL_REMOVE
      || call.kind == DAYBOOK_CALL_MAKE_FOLDER
    {
      return state.withLock { renamed(call, &$0) }
    }
    guard let file = status(call.descriptor) else { return }
    state.withLock { state in
      switch call.kind {
      case DAYBOOK_CALL_OPEN:
        guard isInside(call), let path = call.path, file.isRegular else { return }
        if state.files[file.node] == nil { adopt(String(cString: path), file.node, &state) }
        if call.empties != 0 { state.files[file.node]?.resize(0) }
        let name = relative(path)
        if call.creates != 0, state.names.current.files[name] != file.node {
          state.names.change(.set(name, file.node))
        }
      case DAYBOOK_CALL_WRITE:
        let bytes = UnsafeRawBufferPointer(start: call.bytes, count: call.count)
        state.files[file.node]?.write(bytes, at: Int(call.offset))
      case DAYBOOK_CALL_RESIZE: state.files[file.node]?.resize(Int(call.offset))
      case DAYBOOK_CALL_GROW:
        let size = state.files[file.node]?.current.count ?? 0
        state.files[file.node]?.resize(max(size, Int(call.offset)))
      case DAYBOOK_CALL_SYNC:
        if let begun = state.syncing.removeValue(forKey: token) {
          state.files[file.node]?.sync(since: begun)
        } else if let folder = folder(file, state) {
          follow(&state)
          state.names.sync(folder)
        }
      default: break
      }
    }
  }

  private func isInside(_ call: daybook_call) -> Bool { call.path.map(isInside) ?? false }

  private func isInside(_ path: UnsafePointer<CChar>) -> Bool {
    String(cString: path).hasPrefix(root + "/")
  }

  private func adopt(_ path: String, _ node: Int, _ state: inout State) {
    let pin = open(path, O_RDONLY | O_CLOEXEC)
    if pin >= 0 { state.pins.append(pin) }
    state.files[node] = SectorFile(durable: Self.read(path) ?? [])
  }

  // MARK: - Names

  private func renamed(_ call: daybook_call, _ state: inout State) {
    guard let path = call.path, isInside(path) else { return }
    let name = relative(path)
    switch call.kind {
    case DAYBOOK_CALL_REMOVE: state.names.change(.remove(name))
    case DAYBOOK_CALL_MAKE_FOLDER: state.names.change(.makeFolder(name))
    default:
      guard let target = call.target, isInside(target) else { return }
      let found = Self.status(String(cString: target))
      state.names.change(
        .rename(name, relative(target), found?.isRegular == true ? found?.node : nil))
    }
  }

  /// Records the name changes of calls that were not observed.
  private func follow(_ state: inout State) {
    let (known, now) = (state.names.current, Self.names(in: root))
    for folder in now.folders.subtracting(known.folders).sorted() {
      state.names.change(.makeFolder(folder))
    }
    for (name, file) in now.files.sorted(by: { $0.key < $1.key }) where known.files[name] != file {
      state.names.change(.set(name, file))
    }
    // A listing may miss a file that another thread is renaming.
    let gone = Set(known.files.keys).subtracting(now.files.keys)
    for name in gone.union(known.folders.subtracting(now.folders)).sorted(by: >)
    where Self.status(root + "/" + name) == nil {
      state.names.change(.remove(name))
    }
  }

  /// Returns the folder with that inode, "" for the outermost one; nil if there is none.
  private func folder(_ file: Status, _ state: State) -> String? {
    guard !file.isRegular else { return nil }
    return state.names.current.folders.first { name in
      Self.status(name.isEmpty ? root : root + "/" + name).map { $0.node == file.node } ?? false
    }
  }

  /// Whether a file is shared memory, which does not survive a power failure.
  private static func isVolatile(_ name: String) -> Bool { name.hasSuffix("-shm") }

  private static func names(in root: String) -> UnsyncedNames.Names {
    var names = UnsyncedNames.Names()
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? [] {
      guard let status = status(root + "/" + name) else { continue }
      if status.isRegular { names.files[name] = status.node } else { names.folders.insert(name) }
    }
    return names
  }

  // MARK: - Images

  private func takeImage(_ call: daybook_call, _ file: Status?, _ state: inout State) {
    follow(&state)
    let names = state.names.afterPowerLoss(&state.random)
    var files: [String: [UInt8]] = [:]
    for (name, node) in names.files.sorted(by: { $0.key < $1.key }) where !Self.isVolatile(name) {
      // The system writes back file by file: one may be complete and another missing.
      let isWhole = state.random.next() % 4 == 0
      files[name] =
        state.files[node].map { isWhole ? $0.current : $0.afterPowerLoss(&state.random) }
        ?? Self.read(root + "/" + name)
    }
    let current = state.names.current
    let all = Set(current.files.keys).union(names.files.keys)
    let others = all.filter { current.files[$0] != names.files[$0] && !Self.isVolatile($0) }
    let past =
      others.isEmpty ? "" : ", with older names: " + others.sorted().joined(separator: ", ")
    state.images.append(
      Image(
        files: files, folders: names.folders,
        moment:
          "call \(state.calls), before \(Self.words(call)) \(name(call, file, state))\(past)",
        acknowledged: acknowledged()))
  }

  // MARK: - The system

  private struct Status {
    /// The file's inode number.
    var node: Int
    var device: UInt64
    var size: Int64
    var isRegular: Bool

    init(_ status: stat) {
      node = Int(truncatingIfNeeded: status.st_ino)
      device = UInt64(status.st_dev)
      size = Int64(status.st_size)
      isRegular = status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// Returns the status of an open file; nil if it is on another device.
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
