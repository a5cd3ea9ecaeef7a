import DaybookEventCore
import DaybookReplication
import Foundation

/// The writing side of one replica in a shared folder. It writes and tidies the files in the
/// replica's own folder, and never touches other folders.
struct FolderWriter {
  let writer: ReplicaID
  let now: Int64
  /// How long a superfluous file is kept, in milliseconds after its replacement was written.
  let grace: Int64

  /// The size up to which ranges and files are combined into one file, in bytes.
  static let fileBytesMax = SyncProtocol.batchBytes
  /// The number of adjacent files of about one size that are merged into one.
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

  /// Merges many small files into few large ones, and removes superfluous files of this writer.
  ///
  /// A file is removed only if another file holds the same events, which its chain value proves,
  /// and has existed for the grace period. A sync program may deliver the removal before the new
  /// file.
  func tidy(_ index: FolderIndex) throws {
    let own = Dictionary(grouping: index.items(by: writer), by: \.name.origin)
    for (origin, items) in own.sorted(by: { $0.key < $1.key }) {
      try merge(items, index)
      /// The replacements, read again from the disk, because cached ones may have been damaged
      /// since.
      var read: [String: FolderFile?] = [:]
      let lasting = index.items(of: origin).filter { now &- $0.modified >= grace && isHeir($0) }
      let heirs = Self.outermost(lasting, rank)
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

  /// Returns whether a file can make a file of this writer superfluous. It can if this writer has
  /// written it. For events of another author, a file by that author, or by a writer with a smaller
  /// id, also counts.
  private func isHeir(_ item: FolderItem) -> Bool {
    item.writer == writer
      || item.name.origin != writer && (item.writer == item.name.origin || item.writer < writer)
  }

  /// The rank of a file among files with the same events. The file with the lowest rank stays.
  private func rank(_ item: FolderItem) -> Int {
    if item.writer == item.name.origin, item.isExact { return 0 }
    if item.writer != writer { return 1 }
    return item.isExact ? 2 : 3
  }

  /// Returns the files that do not lie within another file.
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

  /// Merges adjacent files of about one size.
  /// - Parameter items: this writer's files, all of one origin.
  private func merge(_ items: [FolderItem], _ index: FolderIndex) throws {
    for row in Self.rows(Self.outermost(items, rank)) where row.count >= Self.mergeCount {
      let files = row.compactMap { index.read($0) }
      guard files.count == row.count, let file = FolderFile.merging(files, writer: writer) else {
        continue
      }
      try write(file, index)
    }
  }

  /// Groups adjacent files of about one size, up to the largest size of a merged file.
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

  /// Returns the size class of a file. Within a class, sizes differ by less than a factor of about
  /// sixteen, so each byte is rewritten only a few times in its life.
  private static func tier(_ size: Int) -> Int {
    switch size {
    case ..<(4 << 10): 0
    case ..<(64 << 10): 1
    case ..<(1 << 20): 2
    default: 3
    }
  }
}
