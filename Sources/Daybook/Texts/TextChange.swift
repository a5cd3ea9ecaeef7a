import DaybookEngine
public import DaybookTexts

/// A text as it is now, and the edits that have made it of the text before.
///
/// An editor replaces what the edits name, and moves its caret and its selection through them:
///
/// ```swift
/// for try await change in store.observe(note.id, text: \.body) {
///   for part in change.replacements.reversed() { view.replace(part.utf16, with: part.text) }
///   view.caret = change.position(ofUTF16: view.caret)
/// }
/// ```
public struct TextChange: Sendable, Hashable {
  /// What has happened to a text.
  public enum Kind: Sendable, Hashable {
    /// The loop has begun; the edits insert the whole text.
    case first
    /// The text was edited. The edits are those that were written, merged.
    case edited
    /// The text was assigned anew, so that it has nothing to do with the one before. The edits are
    /// found by comparing the two texts.
    case replaced
    /// There is no text any more, because the entity was deleted or erased, or because the field
    /// holds a value that is no text.
    ///
    /// If the entity is restored, the next edits are for the last text that there was.
    case missing
  }

  /// What has happened.
  public let kind: Kind
  /// The text now; nil if there is none.
  public let text: String?
  /// The text that the edits are for: the one that was delivered last, and empty at first.
  public let previous: String
  /// What turns ``previous`` into ``text``. Empty if there is no text.
  public let edits: TextScript

  init(_ kind: Kind, from previous: String, to text: String?, by edits: TextScript) {
    self.kind = kind
    self.text = text
    self.previous = previous
    self.edits = edits
  }

  /// A part of a text that another text takes the place of.
  public struct Replacement: Sendable, Hashable {
    /// The part in Unicode scalars of the text before.
    public var range: Range<Int>
    /// The part in UTF-16 code units of the text before.
    public var utf16: Range<Int>
    /// The text that takes its place.
    public var text: String
  }

  /// The edits as replacements, in the order of the text.
  ///
  /// All ranges are those of ``previous``, so apply the last one first. Cost: a pass over the text.
  public var replacements: [Replacement] {
    var parts: [Replacement] = []
    var (at, units) = (0, 0)
    let scalars = previous.unicodeScalars
    var index = scalars.startIndex
    /// Passes over scalars of the text before, and returns their UTF-16 code units.
    func pass(_ count: Int) -> Int {
      let end = scalars.index(index, offsetBy: count, limitedBy: scalars.endIndex)
      let passed = previous.utf16.distance(from: index, to: end ?? scalars.endIndex)
      index = end ?? scalars.endIndex
      return passed
    }
    for step in edits.steps {
      switch step {
      case .retain(let count):
        at += count
        units += pass(count)
      case .insert(let text):
        parts.append(Replacement(range: at..<at, utf16: units..<units, text: text))
      case .delete(let count):
        let passed = pass(count)
        if let last = parts.indices.last, parts[last].range == at..<at {
          parts[last].range = at..<at + count
          parts[last].utf16 = units..<units + passed
        } else {
          parts.append(
            Replacement(range: at..<at + count, utf16: units..<units + passed, text: ""))
        }
        at += count
        units += passed
      }
    }
    return parts
  }

  // MARK: - Places

  /// Returns where a place of the text before is now.
  ///
  /// A place within deleted text is where that text was. Without a text, a place stays as it is.
  /// - Parameters:
  ///   - position: the number of Unicode scalars before it; one that is not in the text counts as
  ///     its beginning or end.
  ///   - bias: the side to which it belongs.
  /// - Returns: the number of Unicode scalars before it.
  public func position(of position: Int, bias: TextAnchor.Bias = .before) -> Int {
    edits.place(
      of: min(max(0, position), previous.unicodeScalars.count), staysBefore: bias == .before)
  }

  /// Returns where a place of the text before is now, in UTF-16 code units.
  ///
  /// - Parameters:
  ///   - offset: the number of UTF-16 code units before it; one that is not in the text counts as
  ///     its beginning or end, and one within a surrogate pair as the place before the pair.
  ///   - bias: the side to which it belongs.
  /// - Returns: the number of UTF-16 code units before it.
  public func position(ofUTF16 offset: Int, bias: TextAnchor.Bias = .before) -> Int {
    let place = position(of: TextOffsets.scalars(ofUTF16: offset, in: previous), bias: bias)
    return TextOffsets.utf16(ofScalars: place, in: text ?? previous)
  }

  /// Returns where a place of the text before is now.
  /// - Parameters:
  ///   - index: an index of ``previous``.
  ///   - bias: the side to which it belongs.
  /// - Returns: an index of ``text``.
  public func position(of index: String.Index, bias: TextAnchor.Bias = .before) -> String.Index {
    let scalars = previous.unicodeScalars
    let bounded = min(max(index, scalars.startIndex), scalars.endIndex)
    let place = position(
      of: scalars.distance(from: scalars.startIndex, to: bounded), bias: bias)
    let now = (text ?? previous).unicodeScalars
    return now.index(now.startIndex, offsetBy: place, limitedBy: now.endIndex) ?? now.endIndex
  }

  /// Returns where a selection of the text before is now: what is inserted at its ends is not
  /// selected.
  /// - Parameter range: in Unicode scalars of ``previous``.
  /// - Returns: in Unicode scalars of ``text``; empty if all of it was deleted.
  public func selection(_ range: Range<Int>) -> Range<Int> {
    selection(range) { position(of: $0, bias: $1) }
  }

  /// Returns where a selection of the text before is now, in UTF-16 code units.
  /// - Parameter range: in UTF-16 code units of ``previous``.
  /// - Returns: in UTF-16 code units of ``text``; empty if all of it was deleted.
  public func selection(utf16 range: Range<Int>) -> Range<Int> {
    selection(range) { position(ofUTF16: $0, bias: $1) }
  }

  private func selection(_ range: Range<Int>, _ place: (Int, TextAnchor.Bias) -> Int) -> Range<Int>
  {
    let end = place(range.upperBound, .before)
    // An empty selection is a caret.
    guard !range.isEmpty else { return end..<end }
    return min(place(range.lowerBound, .after), end)..<end
  }

  public static func == (a: TextChange, b: TextChange) -> Bool {
    a.kind == b.kind && a.edits == b.edits && a.previous.isSame(as: b.previous)
      && (a.text.map { a in b.text.map { a.isSame(as: $0) } ?? false } ?? (b.text == nil))
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(edits)
  }
}
