import DaybookEventCore

/// Suggestions for a name that is not known.
package enum NameSuggestion {
  /// Returns the known name nearest to a name; nil if none is near.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let typed = folded(name)
    guard (1...lengthMax).contains(typed.count) else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in known {
      let scalars = folded(candidate)
      guard !scalars.isEmpty, scalars.count <= lengthMax else { continue }
      let isBeginning = typed.count >= 3 && scalars.starts(with: typed)
      let distance = isBeginning ? 1 : self.distance(typed, scalars)
      // Short names are all near one another, so the distance allowed depends on the length.
      let nearby = (min(typed.count, scalars.count) + 1) / 3
      guard distance <= nearby, distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    return best?.name
  }

  /// Returns `Did you mean “notes”? There are: links, notes`, without the question if
  /// no name is near.
  /// - Parameters:
  ///   - name: the unknown name.
  ///   - known: the known names.
  ///   - none: the text to return if there are no known names.
  package static func hint(for name: String, among known: [String], none: String) -> String {
    guard !known.isEmpty else { return none }
    let question =
      nearest(to: name, among: known).map { "Did you mean \($0.quotedForMessage)? " } ?? ""
    return "\(question)There are: \(list(known))"
  }

  /// Returns the first 12 names on one line, and the number of all if there are more.
  package static func list(_ names: [String]) -> String {
    names.prefix(listMax).map(\.onOneLine).joined(separator: ", ")
      + (names.count > listMax ? ", … (\(names.count) in all)" : "")
  }

  private static let listMax = 12
  /// The length in scalars above which names are not compared.
  private static let lengthMax = 64

  private static func folded(_ name: String) -> [Unicode.Scalar] {
    Array(Names.folded(name).unicodeScalars)
  }

  /// Returns the number of edits that turn one name into the other: a scalar inserted, deleted,
  /// replaced, or swapped with the next (Damerau 1964, with no place edited twice).
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j + 1], row[j]) + 1
        cost = min(cost, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
