public import DaybookTexts

/// A text that is being changed, and the changes.
///
/// Places count Unicode scalars, UTF-16 code units as editors of Apple's systems and web pages do,
/// or are indexes of ``text``. They always mean the text with the changes so far.
public struct EditableText: Sendable {
  private enum Storage {
    case whole(String)
    case changing(GapText)
  }

  private var storage: Storage
  private var series = ScriptSeries()
  /// Whether all changes so far were made by comparing texts, by ``assign(_:)``.
  private(set) var isComparison = true
  /// Whether a script has changed the text before.
  private var isScripted = false

  /// Makes a text without changes.
  public init(_ text: String) { storage = .whole(text) }

  /// The text, with the changes so far. Cost: a copy of the text after a change by places.
  public var text: String {
    switch storage {
    case .whole(let text): text
    case .changing(let text): text.string
    }
  }

  /// The changes so far. Cost: that of composing them.
  public var script: TextScript { series.whole }

  /// The number of Unicode scalars of the text. Cost: a pass over the text, unless it was changed.
  public var count: Int {
    switch storage {
    case .changing(let text): text.count
    case .whole(let text):
      text.utf8.withContiguousStorageIfAvailable {
        UTF8Scalars.count(UnsafeRawBufferPointer($0))
      } ?? text.unicodeScalars.count
    }
  }

  /// Changes the text by a script.
  /// - Throws: ``StoreError`` `invalidEdit` if the text is too short for it.
  public mutating func apply(_ change: TextScript) throws(StoreError) {
    if change.isEmpty { return type(change) }
    // A single change is made in one piece. More are likely to follow a second one.
    if !isScripted, case .whole(let whole) = storage {
      guard let changed = change.applied(to: whole) else {
        throw Self.beyondEnd(change.lengthNeeded, count)
      }
      isScripted = true
      storage = .whole(changed)
      return type(change)
    }
    let needed = change.lengthNeeded
    guard needed <= count else { throw Self.beyondEnd(needed, count) }
    var (place, inserted) = (0, "")
    func replace(_ count: Int, in text: inout Self) {
      if count > 0 || !inserted.isEmpty {
        text.splice(place..<place + count, with: inserted)
        place += inserted.unicodeScalars.count
        inserted = ""
      }
    }
    for step in change.steps {
      switch step {
      case .insert(let text): inserted = text
      case .delete(let count): replace(count, in: &self)
      case .retain(let count):
        replace(0, in: &self)
        place += count
      }
    }
    replace(0, in: &self)
    type(change)
  }

  private mutating func type(_ change: TextScript) {
    series.append(change)
    isComparison = false
  }

  /// Replaces the text. Only the difference becomes a change; common parts are kept.
  ///
  /// If two devices assign the same text while they are apart, the merged text has their change
  /// once. An edit that also inserts by place is typing: its insertions stay beside equal ones.
  public mutating func assign(_ new: String) {
    series.append(TextScript(from: text, to: new))
    storage = .whole(new)
  }

  /// Adds text at the end.
  public mutating func append(_ new: String) {
    let end = count
    change(end..<end, to: new)
  }

  /// Takes the text as it is for the one without changes.
  package mutating func forgetChanges() {
    series = ScriptSeries()
    isComparison = true
  }

  /// Makes the text one piece, which is read without a copy.
  package mutating func makeWhole() {
    if case .changing(let text) = storage { storage = .whole(text.string) }
  }

  // MARK: - By scalars

  /// Inserts text.
  /// - Parameters:
  ///   - new: the text to insert.
  ///   - position: the number of scalars before it.
  /// - Throws: ``StoreError`` `invalidEdit` if the text has fewer.
  public mutating func insert(_ new: String, at position: Int) throws(StoreError) {
    try replace(position..<position, with: new)
  }

  /// Deletes a range of scalars.
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text.
  public mutating func delete(_ range: Range<Int>) throws(StoreError) {
    try replace(range, with: "")
  }

  /// Replaces a range of scalars.
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text.
  public mutating func replace(_ range: Range<Int>, with new: String) throws(StoreError) {
    guard range.lowerBound >= 0 else {
      throw StoreError(
        .invalidEdit, "the place \(range.lowerBound) is before the beginning of the text")
    }
    guard change(range, to: new) else { throw Self.beyondEnd(range.upperBound, count) }
  }

  /// - Returns: false if the range is not in the text.
  @discardableResult
  private mutating func change(_ range: Range<Int>, to new: String) -> Bool {
    guard splice(range, with: new) else { return false }
    type(TextScript(replacing: range, with: new))
    return true
  }

  /// Changes the text without noting the change.
  /// - Returns: false if the range is not in the text.
  @discardableResult
  private mutating func splice(_ range: Range<Int>, with new: String) -> Bool {
    // What was taken out of the storage is changed without a copy.
    var text: GapText
    switch storage {
    case .whole(let whole): text = GapText(whole)
    case .changing(let changing): text = changing
    }
    storage = .whole("")
    let isDone = text.replace(range, with: new)
    storage = .changing(text)
    return isDone
  }

  // MARK: - By UTF-16

  /// Inserts text.
  /// - Parameters:
  ///   - new: the text to insert.
  ///   - offset: the number of UTF-16 code units before it.
  /// - Throws: ``StoreError`` `invalidEdit` if the text has fewer, or if the place is within a
  ///   surrogate pair.
  public mutating func insert(_ new: String, atUTF16 offset: Int) throws(StoreError) {
    try replace(utf16: offset..<offset, with: new)
  }

  /// Deletes a range of UTF-16 code units.
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text, or cuts a surrogate
  ///   pair.
  public mutating func delete(utf16 range: Range<Int>) throws(StoreError) {
    try replace(utf16: range, with: "")
  }

  /// Replaces a range of UTF-16 code units.
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text, or cuts a surrogate
  ///   pair.
  public mutating func replace(utf16 range: Range<Int>, with new: String) throws(StoreError) {
    let start = try position(utf16: range.lowerBound)
    let end = range.isEmpty ? start : try position(utf16: range.upperBound)
    try replace(start..<end, with: new)
  }

  /// Returns the number of scalars before a place.
  /// - Parameter offset: the number of UTF-16 code units before the place.
  /// - Throws: ``StoreError`` `invalidEdit` if the text has fewer, or if the place is within a
  ///   surrogate pair.
  public func position(utf16 offset: Int) throws(StoreError) -> Int {
    guard let position = TextOffsets.exactScalars(ofUTF16: offset, in: text) else {
      guard offset >= 0, offset <= text.utf16.count else {
        throw StoreError(
          .invalidEdit,
          "the place \(offset) is not in a text of \(text.utf16.count) UTF-16 code units")
      }
      throw Self.withinPair
    }
    return position
  }

  // MARK: - By indexes

  /// Inserts text.
  /// - Parameters:
  ///   - new: the text to insert.
  ///   - index: an index of ``text``.
  /// - Throws: ``StoreError`` `invalidEdit` if it is within a scalar.
  public mutating func insert(_ new: String, at index: String.Index) throws(StoreError) {
    try replace(index..<index, with: new)
  }

  /// Deletes a range.
  /// - Parameter range: indexes of ``text``.
  /// - Throws: ``StoreError`` `invalidEdit` if one of them is within a scalar.
  public mutating func delete(_ range: Range<String.Index>) throws(StoreError) {
    try replace(range, with: "")
  }

  /// Replaces a range.
  /// - Parameters:
  ///   - range: indexes of ``text``.
  ///   - new: the text that takes its place.
  /// - Throws: ``StoreError`` `invalidEdit` if one of them is within a scalar.
  public mutating func replace(_ range: Range<String.Index>, with new: String) throws(StoreError) {
    let start = try position(of: range.lowerBound)
    try replace(start..<(try position(of: range.upperBound)), with: new)
  }

  private func position(of index: String.Index) throws(StoreError) -> Int {
    let scalars = text.unicodeScalars
    guard index >= scalars.startIndex, index <= scalars.endIndex,
      let exact = index.samePosition(in: scalars)
    else {
      throw Self.withinPair
    }
    return scalars.distance(from: scalars.startIndex, to: exact)
  }

  private static var withinPair: StoreError {
    StoreError(
      .invalidEdit,
      "the place is within a character of two UTF-16 code units, or behind the text",
      hint: "Use a place between two characters")
  }

  private static func beyondEnd(_ needed: Int, _ count: Int) -> StoreError {
    StoreError(
      .invalidEdit, "the place \(needed) is behind the end of a text of \(count) characters",
      hint: "Use the text that the edit is called with")
  }
}
