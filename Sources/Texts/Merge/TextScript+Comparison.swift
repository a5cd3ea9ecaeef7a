extension TextScript {
  /// Returns the script that does on a changed text what this one does on the text before, if both
  /// were made by comparison: what both insert alike at one place is there once.
  /// - Parameters:
  ///   - other: what has changed the text that this script is for.
  ///   - text: the changed text.
  package func compared(over other: TextScript, making text: String) -> TextScript {
    var merge = TextMerge(authorCount: 2)
    for (author, script) in [other, self].enumerated() {
      script.encoded.withUnsafeBytes {
        merge.add(author: author, sequence: 1, isComparison: true, script: $0)
      }
    }
    let length = text.unicodeScalars.count
    let merged = merge.merged(known: [1, 0], length: length) { _, _ in [] }
    guard let merged, merged.unfit.isEmpty else { return rebased(over: other, isFirst: false) }
    return merged.script(length: length)
  }
}
