import DaybookEventCore
import DaybookLogEngine

extension FuzzTarget {
  /// The index at the end of a sealed segment.
  ///
  /// The first two bytes give the offset of the footer, before which every record must end.
  static let footer = FuzzTarget("footer") {
    try SampleLog.files(sealing: true).compactMap { name, file -> [UInt8]? in
      guard name.hasSuffix(".segment"), file.count > SegmentHeader.size + SegmentTrailer.size,
        let trailer = SegmentTrailer(
          Array(file.suffix(SegmentTrailer.size)), salt: Mending.u64(file, 24))
      else { return nil }
      let start = Int(trailer.footer) + RecordHeader.size
      let end = file.count - SegmentTrailer.size - RecordHeader.payloadChecksumSize
      return [0, UInt8(trailer.footer >> 8) + 1] + file[start..<end]
    }
  } check: { bytes in
    var input = FuzzInput(bytes)
    let end = UInt64(input.integer(UInt16.self))
    let body = input.rest()
    let footer: SegmentFooter
    do throws(EventError) {
      footer = try SegmentFooter(decoding: body, segment: 3, end: end)
    } catch { return try checkOffset(error, in: body) }
    for entry in footer.entries {
      try require(
        entry.end.offset <= end && entry.position.offset >= UInt64(SegmentHeader.size)
          && entry.firstSequence > 0 && entry.lastSequence < UInt64(Int64.max),
        "a footer names a frame that cannot be: \(entry)")
    }
    let again = footer.encoded()
    let decoded = try again.withUnsafeBytes {
      try SegmentFooter(decoding: $0, segment: 3, end: end)
    }
    try require(
      decoded.entries == footer.entries && decoded.heads == footer.heads
        && decoded.last == footer.last, "a footer that is encoded and decoded is another")
    try require(decoded.encoded() == again, "a footer is encoded in two ways")
  }
}
