import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookLogEngine

extension FuzzTarget {
  /// The small files and blocks of fixed form.
  ///
  /// They are a segment's header and trailer, the mark, the lock file and the identity. The first
  /// byte selects one, and whether its checksum is corrected.
  static let smallFiles = FuzzTarget("small-files", bytesMax: 1100) {
    var lock = LockState()
    lock.generation = 12
    lock.isPoisoned = true
    var seeds: [[UInt8]] = [
      [0] + SegmentHeader(number: 5, salt: 77, previousEnd: 1234).encoded(),
      [1] + SegmentTrailer(footer: 99).encoded(salt: 0), [3] + lock.encoded(), [3],
      [4] + IdentityFile(try Identity(seed: [UInt8](repeating: 3, count: 32))).text.utf8,
    ]
    seeds += try SampleLog.files(sealing: false).filter { $0.key == "log/mark" }.map { [2] + $1 }
    return seeds + seeds.map { [$0[0] | 0x80] + $0.dropFirst() }
  } check: { bytes in
    var input = FuzzInput(bytes)
    let selector = input.byte()
    var file = Array(input.rest())
    let isMended = selector & 0x80 == 0
    switch selector & 0x7F {
    case 0:
      if isMended { Mending.segmentHeader(&file) }
      guard let header = try? SegmentHeader(decoding: file) else { return }
      try require(header.encoded() == file, "a segment's header changes")
    case 1:
      if isMended {
        Mending.put(UInt32(0), at: SegmentTrailer.saltOffset, into: &file)
        let place = SegmentTrailer.checksumOffset
        Mending.sum(&file, 0..<place, at: place)
      }
      guard let trailer = SegmentTrailer(file, salt: 0) else { return }
      try require(trailer.encoded(salt: 0) == file, "a trailer changes")
    case 2: try checkMark(&file, isMended)
    case 3:
      let place = LockState.checksumOffset
      if isMended { Mending.sum(&file, 0..<place, at: place) }
      guard let state = try? LockState(decoding: file) else { return }
      try require(file.isEmpty || state.encoded() == file, "a lock file changes")
    default:
      guard let text = String(utf8: file) else { return }
      guard let identity = try? IdentityFile(text: text) else { return }
      try require(identity.text.utf8.elementsEqual(file), "an identity changes")
    }
  }

  private static func checkMark(_ file: inout [UInt8], _ isMended: Bool) throws {
    let starts = MarkFile.slotOffsets.map { Int($0) }
    for start in starts where isMended {
      let place = start + MarkFile.slotSize - 4
      Mending.sum(&file, start..<place, at: place)
    }
    let slots = MarkFile.slots(in: file)
    for (start, slot) in zip(starts, slots) {
      guard let slot else { continue }
      try require(
        slot.encoded().elementsEqual(file[start..<start + MarkFile.slotSize]),
        "a slot of the mark changes")
    }
    try require(
      MarkFile.fault(in: file) != nil || !slots.contains { $0 == nil },
      "a mark without fault has an unsound slot")
  }
}
