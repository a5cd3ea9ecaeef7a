package import DaybookEventCore

/// Words that are looked for in the texts of deleted entities, which no search index has.
///
/// A word is found wherever its characters occur, also in the middle of a word. Upper and lower
/// case are the same, and so are texts that Unicode regards as equivalent.
package struct DeletedWords: Sendable {
  private let words: [String]

  /// - Parameter text: words between white space.
  package init(_ text: String) { words = text.words.map { $0.lowercased() } }

  /// Returns whether every word occurs in one of the texts among the values.
  package func match(_ values: some Sequence<Value>) -> Bool {
    guard !words.isEmpty else { return true }
    var missing = words
    for case .text(let text) in values {
      let text = text.lowercased()
      missing.removeAll { text.contains($0) }
      if missing.isEmpty { return true }
    }
    return false
  }
}
