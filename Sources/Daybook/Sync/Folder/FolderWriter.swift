import EventCore
import Foundation
import Replication

/// One replica's hand in a shared folder: writes and tidies the files of its own folder, and touches no
/// others.
struct FolderWriter {
  let writer: ReplicaID
  let now: Int64
  /// How long a file stays that another has made superfluous, milliseconds.
  let grace: Int64

  /// Files become so large, and then stay as they are.
  static let fileBytesMax = SyncProtocol.batchBytes
  /// So many files of a size become one.
  static let mergeCount = 16

  private func folder(_ index: FolderIndex) -> String {
    "\(FolderLayout.name(of: index.zone))/\(writer)"
  }

  func write(_ file: FolderFile, _ index: FolderIndex) throws {
    let bytes = file.encoded()
    let name = file.name(of: bytes)
    let folder = folder(index)
    try index.disk.makeFolder(folder)
    let path = "\(folder)/\(name)"
    try index.disk.write(bytes, path)
    index.add(
      FolderItem(name: name, path: path, writer: writer, isExact: true, modified: now))
  }

  /// Makes few large files of many small ones, and removes those of this writer that are superfluous.
  ///
  /// What is removed is there in another file, by its chain value, and has been for a while: a program
  /// that synchronises the folder may carry the removal faster than the new file.
  func tidy(_ index: FolderIndex) throws {
    let own = Dictionary(grouping: index.items(by: writer), by: \.name.origin)
    for (origin, items) in own.sorted(by: { $0.key < $1.key }) {
      try merge(items, index)
      /// The heirs, as they are now: what was read of them before may have been damaged since.
      var read: [String: FolderFile?] = [:]
      let settled = index.items(of: origin).filter { now &- $0.modified >= grace && isHeir($0) }
      let heirs = Self.outermost(settled, rank)
      for item in items {
        guard let heir = heirs.first(where: { $0.path != item.path && $0.covers(item) }),
          case let file = read[heir.path] ?? index.read(heir, isAnew: true)
        else { continue }
        read[heir.path] = .some(file)
        guard let chain = file?.chain(after: item.name.sequences.upperBound),
          ChainTag(chain) == item.name.tag
        else { continue }
        try index.disk.remove(item.path)
        index.forget(item)
      }
    }
  }

  /// Whether a file can make this writer's superfluous: it is this writer's too; or, of another author's
  /// events, the author's, or one's who comes before this one.
  private func isHeir(_ item: FolderItem) -> Bool {
    item.writer == writer
      || item.name.origin != writer && (item.writer == item.name.origin || item.writer < writer)
  }

  /// Of files with the same events, the least rank stays.
  private func rank(_ item: FolderItem) -> Int {
    if item.writer == item.name.origin, item.isExact { return 0 }
    if item.writer != writer { return 1 }
    return item.isExact ? 2 : 3
  }

  /// The files that are not within another.
  private static func outermost(_ items: [FolderItem], _ rank: (FolderItem) -> Int) -> [FolderItem]
  {
    let sorted = items.sorted { a, b in
      let (one, other) = (a.name.sequences, b.name.sequences)
      if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
      if one.upperBound != other.upperBound { return one.upperBound > other.upperBound }
      return (rank(a), a.path) < (rank(b), b.path)
    }
    var reach: UInt64 = 0
    return sorted.filter { item in
      defer { reach = max(reach, item.name.sequences.upperBound) }
      return item.name.sequences.upperBound > reach
    }
  }

  /// - Parameter items: this writer's, of one origin.
  private func merge(_ items: [FolderItem], _ index: FolderIndex) throws {
    for row in Self.rows(Self.outermost(items, rank)) where row.count >= Self.mergeCount {
      let files = row.compactMap { index.read($0) }
      guard files.count == row.count, let file = FolderFile.merging(files, writer: writer) else {
        continue
      }
      try write(file, index)
    }
  }

  /// Files that follow on one another and are of about one size, as far as one file may hold them.
  private static func rows(_ items: [FolderItem]) -> [[FolderItem]] {
    var rows: [[FolderItem]] = []
    var bytes = 0
    for item in items {
      let size = item.name.size
      if let last = rows.last?.last,
        last.name.sequences.upperBound + 1 == item.name.sequences.lowerBound,
        last.name.tag.prefix == item.name.before, tier(last.name.size) == tier(size),
        bytes + size <= fileBytesMax
      {
        rows[rows.count - 1].append(item)
        bytes += size
      } else {
        rows.append([item])
        bytes = size
      }
    }
    return rows
  }

  /// Sizes that differ by less than sixteen times are of one tier, so that a byte is written again few
  /// times in its life.
  private static func tier(_ size: Int) -> Int {
    switch size {
    case ..<(4 << 10): 0
    case ..<(64 << 10): 1
    case ..<(1 << 20): 2
    default: 3
    }
  }
}
