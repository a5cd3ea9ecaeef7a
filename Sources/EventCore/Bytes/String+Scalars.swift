/// Texts as sequences of scalars, for whatever takes apart what people and programs have written.
///
/// Swift's `hasPrefix`, `split`, `first` and `==` go by characters as people see them: a quote and an
/// accent upon it are one character, which is not the quote. FTS5, SQL, CSV and shells see a quote.
extension StringProtocol {
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  package func ends(with suffix: String) -> Bool { rest(before: suffix) != nil }

  /// What follows a beginning; nil where the text does not begin so.
  package func rest(after prefix: String) -> SubSequence? {
    begins(with: prefix) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
  }

  /// What precedes an ending; nil where the text does not end so.
  package func rest(before suffix: String) -> SubSequence? {
    let count = utf8.count - suffix.utf8.count
    guard count >= 0, utf8.dropFirst(count).elementsEqual(suffix.utf8) else { return nil }
    return self[..<utf8.index(startIndex, offsetBy: count)]
  }

  /// The parts between separators, empty ones too.
  package func parts(between separator: Unicode.Scalar) -> [SubSequence] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map {
      self[$0.startIndex..<$0.endIndex]
    }
  }

  /// The words between runs of white space.
  package var words: [SubSequence] {
    unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map {
      self[$0.startIndex..<$0.endIndex]
    }
  }

  /// From the first scalar on that is no white space.
  package var withoutIndent: SubSequence {
    self[(unicodeScalars.firstIndex { !$0.properties.isWhitespace } ?? endIndex)...]
  }

  /// The same text, byte by byte; `==` holds canonically equivalent ones to be equal.
  package func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// With every one of a scalar replaced.
  package func replacing(_ scalar: Unicode.Scalar, by replacement: String) -> String {
    var out = String.UnicodeScalarView()
    for next in unicodeScalars {
      if next == scalar {
        out.append(contentsOf: replacement.unicodeScalars)
      } else {
        out.append(next)
      }
    }
    return String(out)
  }

  /// The first so many scalars, with `…` behind them where there are more.
  package func cut(to count: Int) -> String {
    let beginning = unicodeScalars.prefix(count)
    let shown = String(String.UnicodeScalarView(beginning))
    return beginning.endIndex == unicodeScalars.endIndex ? shown : shown + "…"
  }
}

extension String {
  /// In quotes, cut after 40 scalars, and with control characters spelled out, so that a message stays
  /// one line whatever the data holds.
  package var quotedForMessage: String { "“\(cut(to: 40).onOneLine)”" }

  /// With nothing in it that ends the line, moves a terminal's cursor, or turns its text around.
  package var onOneLine: String {
    guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
    var out = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x0A: out.append(contentsOf: "\\n".unicodeScalars)
      case 0x09: out.append(contentsOf: "\\t".unicodeScalars)
      case 0x0D: out.append(contentsOf: "\\r".unicodeScalars)
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
        out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
