/// The names of files and folders on a disk: as they are, as they would be without power, and what has
/// been changed between the two.
///
/// A change of a name is durable after a sync of the folder that it is in. Until then a power failure may
/// undo any of them; or the latest ones, from some point on, as file systems with a journal do.
package struct PendingNames: Sendable {
  /// What is where. "" is the outermost folder.
  package struct Names: Sendable {
    /// The number of each file, by its path.
    package var files: [String: Int] = [:]
    package var folders: Set<String> = [""]

    package init() {}

    mutating func apply(_ change: Change) {
      switch change {
      case .set(let name, let file): files[name] = file
      case .remove(let name):
        files[name] = nil
        folders.remove(name)
      case .rename(let old, let new, let file?):
        files[old] = nil
        files[new] = file
      case .rename(let old, let new, nil): moveFolder(old, new)
      case .makeFolder(let name): folders.insert(name)
      }
    }

    /// A folder takes along what is in it.
    private mutating func moveFolder(_ old: String, _ new: String) {
      func moved(_ name: String) -> String {
        name.hasPrefix(old + "/") ? new + name.dropFirst(old.count) : name
      }
      folders.remove(old)
      folders = Set(folders.map(moved))
      folders.insert(new)
      for (name, file) in files where moved(name) != name {
        files[name] = nil
        files[moved(name)] = file
      }
    }

    /// Forgets what is in folders that are not there.
    mutating func dropOrphans() {
      while true {
        let orphans = folders.filter {
          !$0.isEmpty && !folders.contains(PendingNames.folder(of: $0))
        }
        if orphans.isEmpty { break }
        folders.subtract(orphans)
      }
      files = files.filter { folders.contains(PendingNames.folder(of: $0.key)) }
    }
  }

  package enum Change: Sendable {
    case set(String, Int)
    /// Of a file, or of an empty folder.
    case remove(String)
    /// Of a file with its number, or of a folder.
    case rename(String, String, Int?)
    case makeFolder(String)

    /// The folder whose sync makes it durable.
    var folder: String {
      switch self {
      case .set(let name, _), .remove(let name), .rename(_, let name, _), .makeFolder(let name):
        PendingNames.folder(of: name)
      }
    }
  }

  package private(set) var current: Names
  private var durable: Names
  /// In order.
  private var changes: [Change] = []

  /// - Parameter names: durable.
  package init(_ names: Names = Names()) {
    current = names
    durable = names
  }

  package static func folder(of name: String) -> String {
    name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
  }

  package mutating func change(_ change: Change) {
    current.apply(change)
    changes.append(change)
  }

  /// A change that nobody has to make durable.
  package mutating func changeDurably(_ change: Change) {
    current.apply(change)
    durable.apply(change)
  }

  /// What belongs to `folder` becomes durable.
  package mutating func sync(_ folder: String) { makeDurable { $0.folder == folder } }

  /// Some of what belongs to `folder` becomes durable, and the rest waits for the next sync.
  package mutating func failSync(_ folder: String, _ random: inout SplitMix64) {
    makeDurable { $0.folder == folder && random.next() & 1 == 1 }
  }

  private mutating func makeDurable(_ isWritten: (Change) -> Bool) {
    let all = changes
    changes = []
    for change in all {
      if isWritten(change) { durable.apply(change) } else { changes.append(change) }
    }
  }

  /// What a power failure leaves: all of the changes, the first ones, or any.
  package func afterPowerLoss(_ random: inout SplitMix64) -> Names {
    var names = durable
    let kind = random.next() % 3
    let kept = kind == 1 ? Int(random.next() % UInt64(changes.count + 1)) : changes.count
    for change in changes.prefix(kept) where kind < 2 || random.next() & 1 == 1 {
      names.apply(change)
    }
    names.dropOrphans()
    return names
  }
}
