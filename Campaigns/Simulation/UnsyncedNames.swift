/// The names of files and folders on a disk: the current ones, the durable ones, and the unsynced
/// changes between them.
///
/// A change of a name is durable after a sync of its folder. Until then a power failure may undo
/// any change. It may also undo only the latest ones, from some point on, as file systems with a
/// journal do.
package struct UnsyncedNames: Sendable {
  /// The names at one moment; "" is the outermost folder.
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

    /// Renames a folder, with everything in it.
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

    /// Removes what is in folders that do not exist.
    mutating func dropOrphans() {
      while true {
        let orphans = folders.filter {
          !$0.isEmpty && !folders.contains(UnsyncedNames.folder(of: $0))
        }
        if orphans.isEmpty { break }
        folders.subtract(orphans)
      }
      files = files.filter { folders.contains(UnsyncedNames.folder(of: $0.key)) }
    }
  }

  package enum Change: Sendable {
    case set(String, Int)
    /// Removes a file or an empty folder.
    case remove(String)
    /// Renames a file with its number, or a folder, whose number is nil.
    case rename(String, String, Int?)
    case makeFolder(String)

    /// The folder whose sync makes the change durable.
    var folder: String {
      switch self {
      case .set(let name, _), .remove(let name), .rename(_, let name, _), .makeFolder(let name):
        UnsyncedNames.folder(of: name)
      }
    }
  }

  package private(set) var current: Names
  private var durable: Names
  /// The changes that are not durable, in order.
  private var changes: [Change] = []

  /// - Parameter names: The durable names.
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

  /// Makes a change that is durable at once.
  package mutating func changeDurably(_ change: Change) {
    current.apply(change)
    durable.apply(change)
  }

  /// Makes the changes that belong to `folder` durable.
  package mutating func sync(_ folder: String) { makeDurable { $0.folder == folder } }

  /// Makes some of the changes that belong to `folder` durable; the rest wait for the next sync.
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

  /// Returns the names after a power failure, with all of the changes, the first ones, or any.
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
