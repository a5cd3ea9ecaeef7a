import DaybookTexts

/// A text as UTF-8 with a gap where it was changed last, so that a change nearby moves few bytes.
struct GapText: Sendable {
  /// The text before the gap, the gap, and the text behind it.
  private var bytes: [UInt8]
  private var gap: Range<Int>
  /// The scalars before the gap.
  private var place = 0

  /// The number of scalars.
  private(set) var count: Int

  init(_ text: String) {
    bytes = Array(text.utf8)
    gap = 0..<0
    count = bytes.withUnsafeBytes { UTF8Scalars.count($0) }
  }

  /// The whole text. Cost: a copy.
  var string: String {
    String(unsafeUninitializedCapacity: bytes.count - gap.count) { buffer in
      var rest = buffer[...]
      for part in [bytes[..<gap.lowerBound], bytes[gap.upperBound...]] {
        part.withUnsafeBufferPointer { part in
          _ = UnsafeMutableBufferPointer(rebasing: rest).update(fromContentsOf: part)
        }
        rest = rest.dropFirst(part.count)
      }
      return buffer.count - rest.count
    }
  }

  /// Replaces a range of scalars.
  ///
  /// Cost: that of moving the gap from the last change to this one.
  /// - Parameters:
  ///   - range: the scalars; its beginning is not negative.
  ///   - new: the text that takes their place.
  /// - Returns: false if the text is too short. It is unchanged then.
  mutating func replace(_ range: Range<Int>, with new: String) -> Bool {
    guard moveGap(to: range.lowerBound), let end = offset(after: range.count) else { return false }
    gap = gap.lowerBound..<end
    count -= range.count
    var new = new
    new.withUTF8 { insert($0) }
    return true
  }

  private mutating func insert(_ new: UnsafeBufferPointer<UInt8>) {
    if gap.count < new.count { widenGap(to: new.count) }
    for (index, byte) in new.enumerated() { bytes[gap.lowerBound + index] = byte }
    gap = gap.lowerBound + new.count..<gap.upperBound
    let scalars = UTF8Scalars.count(UnsafeRawBufferPointer(new))
    place += scalars
    count += scalars
  }

  private mutating func widenGap(to count: Int) {
    let more = max(64, count, bytes.count / 8)
    bytes.insert(contentsOf: repeatElement(0, count: more), at: gap.upperBound)
    gap = gap.lowerBound..<gap.upperBound + more
  }

  /// Returns the offset behind a number of scalars that follow the gap; nil if there are fewer.
  private func offset(after count: Int) -> Int? {
    bytes.withUnsafeBytes { UTF8Scalars.offset(after: count, in: $0, from: gap.upperBound) }
  }

  /// Moves the gap behind a number of scalars; false if the text has fewer.
  private mutating func moveGap(to scalars: Int) -> Bool {
    if scalars >= place {
      guard let end = offset(after: scalars - place) else { return false }
      let moved = end - gap.upperBound
      copy(from: gap.upperBound, to: gap.lowerBound, count: moved)
      gap = gap.lowerBound + moved..<end
    } else {
      let start = offset(before: place - scalars)
      let moved = gap.lowerBound - start
      copy(from: start, to: gap.upperBound - moved, count: moved)
      gap = start..<gap.upperBound - moved
    }
    place = scalars
    return true
  }

  /// Returns the offset at which the last scalars before the gap begin.
  private func offset(before count: Int) -> Int {
    bytes.withUnsafeBytes { bytes in
      var (at, left) = (gap.lowerBound, count)
      while left > 0, at > 0 {
        // As many bytes hold at most as many scalars, so none is passed over too much. The last
        // part holds as many scalars as bytes, so it begins with one.
        let start = max(0, at - left)
        left -= UTF8Scalars.count(UnsafeRawBufferPointer(rebasing: bytes[start..<at]))
        at = start
      }
      return at
    }
  }

  private mutating func copy(from start: Int, to end: Int, count: Int) {
    guard count > 0 else { return }
    bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      (base + end).copyMemory(from: base + start, byteCount: count)
    }
  }
}
