import DaybookEventCore
public import DaybookReplication

extension FolderPeer {
  /// A zone in a shared folder: what one group of stores exchanges there.
  ///
  /// A folder has one, unless two groups began in it before they saw each other's files.
  public struct Zone: Hashable, Sendable {
    /// The zone.
    public var id: ZoneID
    /// The number of events, according to the names of the files. Those of files whose names were
    /// lost do not count.
    public var events: UInt64 = 0
    /// The number of files, including those that have not arrived yet.
    public var files = 0
    /// The number of stores that have written files.
    public var stores = 0
    /// The time of the newest file, in milliseconds since 1970; nil if there is none.
    public var lastChange: Int64?

    /// Whether no store has written anything. Such a zone gives way to another one.
    public var isEmpty: Bool { files == 0 }

    /// What the zone holds, in words.
    var words: String {
      "zone \(id) holds \(Self.count(events, "event")) of \(Self.count(UInt64(stores), "store"))"
    }

    private static func count(_ number: UInt64, _ what: String) -> String {
      number == 1 ? "1 \(what)" : "\(number) \(what)s"
    }
  }
}

extension FolderPeer.Zone {
  /// Looks at all zones of a shared folder, by names.
  /// - Returns: the zones, in ascending order of their ids.
  /// - Throws: ``SyncError`` if a folder cannot be listed.
  static func all(in storage: any FolderStorage) throws(SyncError) -> [FolderPeer.Zone] {
    var surveys: [ZoneID: Survey] = [:]
    for name in try storage.list("") {
      guard let id = FolderLayout.zone(of: name) else { continue }
      try surveys[id, default: Survey(zone: FolderPeer.Zone(id: id))].add(folder: name, storage)
    }
    return surveys.values.map(\.zone).sorted { $0.id.description < $1.id.description }
  }

  private struct Survey {
    var zone: FolderPeer.Zone
    var events: [ReplicaID: SequenceRanges] = [:]

    mutating func add(folder: String, _ storage: any FolderStorage) throws(SyncError) {
      for name in try storage.list(folder) where FolderLayout.writer(of: name) != nil {
        let path = folder + "/" + name
        guard let facts = try storage.facts(path), facts.isFolder else { continue }
        let before = zone.files
        for file in try storage.list(path) { try add(path + "/" + file, file, storage) }
        if zone.files > before { zone.stores += 1 }
      }
    }

    private mutating func add(
      _ path: String, _ name: String, _ storage: any FolderStorage
    ) throws(SyncError) {
      switch FolderFileName.read(name) {
      case .passing, .foreign: return
      case .unnamed: break
      case .file(let name), .copy(let name), .placeholder(let name):
        let missing = (events[name.origin] ?? SequenceRanges()).missing(in: name.sequences)
        zone.events += missing.reduce(0) { $0 + UInt64($1.count) }
        events[name.origin, default: SequenceRanges()].insert(name.sequences)
      }
      zone.files += 1
      guard let facts = try storage.facts(path) else { return }
      zone.lastChange = max(zone.lastChange ?? .min, facts.modified)
    }
  }
}
