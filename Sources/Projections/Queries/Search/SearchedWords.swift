import DaybookCTokens
import DaybookEventCore

/// The words of a text, one after another, with few of its bytes in memory.
struct SearchedWords {
  /// A word and its place among the words of the text.
  struct Word {
    var number: Int
    /// The place among the bytes of the text.
    var bytes: Range<Int>
  }

  private static let bytesMin = 4 << 10
  private static let bytesMax = 256 << 10

  private let text: SearchedText
  /// The number of the next word.
  private var number = 0
  /// A part of the text, where it begins, and the place in it from which the next word is sought.
  private var part: [UInt8] = []
  private var begin = 0
  private var at = 0

  init(_ text: SearchedText) { self.text = text }

  private var isEnd: Bool { begin + part.count == text.count }

  /// Reads the text on from a place in the part, at least as much as that has left and more.
  private mutating func read(from place: Int) throws(ProjectionError) {
    let left = part.count - place
    // A word may be longer than any bound.
    let size = max(2 * left, min(max(2 * part.count, Self.bytesMin), Self.bytesMax))
    begin += place
    part = try text.bytes(begin..<begin + size)
    at = 0
  }

  /// Passes words, at the speed at which they can be counted.
  mutating func pass(_ count: Int) throws(ProjectionError) {
    var rest = count
    while rest > 0 {
      var passed = 0
      let (isEnd, from) = (isEnd, at)
      at += part.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        return daybook_words_pass(
          base + from, bytes.count - from, isEnd ? 1 : 0, rest, &passed)
      }
      rest -= passed
      number += passed
      if isEnd { return }
      if rest > 0 { try read(from: at) }
    }
  }

  mutating func next() throws(ProjectionError) -> Word? {
    while true {
      let (isEnd, from) = (isEnd, at)
      let found = part.withUnsafeBufferPointer { SearchTokenizer.nextWord($0, from) }
      // What follows may be part of the word, up to a whole code point.
      if let found, isEnd || found.bytes.upperBound + 4 <= part.count {
        at = found.bytes.upperBound
        number += 1
        return Word(
          number: number - 1,
          bytes: begin + found.bytes.lowerBound..<begin + found.bytes.upperBound)
      }
      if isEnd { return nil }
      try read(from: found?.bytes.lowerBound ?? max(at, part.count - 3))
    }
  }
}
