/// Text as a sequence of scalars, for parsers of what people and programs have written.
///
/// Swift's `hasPrefix`, `split`, `first` and `==` compare grapheme clusters: a quote with a
/// combining accent is one character, which is not equal to a quote. FTS5, SQL, CSV and shells see
/// a quote there.
extension StringProtocol {
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  package func ends(with suffix: String) -> Bool { rest(before: suffix) != nil }

  /// Returns the text after a prefix; nil if the text does not begin with it.
  package func rest(after prefix: String) -> SubSequence? {
    begins(with: prefix) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
  }

  /// Returns the text before a suffix; nil if the text does not end with it.
  package func rest(before suffix: String) -> SubSequence? {
    let count = utf8.count - suffix.utf8.count
    guard count >= 0, utf8.dropFirst(count).elementsEqual(suffix.utf8) else { return nil }
    return self[..<utf8.index(startIndex, offsetBy: count)]
  }

  /// Returns the parts between separators, including empty ones.
  package func parts(between separator: Unicode.Scalar) -> [SubSequence] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map {
      self[$0.startIndex..<$0.endIndex]
    }
  }

  /// The words, which are separated by runs of white space.
  package var words: [SubSequence] {
    unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map {
      self[$0.startIndex..<$0.endIndex]
    }
  }

  /// The text from its first scalar that is not white space.
  package var withoutIndent: SubSequence {
    self[(unicodeScalars.firstIndex { !$0.properties.isWhitespace } ?? endIndex)...]
  }

  /// Whether both texts have the same bytes; `==` also accepts canonically equivalent texts.
  package func isSame(as other: some StringProtocol) -> Bool {
    let same = utf8.withContiguousStorageIfAvailable { a in
      other.utf8.withContiguousStorageIfAvailable { b in
        UnsafeRawBufferPointer(a).isSame(as: UnsafeRawBufferPointer(b))
      }
    }
    return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns the text with every occurrence of a scalar replaced.
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

  /// Returns the first `count` scalars, followed by `…` if there are more.
  package func cut(to count: Int) -> String {
    let beginning = unicodeScalars.prefix(count)
    let shown = String(String.UnicodeScalarView(beginning))
    return beginning.endIndex == unicodeScalars.endIndex ? shown : shown + "…"
  }
}

extension String {
  /// The text in quotes, cut after 40 scalars and with control characters escaped.
  ///
  /// A message that quotes any data stays on one line this way.
  package var quotedForMessage: String { "“\(cut(to: 40).onOneLine)”" }

  /// The text with every scalar escaped that ends a line, moves a terminal's cursor, or reverses
  /// text.
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

extension UnsafeRawBufferPointer {
  /// Whether the bytes are the same; a word at a time, since texts may be long.
  fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    let words = count / 8 * 8
    for offset in stride(from: 0, to: words, by: 8)
    where loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    {
      return false
    }
    return (words..<count).allSatisfy { self[$0] == other[$0] }
  }
}
