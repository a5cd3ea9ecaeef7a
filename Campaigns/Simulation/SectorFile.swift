/// A file on a simulated disk, with its content in memory and its durable content.
package struct SectorFile: Sendable {
  package static let sector = 512

  package private(set) var current: [UInt8]
  private(set) var durable: [UInt8]
  /// Sectors that were written since the last sync.
  private(set) var dirty: Set<Int> = []
  private(set) var sizeIsDirty = false
  /// Sectors that a failed sync did not write but marked clean.
  private(set) var lost: Set<Int> = []

  package init(durable: [UInt8] = []) {
    current = durable
    self.durable = durable
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard !bytes.isEmpty else { return }
    resize(max(current.count, offset + bytes.count))
    current.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    touch(offset / Self.sector...(offset + bytes.count - 1) / Self.sector)
  }

  package mutating func resize(_ size: Int) {
    guard size != current.count else { return }
    if size < current.count {
      touch(size / Self.sector...(current.count - 1) / Self.sector)
      current.removeLast(current.count - size)
    } else {
      current.append(contentsOf: [UInt8](repeating: 0, count: size - current.count))
    }
    sizeIsDirty = true
  }

  /// Writes a sector back, as the system may do at any time.
  mutating func writeBack(_ sector: Int) {
    let start = sector * Self.sector
    guard !sizeIsDirty, start < current.count else { return }
    let end = min(start + Self.sector, current.count)
    durable.replaceSubrange(start..<end, with: current[start..<end])
    dirty.remove(sector)
  }

  private mutating func touch(_ sectors: ClosedRange<Int>) {
    dirty.formUnion(sectors)
    if !lost.isEmpty { lost.subtract(sectors) }
  }

  mutating func sync() {
    let before = durable
    durable = current
    for sector in lost { keep(sector, of: before) }
    dirty = []
    sizeIsDirty = false
  }

  /// Completes a sync that began when the file was `begun`.
  ///
  /// What was written in the meantime is not durable.
  package mutating func sync(since begun: SectorFile) {
    durable = begun.current
    sizeIsDirty = durable.count != current.count
    dirty = dirty.filter { sector in
      let start = sector * Self.sector
      let ends = (min(start + Self.sector, durable.count), min(start + Self.sector, current.count))
      guard ends.0 == ends.1 else { return true }
      return start < ends.0 && durable[start..<ends.0] != current[start..<ends.0]
    }
  }

  /// Applies a failed sync: some sectors are written, and all are marked clean.
  package mutating func failSync(_ isWritten: (Int) -> Bool) {
    let before = durable
    let unwritten = dirty.sorted().filter { !isWritten($0) }
    lost.formUnion(unwritten)
    durable = sizeIsDirty && before.count < current.count ? current : before
    for sector in dirty.union(lost) { keep(sector, of: lost.contains(sector) ? before : current) }
    dirty = []
    sizeIsDirty = false
  }

  /// Sets the durable content of a sector to that of `bytes`, with zeros past their end.
  private mutating func keep(_ sector: Int, of bytes: [UInt8]) {
    let start = sector * Self.sector
    for i in start..<max(start, min(start + Self.sector, durable.count)) {
      durable[i] = i < bytes.count ? bytes[i] : 0
    }
  }

  /// Returns the content after a power failure.
  ///
  /// Of the sectors that were not synced, some are kept, some are lost and some are torn.
  package func afterPowerLoss(_ random: inout SplitMix64) -> [UInt8] {
    var bytes = durable
    if sizeIsDirty, random.next() & 1 == 1 {
      if bytes.count > current.count {
        bytes.removeLast(bytes.count - current.count)
      } else {
        bytes += [UInt8](repeating: 0, count: current.count - bytes.count)
      }
    }
    for sector in dirty.sorted() {
      guard sector * Self.sector < bytes.count else { continue }
      let range = sector * Self.sector..<min((sector + 1) * Self.sector, bytes.count)
      let new = current[
        min(range.lowerBound, current.count)..<min(range.upperBound, current.count)]
      let written: Int
      switch random.next() % 4 {
      case 0: written = 0
      case 1: written = Int(random.next() % UInt64(range.count + 1))
      default: written = range.count
      }
      let piece = new.prefix(written)
      bytes.replaceSubrange(range.lowerBound..<range.lowerBound + piece.count, with: piece)
    }
    return bytes
  }
}
