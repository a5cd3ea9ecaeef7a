import DaybookDisk
import DaybookEventCore
import DaybookPeers
import DaybookReplication
import Foundation

/// A machine's copy of a ``SimulatedFolder``, as the process on that machine sees it.
///
/// Only the run's one thread uses it.
final class CopiedFolder: FolderStorage, @unchecked Sendable {
  /// The effect of a planned failure.
  enum Fault { case full, unreadable, death }

  let root = "/shared"
  let machine: Int
  private unowned let folder: SimulatedFolder
  private let clock: SimulatedClock
  private(set) var files: [String: SimulatedFolder.File] = [:]
  /// The number of the change that put each file in place.
  private var changes: [String: UInt64] = [:]
  private var changeCount: UInt64 = 0
  /// When each file was put in place, in milliseconds since 1970.
  private var changed: [String: Int64] = [:]
  /// The files that the program writes in place, once more, while they are read next.
  private var rewritten: Set<String> = []
  /// How many files were written in place while they were read.
  private(set) var tornReads = 0
  /// When a folder was last listed, in milliseconds since 1970.
  private var scanned: Int64 = 0
  private var folders: Set<String> = []
  private var fault: (after: Int, kind: Fault)?
  /// Whether the process has died within a call.
  private(set) var isDead = false
  /// Whether a failure was planned since the last repair.
  private(set) var mayFail = false
  /// The first broken rule of the folder, in words; nil if there is none.
  private(set) var broken: String?
  /// The replica that writes now.
  var writer = ""

  init(_ folder: SimulatedFolder, _ machine: Int, _ clock: SimulatedClock) {
    self.folder = folder
    self.machine = machine
    self.clock = clock
  }

  var now: Int64 { clock.wallMilliseconds }

  // MARK: - What happens to it

  func plan(_ kind: Fault, after calls: Int) {
    fault = (calls, kind)
    mayFail = true
  }

  /// Returns whether a file is as its writer made it, and was so long before the latest scan that
  /// the time of its last change tells it apart from what was there before.
  func isWhole(_ path: String) -> Bool {
    guard let file = files[path], folder.written[path]?.bytes == file.bytes else { return false }
    return !rewritten.contains(path) && scanned &- (changed[path] ?? 0) > 2500
  }

  /// Lets the program come to an end.
  func calm() { rewritten = [] }

  func heal() {
    fault = nil
    isDead = false
    mayFail = false
  }

  func put(_ file: SimulatedFolder.File, _ path: String) {
    files[path] = file
    changeCount += 1
    changes[path] = changeCount
    changed[path] = now
    // Without a draw, so that the seeds of earlier findings tell the same stories.
    if changeCount.isMultiple(of: 5) { rewritten.insert(path) } else { rewritten.remove(path) }
    var folder = SimulatedFolder.folder(path)
    while !folder.isEmpty {
      folders.insert(folder)
      folder = SimulatedFolder.folder(folder)
    }
  }

  func drop(_ path: String) { files[path] = nil }

  /// Renames the zone's folder, as sync programs do if two machines have made the same folder.
  func renameZone() {
    guard let zone = folders.filter({ !$0.contains("/") }).min() else { return }
    let next = zone + " 2"
    func moved(_ path: String) -> String {
      path == zone || path.hasPrefix(zone + "/") ? next + path.dropFirst(zone.count) : path
    }
    guard !folders.contains(next) else { return }
    folders = Set(folders.map(moved))
    for (path, file) in files {
      files[path] = nil
      files[moved(path)] = file
      changes[moved(path)] = changes[path]
      changed[moved(path)] = changed[path]
    }
  }

  // MARK: - Calls

  /// Counts the call, and decides whether it fails.
  ///
  /// - Returns: Whether the call must fail.
  /// - Throws: ``SyncError`` if the process is dead or dies now.
  private func fails(_ isWrite: Bool) throws(SyncError) -> Bool {
    if isDead { throw SyncError(.unavailable, "the process is dead") }
    guard var plan = fault else { return false }
    plan.after -= 1
    fault = plan
    guard plan.after <= 0 else { return false }
    switch plan.kind {
    case .death:
      isDead = true
      throw SyncError(.unavailable, "the process dies")
    case .full: return isWrite
    case .unreadable: return !isWrite
    }
  }

  private func require(_ isWrite: Bool) throws(SyncError) {
    if try fails(isWrite) { throw SyncError(.unavailable, "an injected failure of the folder") }
  }

  func requireFolder() throws(SyncError) {}

  func list(_ name: String) throws(SyncError) -> [String] {
    try require(false)
    scanned = now
    guard name.isEmpty || folders.contains(name) else {
      throw SyncError(.unreachable, "there is no folder “\(name)”")
    }
    let all = Array(files.keys) + folders
    return all.filter { SimulatedFolder.folder($0) == name }.map(SimulatedFolder.name).sorted()
  }

  func facts(_ name: String) throws(SyncError) -> FolderFacts? {
    try require(false)
    if folders.contains(name) {
      return FolderFacts(isFolder: true, size: 0, modified: 0, change: 0, changed: 0)
    }
    return files[name].map {
      FolderFacts(
        isFolder: false, size: $0.bytes.count, modified: $0.modified,
        change: changes[name] ?? 0, changed: changed[name] ?? 0)
    }
  }

  func read(_ name: String, atMost limit: Int) -> Result<[UInt8], SystemError> {
    guard (try? fails(false)) == false else { return .failure(SystemError(EIO)) }
    guard let file = files[name] else { return .failure(SystemError(ENOENT)) }
    if rewritten.remove(name) != nil {
      tornReads += 1
      // Of two changes in a moment, the file system may tell one.
      let age = now &- (changed[name] ?? 0)
      if tornReads.isMultiple(of: 2) || !(0...2000).contains(age) {
        changeCount += 1
        (changes[name], changed[name]) = (changeCount, now)
      }
      return .success(Array(file.bytes.prefix(min(limit + 1, file.bytes.count / 2))))
    }
    return .success(Array(file.bytes.prefix(limit + 1)))
  }

  func makeFolder(_ name: String) throws(SyncError) {
    try require(true)
    folders.insert(name)
  }

  func write(_ bytes: [UInt8], _ name: String) throws(SyncError) {
    func leave() {
      let path = SimulatedFolder.folder(name) + "/~syncthing~daybook-1.tmp"
      put(.init(bytes: Array(bytes.prefix(bytes.count / 2)), modified: now), path)
    }
    let isFailing: Bool
    do throws(SyncError) { isFailing = try fails(true) } catch {
      leave()
      throw error
    }
    if isFailing { throw SyncError(.unavailable, "an injected failure of the folder: no space") }
    judge(bytes, name)
    put(.init(bytes: bytes, modified: now), name)
    rewritten.remove(name)
    folder.changed(name, files[name], by: machine)
  }

  func remove(_ name: String) throws(SyncError) {
    try require(true)
    judgeRemoval(name)
    drop(name)
    folder.changed(name, nil, by: machine)
  }

  func fetch(_ placeholder: String) {}

  func alone<T>(_ body: () throws -> T) throws -> T { try body() }

  // MARK: - Rules

  private func say(_ what: String, _ path: String) {
    if broken == nil { broken = "\(SimulatedFolder.short(path)) \(what)" }
  }

  /// Checks that a written file has its one writer, never changes, and holds no private events.
  private func judge(_ bytes: [UInt8], _ path: String) {
    guard SimulatedFolder.writer(path) == writer else {
      return say("is written by \(writer.prefix(6))", path)
    }
    guard case .file(let name) = FolderFileName.read(SimulatedFolder.name(path)),
      name.size == bytes.count
    else { return say("has a name that does not say what is in it", path) }
    if name.origin.isPrivate { say("has events of a private origin", path) }
    if let known = folder.written[path], known.bytes != bytes { say("is written anew", path) }
  }

  /// Checks that a writer removes only its own superfluous files.
  ///
  /// A file is superfluous if other undamaged files hold all of its events.
  private func judgeRemoval(_ path: String) {
    guard SimulatedFolder.writer(path) == writer else {
      return say("is removed by \(writer.prefix(6))", path)
    }
    guard let gone = name(path) else { return say("is removed, whatever it was", path) }
    var left = SequenceRanges()
    for other in files.keys where other != path {
      if let name = held(other), name.origin == gone.origin { left.insert(name.sequences) }
    }
    if !left.missing(in: gone.sequences).isEmpty { say("is removed, and was needed", path) }
  }

  /// Returns the name that says what a file was meant to hold; nil if it cannot be determined.
  func name(_ path: String) -> FolderFileName? {
    switch FolderFileName.read(SimulatedFolder.name(path)) {
    case .file(let name), .copy(let name): name
    default: held(path)
    }
  }

  /// Returns the name for the content of an undamaged file; nil if the file is damaged.
  private func held(_ path: String) -> FolderFileName? {
    guard let bytes = files[path]?.bytes,
      let file = bytes.withUnsafeBytes({ try? FolderFile(decoding: $0) })
    else { return nil }
    return file.name(of: bytes)
  }
}
