import DaybookEventCore

/// Where in a row the words of a search are, as far as a snippet shows them.
struct SearchPlaces {
  /// The column's index among the searched ones.
  var column = 0
  /// The words that have to be in the snippet, as far as there is room.
  var words = 0..<0
  /// The words to highlight, in the order of the text.
  var found: [Range<Int>] = []

  /// - Parameter bytes: the result of `daybook_places`.
  init(_ bytes: [UInt8]) {
    let numbers = bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        Int(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self))
      }
    }
    guard numbers.count >= 3, numbers[1] >= 0, numbers[1] <= numbers[2] else { return }
    column = numbers[0]
    words = numbers[1]..<numbers[2]
    for pair in stride(from: 3, to: numbers.count - 1, by: 2) {
      let place = numbers[pair]..<numbers[pair] + max(numbers[pair + 1], 0)
      if let last = found.last, place.lowerBound < last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
      } else {
        found.append(place)
      }
    }
  }
}

/// Makes the part of a text around what a search has found in it.
///
/// It begins and ends between words, and has at least the first word found. Cost: passing what
/// stands before that word, at the speed at which words can be counted, and then what a snippet
/// needs, whatever the text and the number of hits in it.
struct SearchSnippet {
  /// The most words.
  let reach: Int
  let markers: (open: String, close: String)

  /// The most scalars beside the markers: what has no spaces may be long.
  private static let scalarsMax = 240
  /// The bytes before and after the first word found that may be in the snippet.
  private static let bytesMax = 4 * scalarsMax
  /// The bytes of punctuation that may stand before the first word of a text, or after its last.
  private static let edgeMax = 16

  func text(_ text: SearchedText, _ places: SearchPlaces) throws(ProjectionError) -> String {
    var reader = SearchedWords(text)
    try reader.pass(max(places.words.lowerBound - reach, 0))
    var words: [SearchedWords.Word] = []
    var found: Int?
    while let word = try reader.next() {
      if word.number == places.words.lowerBound { found = words.count }
      words.append(word)
      guard let hit = found else { continue }
      if word.number >= words[hit].number + 2 * reach
        || word.bytes.lowerBound > words[hit].bytes.lowerBound + Self.bytesMax
      {
        break
      }
    }
    guard !words.isEmpty else { return "" }
    let hit = found ?? 0
    let near = words[hit].bytes.lowerBound
    let range = max(near - Self.bytesMax, 0)..<min(near + 2 * Self.bytesMax, text.count)
    let part = Part(bytes: try text.bytes(range), begin: range.lowerBound, count: text.count)
    return Layout(snippet: self, part: part, words: words).text(around: hit, places)
  }

  /// The bytes around the first word found.
  private struct Part {
    let bytes: [UInt8]
    let begin: Int
    /// The length of the whole text.
    let count: Int

    subscript(_ range: Range<Int>) -> ArraySlice<UInt8> {
      let range = (range.lowerBound - begin..<range.upperBound - begin)
      return bytes[range.clamped(to: 0..<bytes.count)]
    }

    func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }

    /// The number of scalars in a range; more than any snippet has if the range is not at hand.
    func scalars(_ range: Range<Int>) -> Int {
      guard range.lowerBound >= begin, range.upperBound <= begin + bytes.count else { return .max }
      return self[range].count { $0 & 0xC0 != 0x80 }
    }

    /// Returns where the character ends in whose middle a place may be.
    func characterEnd(_ place: Int) -> Int {
      var place = place
      while let scalar = scalar(place), scalar.properties.isGraphemeExtend {
        place += UTF8.width(scalar)
      }
      return place
    }

    func isInsideCharacter(_ place: Int) -> Bool { characterEnd(place) != place }

    private func scalar(_ place: Int) -> Unicode.Scalar? {
      text(place..<place + 4).unicodeScalars.first
    }
  }

  /// The choice of the words to show, and the text made of them.
  private struct Layout {
    let snippet: SearchSnippet
    let part: Part
    let words: [SearchedWords.Word]

    func text(around hit: Int, _ places: SearchPlaces) -> String {
      let shown = choice(around: hit, places.words)
      let (first, last) = (words[shown.lowerBound], words[shown.upperBound])
      var start = first.bytes.lowerBound
      if first.number == 0, start <= SearchSnippet.edgeMax { start = 0 }
      var end = part.characterEnd(last.bytes.upperBound)
      let isLast = shown.upperBound == words.count - 1 && isEnd(after: end)
      if isLast { end = part.count }
      // A word may be longer than a snippet.
      let cut = cutEnd(start, end)
      var text = first.number > 0 ? "…" : ""
      for place in places.found {
        guard place.upperBound > first.number, place.lowerBound <= last.number else { continue }
        let a = words[max(place.lowerBound, first.number) - words[0].number].bytes.lowerBound
        let b = words[min(place.upperBound - 1, last.number) - words[0].number].bytes.upperBound
        guard start <= a, a < cut else { continue }
        let close = min(part.characterEnd(b), cut)
        text += part.text(start..<a)
        text += snippet.markers.open + part.text(a..<close) + snippet.markers.close
        start = close
      }
      text += part.text(start..<max(start, cut))
      if isLast, cut == end { return String(text.trimmedEnd) }
      return text + "…"
    }

    /// Returns the indexes of the words to show.
    private func choice(around hit: Int, _ wanted: Range<Int>) -> ClosedRange<Int> {
      var (low, high) = (hit, hit)
      func fits(_ low: Int, _ high: Int) -> Bool {
        low >= 0 && high < words.count && high - low < snippet.reach
          && part.scalars(words[low].bytes.lowerBound..<words[high].bytes.upperBound)
            <= SearchSnippet.scalarsMax
      }
      while high + 1 < words.count, words[high + 1].number < wanted.upperBound,
        fits(low, high + 1)
      {
        high += 1
      }
      let rest = snippet.reach - (high - low + 1)
      if let start = sentence(before: low, within: rest), fits(start, high) {
        low = start
      } else {
        var before = rest / 2
        while before > 0, fits(low - 1, high) {
          low -= 1
          before -= 1
        }
      }
      while fits(low, high + 1) { high += 1 }
      while fits(low - 1, high) { low -= 1 }
      while low > 0, part.isInsideCharacter(words[low].bytes.lowerBound) { low -= 1 }
      return low...high
    }

    /// Returns the first word of the text if it is near or, if not, of the sentence.
    private func sentence(before hit: Int, within count: Int) -> Int? {
      if words[max(hit - count / 2, 0)].number == 0 { return 0 }
      let least = max(hit - count, 0)
      return (least...hit).last { index in
        guard index > 0 else { return false }
        let gap = part.text(words[index - 1].bytes.upperBound..<words[index].bytes.lowerBound)
        var isEnd = false
        for scalar in gap.unicodeScalars {
          switch scalar {
          case "\n", "\r", "\u{2028}", "\u{2029}", "。", "！", "？", "।": return true
          case ".", "!", "?", "؟", "۔", "…": isEnd = true
          case " ", "\u{A0}", "\t": if isEnd { return true }
          default: break
          }
        }
        return false
      }
    }

    /// Whether nothing but a little punctuation follows a place in the text.
    private func isEnd(after place: Int) -> Bool {
      part.count - place <= SearchSnippet.edgeMax
    }

    /// Returns where the snippet ends if it must not be longer than any snippet.
    private func cutEnd(_ start: Int, _ end: Int) -> Int {
      let most = SearchSnippet.scalarsMax + 2 * SearchSnippet.edgeMax
      guard part.scalars(start..<end) > most else { return end }
      var length = 0
      for scalar in part.text(start..<end).unicodeScalars.prefix(SearchSnippet.scalarsMax) {
        length += UTF8.width(scalar)
      }
      return start + length
    }
  }
}

extension String {
  /// The text without white space at the end.
  fileprivate var trimmedEnd: Substring {
    var text = self[...]
    while text.unicodeScalars.last?.properties.isWhitespace == true {
      text.unicodeScalars.removeLast()
    }
    return text
  }
}
