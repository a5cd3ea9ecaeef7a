import DaybookEventCore
import DaybookReplication
import DaybookSimulation

/// A shared folder with a copy on every machine, and the program that syncs the copies.
///
/// Like real programs of that kind, it delivers files late, out of order, incomplete, as
/// placeholders, twice, or under other names.
///
/// A machine's change is in transit to the others at once, and arrives when the run decides. A
/// removal is in transit as a file is, and may arrive first.
final class SimulatedFolder {
  struct File: Hashable {
    var bytes: [UInt8]
    /// Milliseconds since 1970, by the clock of the machine that wrote it.
    var modified: Int64
  }

  struct Transfer {
    var to: Int
    var path: String
    /// The file; nil if it was removed.
    var file: File?
  }

  /// The copies by machine number.
  private(set) var copies: [Int: CopiedFolder] = [:]
  private(set) var transfers: [Transfer] = []
  /// Every file that ever existed, as its writer made it.
  private(set) var written: [String: File] = [:]

  func addCopy(for machine: Int, _ clock: SimulatedClock) -> CopiedFolder {
    let copy = CopiedFolder(self, machine, clock)
    // A new copy begins with the files of another one.
    let files = copies.min { $0.key < $1.key }?.value.files ?? [:]
    for (path, file) in files.sorted(by: { $0.key < $1.key }) { copy.put(file, path) }
    copies[machine] = copy
    return copy
  }

  /// Records that a machine has written or removed a file.
  func changed(_ path: String, _ file: File?, by machine: Int) {
    if let file { written[path] = file }
    for other in copies.keys.sorted() where other != machine {
      transfers.append(Transfer(to: other, path: path, file: file))
    }
  }

  // MARK: - Transfers

  /// Brings one change, or something similar, to one copy.
  ///
  /// - Returns: What happened, for the story; nil if nothing is in transit.
  func carry(_ random: inout SplitMix64) -> String? {
    guard !transfers.isEmpty else { return nil }
    let index = random.below(transfers.count)
    let transfer = transfers[index]
    guard let copy = copies[transfer.to] else { return nil }
    let path = transfer.path
    guard let file = transfer.file else {
      transfers.remove(at: index)
      copy.drop(path)
      return "\(Self.short(path)) goes away"
    }
    switch random.below(12) {
    case 0:
      let part = random.below(max(file.bytes.count, 1))
      copy.put(File(bytes: Array(file.bytes.prefix(part)), modified: copy.now), path)
      return "\(part) bytes of \(Self.short(path)) arrive"
    case 1:
      copy.put(File(bytes: [], modified: file.modified), Self.placeholder(path))
      return "a placeholder for \(Self.short(path)) arrives"
    case 2:
      copy.put(file, Self.folder(path) + "/~syncthing~\(Self.name(path)).tmp")
      return "\(Self.short(path)) is on its way under a temporary name"
    case 3:
      transfers.remove(at: index)
      copy.put(file, path.replacing(".events", with: " (conflicted copy).events"))
      return "\(Self.short(path)) arrives as a conflicted copy"
    case 4:
      transfers.remove(at: index)
      copy.put(file, Self.folder(path) + "/mail \(random.below(3)).events")
      return "\(Self.short(path)) arrives under a name that says nothing"
    case 5:
      copy.put(file, path.replacing(".events", with: ".sync-conflict-20261121-101010-A.events"))
      fallthrough
    default:
      transfers.remove(at: index)
      let keepsTime = random.chance(60)
      copy.put(File(bytes: file.bytes, modified: keepsTime ? file.modified : copy.now), path)
      copy.drop(Self.placeholder(path))
      return "\(Self.short(path)) arrives"
    }
  }

  /// Changes a copy as a sync program, a person or a bad disk might.
  ///
  /// - Returns: What happened, for the story; nil if nothing changed.
  func meddle(_ random: inout SplitMix64) -> String? {
    let copy = copies[random.pick(copies.keys.sorted())]
    guard let copy else { return nil }
    if random.chance(12) {
      guard let path = written.keys.sorted().randomElement(using: &random),
        let file = written[path]
      else { return nil }
      copy.put(file, path)
      return "\(Self.short(path)) comes back"
    }
    guard let path = copy.files.keys.sorted().randomElement(using: &random),
      let file = copy.files[path], path.hasSuffix(".events")
    else { return nil }
    switch random.below(8) {
    case 0...2:
      copy.drop(path)
      copy.put(File(bytes: [], modified: file.modified), Self.placeholder(path))
      if let whole = written[path] {
        transfers.append(Transfer(to: copy.machine, path: path, file: whole))
      }
      return "\(Self.short(path)) is evicted"
    case 3:
      copy.drop(path)
      changed(path, nil, by: copy.machine)
      return "somebody removes \(Self.short(path))"
    case 4:
      copy.drop(path)
      return "\(Self.short(path)) is lost"
    case 5:
      return flip(path, file, copy, &random)
    case 6:
      copy.renameZone()
      return "the folder of the zone is renamed"
    default:
      let part = Array(file.bytes.prefix(random.below(file.bytes.count + 1)))
      spoil(path, part, copy, isCarried: random.chance(30))
      return "\(Self.short(path)) is cut off"
    }
  }

  /// Flips a bit in a file of an origin, in one copy.
  ///
  /// - Returns: What happened, for the story; nil if the copy has no such file.
  func flip(of origin: ReplicaID, in machine: Int, _ random: inout SplitMix64) -> String? {
    guard let copy = copies[machine] else { return nil }
    let own = copy.files.keys.sorted().filter { path in
      guard case .file(let name) = FolderFileName.read(Self.name(path)) else { return false }
      return name.origin == origin
    }
    guard let path = own.randomElement(using: &random), let file = copy.files[path] else {
      return nil
    }
    return flip(path, file, copy, &random)
  }

  private func flip(
    _ path: String, _ file: File, _ copy: CopiedFolder, _ random: inout SplitMix64
  ) -> String? {
    var bytes = file.bytes
    guard !bytes.isEmpty else { return nil }
    bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
    spoil(path, bytes, copy, isCarried: random.chance(30))
    return "a bit of \(Self.short(path)) flips"
  }

  /// Replaces the content of a file in one copy.
  ///
  /// - Parameter isCarried: Whether the program brings the change to the other copies.
  private func spoil(_ path: String, _ bytes: [UInt8], _ copy: CopiedFolder, isCarried: Bool) {
    copy.put(File(bytes: bytes, modified: copy.now), path)
    guard isCarried else { return }
    for other in copies.keys.sorted() where other != copy.machine {
      transfers.append(Transfer(to: other, path: path, file: copy.files[path]))
    }
  }

  /// Removes the files that hold an event and none after `last`, from all copies.
  ///
  /// - Returns: What happened, for the story; nil if no copy has such a file.
  func lose(_ event: EventID, through last: UInt64) -> String? {
    var what: String?
    for copy in copies.values.sorted(by: { $0.machine < $1.machine }) {
      for path in copy.files.keys.sorted() {
        guard let name = copy.name(path), name.origin == event.origin,
          name.sequences.contains(event.sequence), name.sequences.upperBound <= last
        else { continue }
        copy.drop(path)
        transfers.removeAll { $0.path == path }
        what = what ?? "\(Self.short(path)) is lost everywhere"
      }
    }
    return what
  }

  /// Delivers everything in transit, and makes all copies equal.
  ///
  /// A damaged file is copied too if no copy has it undamaged, because the program cannot know.
  func deliverAll() {
    for transfer in transfers {
      guard let copy = copies[transfer.to] else { continue }
      if let file = transfer.file {
        copy.put(file, transfer.path)
      } else {
        copy.drop(transfer.path)
      }
      copy.drop(Self.placeholder(transfer.path))
    }
    transfers = []
    // Sound files are found by content: their folder may have been renamed.
    let sound = Set(written.values.map(\.bytes))
    var all: [String: File] = [:]
    for copy in copies.values.sorted(by: { $0.machine < $1.machine }) {
      for path in copy.files.keys where path.hasSuffix(".icloud") || path.hasSuffix(".tmp") {
        copy.drop(path)
      }
      for (path, file) in copy.files.sorted(by: { $0.key < $1.key }) {
        guard let other = all[path], sound.contains(other.bytes) else {
          all[path] = file
          continue
        }
        // Two sound files arrived under one name in different copies: the second gets another name.
        if other.bytes != file.bytes, sound.contains(file.bytes) {
          all[path.replacing(".events", with: " of \(copy.machine).events")] = file
        }
      }
    }
    // In order: a copy decides by the number of a change which file is written once more.
    let files = all.sorted { $0.key < $1.key }
    for copy in copies.values {
      for (path, file) in files {
        // Replace a sound file whose name belongs to another file now.
        let isTaken = copy.files[path].map { $0.bytes != file.bytes && sound.contains($0.bytes) }
        if isTaken ?? true { copy.put(file, path) }
      }
      copy.calm()
    }
  }

  // MARK: - Names

  static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  static func name(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  private static func placeholder(_ path: String) -> String {
    folder(path) + "/.\(name(path)).icloud"
  }

  /// Returns a short form of a path, for the story.
  static func short(_ path: String) -> String {
    guard case .file(let name) = FolderFileName.read(name(path)) else { return "“\(path)”" }
    return "“\(name.origin.description.prefix(6)):\(name.sequences.lowerBound)…"
      + "\(name.sequences.upperBound) of \(writer(path).prefix(6))”"
  }

  /// Returns the name of the writer's folder in a path.
  static func writer(_ path: String) -> Substring {
    let parts = path.split(separator: "/")
    return parts.count == 3 ? parts[1] : ""
  }
}
