package import DaybookEventCore
import DaybookFrames

/// A file of a shared folder: consecutive events of one origin, in ranges encoded as in messages.
///
/// A file never changes once it is in the folder.
///
/// ```
/// u8 'D' · u8 kind = 3 · u8 version · 16 zone · 16 writer
/// varint n · n × range · 32 chain value after the last event · 32 SHA-256 of all before
/// ```
/// Each range contains the chain value before it, and follows the range before. The checksum is
/// also part of the file's name: see ``FolderFileName``. Files of every version end with it, so
/// that a damaged version is not taken for a later one.
package struct FolderFile: Hashable, Sendable {
  package var zone: ZoneID
  /// The replica that wrote the file.
  package var writer: ReplicaID
  /// The ranges, at least one.
  package var ranges: [EventRange]
  /// The chain value after the last event. The proof by the ranges' signatures does not rely on it.
  package var chainAfter: Hash256

  package init(zone: ZoneID, writer: ReplicaID, ranges: [EventRange], chainAfter: Hash256) {
    self.zone = zone
    self.writer = writer
    self.ranges = ranges
    self.chainAfter = chainAfter
  }

  package var origin: ReplicaID { ranges[0].origin }
  package var sequences: ClosedRange<UInt64> { ranges[0].first...ranges[ranges.count - 1].last }
  /// The chain value before the first event.
  package var chainBefore: Hash256 { ranges[0].chainBefore ?? .zero }

  private static let checksumBytes = 32

  package func encoded() -> [UInt8] {
    var writer = SyncProtocol.begin(
      .file, version: SyncProtocol.fileVersion,
      capacity: ranges.reduce(160) { $0 + $1.size + 32 })
    writer.raw(zone.bytes)
    writer.replicaID(self.writer)
    writer.varint(ranges.count)
    for range in ranges { range.encode(to: &writer) }
    writer.hash(chainAfter)
    writer.hash(Hash256.sha256(of: writer.bytes))
    return writer.bytes
  }

  /// Decodes a file, and checks its checksum. The signatures are not checked.
  /// - Throws: `EventError`: `.unknownVersion` if the file is whole and newer software wrote it, or
  ///   the error in its bytes.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    let length = bytes.count - Self.checksumBytes
    guard length > 0 else { throw EventError(.truncated, "the bytes end too early", offset: 0) }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<length])
    let checksum = Hash256(bytes: UnsafeRawBufferPointer(rebasing: bytes[length...]))
    guard Hash256.sha256(of: content) == checksum else {
      throw EventError(.malformed, "the file's checksum does not hold", offset: length)
    }
    let versions = SyncProtocol.fileVersion...SyncProtocol.fileVersion
    var (reader, _) = try SyncProtocol.begun(.file, content, versions)
    zone = ZoneID(bytes: Array(try reader.take(16)))
    writer = try reader.replicaID()
    ranges = []
    var budget = RangeBudget()
    let place = reader.offset
    for _ in 0..<(try reader.count()) {
      let start = reader.offset
      let range = try EventRange(from: &reader)
      let follows = ranges.last.map { $0.origin == range.origin && $0.last + 1 == range.first }
      guard follows ?? true, range.chainBefore != nil else {
        throw EventError(.malformed, "a range out of turn", offset: start)
      }
      try budget.spend(range, offset: start)
      ranges.append(range)
    }
    guard !ranges.isEmpty else {
      throw EventError(.malformed, "a file without ranges", offset: place)
    }
    chainAfter = try reader.hash()
    try reader.end(of: "a file of a shared folder")
  }

  /// Returns the name that these bytes have in a folder.
  /// - Parameter bytes: The result of ``encoded()``.
  package func name(of bytes: [UInt8]) -> FolderFileName {
    let hash = bytes.withUnsafeBytes { all in
      Hash256(bytes: UnsafeRawBufferPointer(rebasing: all.suffix(Self.checksumBytes)))
    }
    return FolderFileName(
      origin: origin, sequences: sequences, before: ChainTag(chainBefore),
      tag: ChainTag(chainAfter),
      size: bytes.count, hash: ChainTag(hash))
  }
}

// MARK: - Chain values

extension FolderFile {
  /// Returns the chain value after an event of the file, or after the event before its first.
  ///
  /// Cost: nothing at the end of the file or directly before a range; otherwise hashes the events
  /// of one range.
  /// - Returns: nil if the event is not in the file, or if the bytes are not events.
  package func chain(after sequence: UInt64) -> Hash256? {
    if sequence == sequences.upperBound { return chainAfter }
    for range in ranges {
      if sequence + 1 == range.first { return range.chainBefore }
      guard range.sequences.contains(sequence), let before = range.chainBefore else { continue }
      var (chain, first) = (Chain(value: before), range.first)
      for packed in range.frames {
        var found: Hash256?
        let frame = try? Frame(
          origin: range.origin, firstSequence: first, count: packed.count, codec: packed.codec,
          rawLength: packed.rawLength, stored: packed.stored, chain: &chain
        ) { current, _, chain in if current == sequence { found = chain.value } }
        if let found { return found }
        if frame == nil { return nil }
        first += UInt64(packed.count)
      }
    }
    return nil
  }

  /// The public key that the origin's first event claims; nil if that event is not in the file.
  package var publicKey: [UInt8]? {
    guard let range = ranges.first, range.first == 1, let packed = range.frames.first else {
      return nil
    }
    var chain = Chain(origin: range.origin)
    var claimed: IdentityClaim?
    _ = try? Frame(
      origin: range.origin, firstSequence: 1, count: packed.count, codec: packed.codec,
      rawLength: packed.rawLength, stored: packed.stored, chain: &chain
    ) { sequence, event, _ in
      if sequence == 1 { claimed = IdentityClaim.claimed(by: event) }
    }
    guard let claimed, claimed.replica == range.origin else { return nil }
    return claimed.publicKey
  }
}

// MARK: - Histories

extension FolderFile {
  /// Returns whether the origin's key signed each range, each range follows the one before, and the
  /// last ends with ``chainAfter``.
  ///
  /// Cost: hashes every event.
  package func isSigned(by key: [UInt8], zone: ZoneID) -> Bool {
    var chain = chainBefore
    for range in ranges {
      guard range.chainBefore == chain, let after = range.chain else { return false }
      let head = Head(
        zone: (range.isZoneless ? ZoneID.none : zone).bytes,
        event: EventID(range.origin, range.last), chain: after, signature: range.signature)
      guard head.isSigned(by: key) else { return false }
      chain = after
    }
    return chain == chainAfter
  }

  /// Returns whether this file's history stands against that of another file of the same origin;
  /// nil if no event differs.
  ///
  /// The files agree before some event that both have. The history whose chain value after the
  /// first differing event is smaller stands.
  package func stands(against other: FolderFile) -> Bool? {
    let (mine, theirs) = (
      ranges.compactMap(\.chains).joined(), other.ranges.compactMap(\.chains).joined()
    )
    let (first, second) = (sequences.lowerBound, other.sequences.lowerBound)
    let start = max(first, second)
    for (own, their) in zip(
      mine.dropFirst(Int(clamping: start - first)), theirs.dropFirst(Int(clamping: start - second)))
    where own != their {
      return ChainTag(own) < ChainTag(their)
    }
    return nil
  }
}

extension EventRange {
  /// The chain value after the last event; nil if the bytes are not events, or the range lacks the
  /// value before.
  fileprivate var chain: Hash256? { follow { _ in } }

  /// The chain values after each event; nil if the bytes are not events, or the range lacks the
  /// value before.
  fileprivate var chains: [Hash256]? {
    var values: [Hash256] = []
    return follow { values.append($0) }.map { _ in values }
  }

  private func follow(_ visit: (Hash256) -> Void) -> Hash256? {
    guard let chainBefore else { return nil }
    var (chain, first) = (Chain(value: chainBefore), first)
    for packed in frames {
      let frame = try? Frame(
        origin: origin, firstSequence: first, count: packed.count, codec: packed.codec,
        rawLength: packed.rawLength, stored: packed.stored, chain: &chain
      ) { _, _, chain in visit(chain.value) }
      guard frame != nil else { return nil }
      first += UInt64(packed.count)
    }
    return chain.value
  }
}

// MARK: - Merging

extension FolderFile {
  /// Returns one file for several consecutive files; nil if they are not consecutive.
  ///
  /// Ranges are joined if the result is within the size of a range: the later signature covers the
  /// events of both.
  package static func merging(_ files: [FolderFile], writer: ReplicaID) -> FolderFile? {
    guard let first = files.first, let last = files.last else { return nil }
    var ranges: [EventRange] = []
    var chain = first.chainBefore
    var next = first.sequences.lowerBound
    for file in files {
      guard file.zone == first.zone, file.origin == first.origin,
        file.sequences.lowerBound == next, file.chainBefore == chain
      else { return nil }
      for range in file.ranges {
        if let open = ranges.last, open.size + range.size <= SyncProtocol.rangeBytes,
          open.count + range.count <= SyncProtocol.rangeEvents
        {
          ranges[ranges.count - 1] = EventRange(
            origin: open.origin, first: open.first, chainBefore: open.chainBefore,
            frames: open.frames + range.frames, isZoneless: range.isZoneless,
            signature: range.signature)
        } else {
          ranges.append(range)
        }
      }
      next = file.sequences.upperBound + 1
      chain = file.chainAfter
    }
    return FolderFile(
      zone: first.zone, writer: writer, ranges: ranges, chainAfter: last.chainAfter)
  }
}
