import DaybookEventCore
import DaybookLogEngine
import DaybookReplication

extension FuzzTarget {
  /// Files of a shared folder and their names; each input is read as both.
  static let folderFile = FuzzTarget("folder-file") {
    let author = try Identity(seed: [UInt8](repeating: 4, count: 32))
    let file = try FolderSample.file(author)
    let bytes = file.encoded()
    let name = file.name(of: bytes).description
    return [
      bytes, Array(bytes.dropLast(32)), Array(name.utf8), Array(".\(name).icloud".utf8),
      Array(name.replacing(".events", with: " (conflicted copy).events").utf8),
    ]
  } check: { bytes in
    // Most changed inputs fail the checksum, so the second attempt appends the right one.
    let sealed = Array(bytes) + Hash256.sha256(of: bytes).bytes
    for input in [Array(bytes), sealed] {
      try input.withUnsafeBytes { input in
        guard let file = try SyncSample.decoded(input, FolderFile.init(decoding:)) else { return }
        try require(file.encoded() == Array(input), "a file is written otherwise than it was read")
        let name = file.name(of: Array(input))
        try require(
          FolderFileName.read(name.description) == .file(name), "a name reads back as another")
        for sequence in [file.sequences.lowerBound - 1, file.sequences.upperBound / 2] {
          _ = file.chain(after: sequence)
        }
        _ = file.publicKey
        if let merged = FolderFile.merging([file], writer: file.writer) {
          try require(
            merged.sequences == file.sequences && merged.chainAfter == file.chainAfter,
            "merging changes what a file holds")
        }
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if case .file(let name) = FolderFileName.read(text) {
      try require(name.description == text, "a name is written otherwise than it was read")
    }
  }
}

/// A file that a replica puts into a shared folder.
enum FolderSample {
  static func file(_ author: Identity) throws -> FolderFile {
    var (range, chain) = try SyncSample.range(author)
    range.chainBefore = Chain(origin: author.id).value
    var next = range
    next.first = range.last + 1
    next.chainBefore = chain
    return FolderFile(
      zone: SyncSample.zone, writer: author.id, ranges: [range, next],
      chainAfter: chain)
  }
}
