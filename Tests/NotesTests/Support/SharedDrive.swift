import DaybookLocks
import DaybookNotes
import DaybookSimulation
import Foundation

/// A shared folder with a copy on each device, and the program that carries files between them, as
/// such programs do: late, out of order, in part, twice, as placeholders; and it evicts what it has
/// brought.
final class SharedDrive: Sendable {
  private struct State {
    var random: SplitMix64
    var devices: [String] = []
    /// The files that devices have written, by path, and who wrote each.
    var written: [String: (owner: String, bytes: Data)] = [:]
    /// What the program itself has put somewhere: device and path.
    var carried: Set<String> = []
    var downloads = 0
  }

  let root: URL
  private let state: Mutex<State>

  init(seed: UInt64) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "drive-\(UUID().uuidString)")
    state = Mutex(State(random: SplitMix64(seed: seed)))
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: root) }

  /// The copy of a device.
  func folder(_ device: String) throws -> URL {
    let url = root.appending(path: "copy-\(device)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    state.withLock { if !$0.devices.contains(device) { $0.devices.append(device) } }
    return url
  }

  func store(_ name: String) -> URL { root.appending(path: "store-\(name)") }

  var downloadCount: Int { state.withLock { $0.downloads } }

  private func url(_ device: String, _ path: String) -> URL {
    root.appending(path: "copy-\(device)").appending(path: path)
  }

  private static func placeholder(_ path: String) -> String {
    let name = (path as NSString).lastPathComponent
    return (path as NSString).deletingLastPathComponent + "/.\(name).icloud"
  }

  private func files(_ device: String) -> [String] {
    let root = url(device, "").path
    let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return found.filter { $0.hasSuffix(".events") && !$0.contains("~") && !$0.contains(" ") }
      .sorted()
  }

  private func put(_ bytes: Data, _ device: String, _ path: String, _ state: inout State) throws {
    let file = url(device, path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    state.carried.insert(device + " " + path)
    try bytes.write(to: file)
  }

  private func drop(_ device: String, _ path: String) {
    try? FileManager.default.removeItem(at: url(device, path))
  }

  /// Takes note of what devices have written or removed.
  private func noteChanges(_ state: inout State) {
    for device in state.devices {
      let files = files(device)
      for path in files where state.written[path] == nil {
        guard !state.carried.contains(device + " " + path),
          let bytes = try? Data(contentsOf: url(device, path))
        else { continue }
        state.written[path] = (device, bytes)
      }
      let there = Set(files)
      for (path, file) in state.written where file.owner == device && !there.contains(path) {
        state.written[path] = nil
        for other in state.devices { drop(other, path) }
      }
    }
  }

  /// Brings each file to each device, or something like it.
  func carry() throws {
    try state.withLock { state in
      noteChanges(&state)
      for (path, file) in state.written.sorted(by: { $0.key < $1.key }) {
        for device in state.devices where device != file.owner {
          let placeholder = Self.placeholder(path)
          let isThere = (try? Data(contentsOf: url(device, path))) == file.bytes
          switch state.random.below(8) {
          case 0: break
          case 1 where !isThere:
            let part = state.random.below(file.bytes.count)
            try put(file.bytes.prefix(part), device, path, &state)
          case 2:
            // Comes as a placeholder, or is evicted.
            drop(device, path)
            try put(Data(), device, placeholder, &state)
          case 3:
            let copy = path.replacing(".events", with: " (conflicted copy).events")
            try put(file.bytes, device, copy, &state)
          case 4: try put(file.bytes, device, path.replacing(".events", with: ".tmp"), &state)
          default:
            drop(device, placeholder)
            try put(file.bytes, device, path, &state)
          }
        }
      }
    }
  }

  /// Brings all files as they are.
  func carryAll() throws {
    try state.withLock { state in
      noteChanges(&state)
      for (path, file) in state.written {
        for device in state.devices where device != file.owner {
          drop(device, Self.placeholder(path))
          if (try? Data(contentsOf: url(device, path))) != file.bytes {
            try put(file.bytes, device, path, &state)
          }
        }
      }
    }
  }

  /// Replaces all files that others have written by placeholders.
  func evict(_ device: String) throws {
    try state.withLock { state in
      noteChanges(&state)
      for (path, file) in state.written where file.owner != device {
        drop(device, path)
        try put(Data(), device, Self.placeholder(path), &state)
      }
    }
  }

  /// The downloader of a device.
  /// - Parameter failures: how many downloads fail at first.
  func downloader(_ device: String, failures: Int = 0) -> Downloader {
    Downloader(drive: self, device: device, failures: failures)
  }

  fileprivate func download(_ placeholder: URL, _ device: String) throws {
    try state.withLock { state in
      let root = url(device, "").standardizedFileURL.path
      let path = String(placeholder.standardizedFileURL.path.dropFirst(root.count))
      let name = (path as NSString).lastPathComponent.dropFirst().dropLast(".icloud".count)
      let file = (path as NSString).deletingLastPathComponent + "/" + name
      let key = file.hasPrefix("/") ? String(file.dropFirst()) : file
      guard let bytes = state.written[key]?.bytes else {
        throw NotesError(.unusableFolder, "the drive has no “\(key)”")
      }
      state.downloads += 1
      try put(bytes, device, key, &state)
      drop(device, Self.placeholder(key))
    }
  }

  /// Downloads what the drive has evicted, at once if it does not fail.
  final class Downloader: NoteDownloader {
    private struct Counts {
      var failures: Int
      var running = 0
      var most = 0
    }

    private let drive: SharedDrive
    private let device: String
    private let counts: Mutex<Counts>

    fileprivate init(drive: SharedDrive, device: String, failures: Int) {
      self.drive = drive
      self.device = device
      counts = Mutex(Counts(failures: failures))
    }

    /// The most downloads that ran at once.
    var most: Int { counts.withLock { $0.most } }

    func download(_ placeholder: URL, to file: URL) async throws {
      let fails = counts.withLock { counts in
        counts.running += 1
        counts.most = max(counts.most, counts.running)
        counts.failures -= 1
        return counts.failures >= 0
      }
      defer { counts.withLock { $0.running -= 1 } }
      await Task.yield()
      if fails { throw NotesError(.unusableFolder, "the drive is away") }
      try drive.download(placeholder, device)
    }
  }
}

extension Notebook {
  /// Opens a notebook on a device of a drive, which retries at once.
  static func open(
    _ name: String, on drive: SharedDrive, downloader: (any NoteDownloader)? = nil
  ) async throws -> Notebook {
    var options = Notebook.Options()
    options.sharing.downloader = downloader
    options.sharing.firstRetry = .milliseconds(2)
    options.sharing.lastRetry = .milliseconds(20)
    options.sharing.engine.firstRetry = .milliseconds(2)
    options.sharing.engine.lastRetry = .milliseconds(20)
    options.sharing.folder.lookout = .milliseconds(50)
    return try await Notebook.open(at: drive.store(name), actor: name, options: options)
  }

  /// Waits until the sync is in a state.
  @discardableResult
  func wait(until isMet: (NoteSync.State) -> Bool) async throws -> NoteSync.State {
    guard let sync else { throw NotesError(.noSuchNotebook, "the notebook does not sync") }
    for await state in sync.states {
      if isMet(state) { return state }
    }
    throw CancellationError()
  }
}

extension AsyncSequence {
  /// Waits for a value that meets a condition.
  @discardableResult
  func first(that isMet: (Element) -> Bool) async throws -> Element {
    for try await value in self where isMet(value) { return value }
    throw CancellationError()
  }
}
