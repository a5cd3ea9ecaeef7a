/// Merges the edits that several authors have made to one text, each on the text that it saw.
///
/// The result is a function of the edits and of what their authors had seen: it does not depend on
/// the order in which the edits are added. An edit whose author had seen all others, and that all
/// later authors had seen, patches the text. For others the text is walked back to the last version
/// that all of their authors had seen (eg-walker).
///
/// An edit is *unfit* if its script needs a longer text than its author saw, or if its author
/// claims to have seen edits whose authors claim to have seen it. Unfit edits change nothing.
package struct TextMerge {
  /// From an event of an author on, how far it had seen another author's events.
  package struct Sight {
    /// The sequence of the author's event.
    var from: UInt64
    /// The sequence of the last event of the other author that it had seen.
    var through: UInt64

    package init(from: UInt64, through: UInt64) {
      self.from = from
      self.through = through
    }
  }

  /// An edit by its author and its index among the author's edits.
  package struct EditID: Hashable {
    package var author: Int
    package var index: Int

    package init(author: Int, index: Int) {
      self.author = author
      self.index = index
    }
  }

  /// Edits that stop to count, or count again, for all who have seen it.
  package struct Toggle {
    package var isUndone: Bool
    /// Of the toggles that name an edit and that somebody has seen, the one with the greatest rank
    /// decides.
    package var rank: Int
    /// The edits, by author and the sequences of their events.
    package var events: [(author: Int, sequences: ClosedRange<UInt64>)]

    package init(
      isUndone: Bool, rank: Int, events: [(author: Int, sequences: ClosedRange<UInt64>)]
    ) {
      self.isUndone = isUndone
      self.rank = rank
      self.events = events
    }
  }

  /// An edit, or a toggle if it has no script. One of perhaps hundreds of thousands, so it is kept
  /// small.
  struct Edit {
    var sequence: UInt64
    var operation: UInt32
    /// The size of the script, with a bit that says whether the edit was made by comparison.
    var scriptSize: UInt32
    var scriptStart: Int

    /// The size that stands for a toggle, whose index is in `scriptStart`.
    static let toggle = UInt32.max
    static let comparison: UInt32 = 1 << 31

    var script: Range<Int> {
      scriptStart..<scriptStart + Int(scriptSize & ~Self.comparison)
    }
    var isComparison: Bool { scriptSize & Self.comparison != 0 }
    var toggle: Int? { scriptSize == Self.toggle ? scriptStart : nil }
  }

  private(set) var edits: [[Edit]]
  private(set) var scripts: [UInt8] = []
  private(set) var toggles: [Toggle] = []
  /// Whether any edit was made by comparison.
  private(set) var hasComparisons = false

  /// - Parameter authorCount: The number of authors. Their numbers must follow the order of the
  ///   bytes of their ids.
  package init(authorCount: Int) { edits = Array(repeating: [], count: authorCount) }

  /// The number of edits.
  package var count: Int { edits.reduce(0) { $0 + $1.count } }

  /// Returns the number of an author's edits.
  package func count(of author: Int) -> Int { edits[author].count }

  /// Returns the sequence of an edit's event.
  package func sequence(of edit: EditID) -> UInt64 { edits[edit.author][edit.index].sequence }

  /// Returns the number of an edit among the operations of its event.
  package func operation(of edit: EditID) -> UInt32 { edits[edit.author][edit.index].operation }

  /// Makes room for a number of edits of an author.
  package mutating func reserve(_ count: Int, by author: Int) {
    edits[author].reserveCapacity(count)
  }

  /// Adds the next edit of an author.
  ///
  /// - Parameters:
  ///   - author: The author's number.
  ///   - sequence: The sequence of the event.
  ///   - operation: The number of the edit among the operations of its event.
  ///   - isComparison: Whether the edit was made by comparing two texts. What such edits insert
  ///     alike, at one place and without having seen each other, is in the text once.
  ///   - script: An encoded script in canonical form. An event has 16 MiB at most.
  package mutating func add(
    author: Int, sequence: UInt64, operation: UInt32 = 0, isComparison: Bool = false,
    script: UnsafeRawBufferPointer
  ) {
    let size = UInt32(truncatingIfNeeded: script.count) & ~Edit.comparison
    edits[author].append(
      Edit(
        sequence: sequence, operation: operation,
        scriptSize: isComparison ? size | Edit.comparison : size, scriptStart: scripts.count))
    hasComparisons = hasComparisons || isComparison
    scripts.append(contentsOf: script)
  }

  /// Adds a toggle as the next step of an author, among its edits.
  package mutating func add(
    author: Int, sequence: UInt64, operation: UInt32, toggle: Toggle
  ) {
    edits[author].append(
      Edit(
        sequence: sequence, operation: operation, scriptSize: Edit.toggle,
        scriptStart: toggles.count))
    toggles.append(toggle)
  }

  /// Returns the edits that a toggle names, toggles excepted.
  func targets(of toggle: Int) -> [EditID] {
    toggles[toggle].events.flatMap { author, sequences in
      let own = edits[author]
      let start = own.indices.partitioningIndex { own[$0].sequence >= sequences.lowerBound }
      return own[start...].indices.lazy.prefix { own[$0].sequence <= sequences.upperBound }
        .filter { own[$0].toggle == nil }.map { EditID(author: author, index: $0) }
    }
  }

  /// Merges all edits; there are no toggles.
  ///
  /// - Parameters:
  ///   - length: The number of scalars of the base text.
  ///   - sights: What one author had seen of another, ascending; only asked for if there are
  ///     several authors.
  package func merged<E: Error>(
    length: Int, sights: (_ author: Int, _ other: Int) throws(E) -> [Sight]
  ) throws(E) -> MergedText {
    var walk = try TextWalk(self, length: length, sights: sights)
    walk.run()
    return walk.result()
  }

  /// Merges new edits into a text that already contains others; there are no toggles.
  ///
  /// The caller adds the known edits back to the last version that the authors of all new edits,
  /// and of all edits after it, had seen. No author of a known edit had seen a new edit.
  /// - Parameters:
  ///   - known: By author, the number of its first edits that the text has already.
  ///   - length: The number of scalars of the text.
  ///   - sights: As in ``merged(length:sights:)``.
  /// - Returns: The merged text; nil if the known edits do not fit this text, or if an author had
  ///   seen an edit and not all that its author had seen. Then all edits have to be merged.
  package func merged<E: Error>(
    known: [Int], length: Int, sights: (_ author: Int, _ other: Int) throws(E) -> [Sight]
  ) throws(E) -> MergedText? {
    var walk = try TextWalk(self, length: length, known: known, sights: sights)
    guard walk.isClosed, walk.runKnown() else { return nil }
    walk.run()
    return walk.result()
  }

  /// Merges all edits, and returns which edit wrote each part of the text and which deleted others.
  ///
  /// Edits that do not count in the end are among them. Toggles say what each author had seen.
  package func parts<E: Error>(
    length: Int, sights: (_ author: Int, _ other: Int) throws(E) -> [Sight]
  ) throws(E) -> (parts: [TextPart], unfit: [EditID]) {
    var walk = try TextWalk(self, length: length, sights: sights)
    walk.keepsAll = true
    walk.run()
    return (walk.parts(), walk.unfitEdits())
  }
}

/// The result of a merge.
package struct MergedText {
  private(set) var spans: SpanList
  /// The edits that changed nothing.
  package private(set) var unfit: [TextMerge.EditID]

  init(spans: SpanList, unfit: [TextMerge.EditID]) {
    self.spans = spans
    self.unfit = unfit
  }

  /// Begins with a text that has no edits, for edits of one author: they need no merge, and none of
  /// them has to be kept.
  ///
  /// - Parameter length: The number of scalars of the text.
  package init(length: Int) { self.init(spans: SpanList(length: length), unfit: []) }

  /// Changes the text by the next edit of its only author.
  ///
  /// - Parameter script: An encoded script in canonical form.
  /// - Returns: Whether the script fits the text. If not, the text is as before.
  package mutating func patch(_ script: UnsafeRawBufferPointer) -> Bool { spans.patch(script) }

  /// Returns the merged text.
  ///
  /// - Parameter base: The text that the merge began with, in UTF-8.
  package func text(base: UnsafeRawBufferPointer) -> [UInt8] { spans.text(base: base) }

  /// The script that makes the merged text of the text that the merge began with.
  package func script(length: Int) -> TextScript { spans.script(oldLength: length) }
}

/// Consecutive scalars that were inserted together, or of the base, and the edits that delete them.
package struct TextPart {
  /// An insertion of the scalars.
  package struct Insertion: Hashable {
    package var edit: TextMerge.EditID
    /// The index of the first scalar among those that the edit inserted.
    package var offset: Int
  }

  /// The edits that inserted the scalars, by author and index: one, or several that were made by
  /// comparison; none for the base.
  package var insertions: [Insertion]
  /// The index of the first scalar in the base, if the part is one of it.
  package var baseOffset: Int
  package var count: Int
  /// The edits that delete the scalars; empty if they are in the text.
  package var deletedBy: [TextMerge.EditID]
}
