extension TextScript {
  /// Makes a script that turns one text into another.
  ///
  /// The script is short but not always the shortest: texts that have much in common are compared
  /// by scalars, others by lines first. A few equal scalars between two changes count as changed,
  /// so that a word is replaced as a whole.
  ///
  /// The source is Myers, “An O(ND) Difference Algorithm and Its Variations” (1986), with a limit
  /// of differences. Time and memory are linear in the texts beside that limit.
  ///
  /// - Parameters:
  ///   - old: The text that the script is for.
  ///   - new: The text that it makes.
  public init(from old: String, to new: String) {
    let (a, b) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    var hunks: [Hunk] = []
    Comparison.scalars(a, b, into: &hunks)
    Comparison.joinNearby(&hunks)
    var at = 0
    for hunk in hunks {
      append(.retain(hunk.old.lowerBound - at))
      append(.insert(String(String.UnicodeScalarView(b[hunk.new]))))
      append(.delete(hunk.old.count))
      at = hunk.old.upperBound
    }
    finish()
  }

  /// A range of the old text and what stands there in the new one.
  fileprivate struct Hunk {
    var old: Range<Int>
    var new: Range<Int>
  }

  private enum Comparison {
    /// The differences after which texts are compared by lines, or replaced.
    static let scalarLimit = 600
    static let lineLimit = 1_500

    static func scalars(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], into hunks: inout [Hunk]) {
      let middle = trimmed(a, b, 0..<a.count, 0..<b.count)
      guard !middle.old.isEmpty, !middle.new.isEmpty else {
        if !middle.old.isEmpty || !middle.new.isEmpty { hunks.append(middle) }
        return
      }
      if let found = differences(Array(a[middle.old]), Array(b[middle.new]), limit: scalarLimit) {
        hunks += found.map { shifted($0, by: middle) }
        return
      }
      // Too different: find the lines that both have, and compare what stands between them.
      let (oldLines, newLines) = (lines(a, middle.old), lines(b, middle.new))
      let found = differences(
        oldLines.map { Array(a[$0]) }, newLines.map { Array(b[$0]) }, limit: lineLimit)
      guard let found else {
        hunks.append(middle)
        return
      }
      for hunk in found {
        let old = range(oldLines, hunk.old, end: middle.old.upperBound)
        let new = range(newLines, hunk.new, end: middle.new.upperBound)
        let inner = trimmed(a, b, old, new)
        guard !inner.old.isEmpty, !inner.new.isEmpty,
          let parts = differences(Array(a[inner.old]), Array(b[inner.new]), limit: scalarLimit)
        else {
          hunks.append(inner)
          continue
        }
        hunks += parts.map { shifted($0, by: inner) }
      }
    }

    private static func shifted(_ hunk: Hunk, by outer: Hunk) -> Hunk {
      Hunk(
        old: hunk.old.lowerBound + outer.old.lowerBound..<hunk.old.upperBound
          + outer.old.lowerBound,
        new: hunk.new.lowerBound + outer.new.lowerBound..<hunk.new.upperBound
          + outer.new.lowerBound)
    }

    private static func trimmed(
      _ a: [Unicode.Scalar], _ b: [Unicode.Scalar], _ old: Range<Int>, _ new: Range<Int>
    ) -> Hunk {
      var (i, j) = (old.lowerBound, new.lowerBound)
      while i < old.upperBound, j < new.upperBound, a[i] == b[j] {
        i += 1
        j += 1
      }
      var (k, l) = (old.upperBound, new.upperBound)
      while k > i, l > j, a[k - 1] == b[l - 1] {
        k -= 1
        l -= 1
      }
      return Hunk(old: i..<k, new: j..<l)
    }

    private static func lines(_ text: [Unicode.Scalar], _ range: Range<Int>) -> [Range<Int>] {
      var out: [Range<Int>] = []
      var start = range.lowerBound
      for at in range where text[at] == "\n" {
        out.append(start..<at + 1)
        start = at + 1
      }
      if start < range.upperBound { out.append(start..<range.upperBound) }
      return out
    }

    /// The scalars of a range of lines, which may be empty.
    private static func range(_ lines: [Range<Int>], _ part: Range<Int>, end: Int) -> Range<Int> {
      let start = part.lowerBound < lines.count ? lines[part.lowerBound].lowerBound : end
      return part.isEmpty ? start..<start : start..<lines[part.upperBound - 1].upperBound
    }

    /// Joins hunks if fewer scalars stand between them than either changes, and at most 3.
    static func joinNearby(_ hunks: inout [Hunk]) {
      var out: [Hunk] = []
      for hunk in hunks {
        guard let last = out.last else {
          out.append(hunk)
          continue
        }
        let between = hunk.old.lowerBound - last.old.upperBound
        let least = min(
          max(last.old.count, last.new.count), max(hunk.old.count, hunk.new.count))
        if between <= 3, between <= least {
          out[out.count - 1] = Hunk(
            old: last.old.lowerBound..<hunk.old.upperBound,
            new: last.new.lowerBound..<hunk.new.upperBound)
        } else {
          out.append(hunk)
        }
      }
      hunks = out
    }

    /// The shortest list of hunks, or nil if it deletes and inserts more than `limit` items.
    private static func differences<Item: Equatable>(
      _ a: [Item], _ b: [Item], limit: Int
    ) -> [Hunk]? {
      let most = min(a.count + b.count, limit)
      guard abs(a.count - b.count) <= most else { return nil }
      // `reach[k + most + 1]` is how far diagonal k = i - j has come in `a`; a row is kept for each
      // number of differences, from which the way back is read.
      var reach = [Int](repeating: 0, count: 2 * most + 3)
      var rows: [[Int]] = []
      for d in 0...most {
        for k in stride(from: -d, through: d, by: 2) {
          let slot = k + most + 1
          var i =
            k == -d || (k != d && reach[slot - 1] < reach[slot + 1])
            ? reach[slot + 1] : reach[slot - 1] + 1
          if i > a.count || i - k > b.count {
            reach[slot] = i
            continue
          }
          while i < a.count, i - k < b.count, a[i] == b[i - k] { i += 1 }
          reach[slot] = i
          if i == a.count, i - k == b.count {
            return wayBack(rows, d: d, k: k)
          }
        }
        rows.append(Array(reach[(most + 1 - d)...(most + 1 + d)]))
      }
      return nil
    }

    private static func wayBack(_ rows: [[Int]], d: Int, k: Int) -> [Hunk] {
      var hunks: [Hunk] = []
      var k = k
      for d in stride(from: d, to: 0, by: -1) {
        let row = rows[d - 1]  // diagonals -(d - 1)...(d - 1)
        func reach(_ diagonal: Int) -> Int {
          let index = diagonal + d - 1
          return row.indices.contains(index) ? row[index] : 0
        }
        let isInsertion = k == -d || (k != d && reach(k - 1) < reach(k + 1))
        let from = isInsertion ? k + 1 : k - 1
        let start = reach(from)
        let (x, y) = (start, start - from)
        let hunk =
          isInsertion ? Hunk(old: x..<x, new: y..<y + 1) : Hunk(old: x..<x + 1, new: y..<y)
        if let last = hunks.last, last.old.lowerBound == hunk.old.upperBound,
          last.new.lowerBound == hunk.new.upperBound
        {
          hunks[hunks.count - 1] = Hunk(
            old: hunk.old.lowerBound..<last.old.upperBound,
            new: hunk.new.lowerBound..<last.new.upperBound)
        } else {
          hunks.append(hunk)
        }
        k = from
      }
      return hunks.reversed()
    }
  }
}
