/// The different texts that are inserted by those edits of a merge that were made by comparison.
enum SharedTexts {
  /// Returns the texts as ranges of the merge's scripts, ascending by their bytes.
  ///
  /// Cost: sorts the insertions of these edits.
  static func ranges(of merge: TextMerge) -> [Range<Int>] {
    guard merge.hasComparisons else { return [] }
    return merge.scripts.withUnsafeBytes { scripts in
      var ranges: [Range<Int>] = []
      for edit in merge.edits.joined() where edit.toggle == nil && edit.isComparison {
        let script = UnsafeRawBufferPointer(rebasing: scripts[edit.script])
        var steps = TextScript.RawSteps(script)
        while let step = steps.next() {
          guard case .insert(let text, _) = step, let base = scripts.baseAddress,
            let start = text.baseAddress
          else { continue }
          ranges.append(start - base..<start - base + text.count)
        }
      }
      ranges.sort { precedes(scripts[$0], scripts[$1]) }
      var different: [Range<Int>] = []
      for range in ranges {
        if let last = different.last, !precedes(scripts[last], scripts[range]) { continue }
        different.append(range)
      }
      return different
    }
  }

  /// Returns the index of a text among the different ones.
  static func index(
    of text: UnsafeRawBufferPointer, in ranges: [Range<Int>], _ scripts: UnsafeRawBufferPointer
  ) -> Int {
    ranges.indices.partitioningIndex { !precedes(scripts[ranges[$0]], text[...]) }
  }

  private static func precedes(
    _ a: Slice<UnsafeRawBufferPointer>, _ b: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    UnsafeRawBufferPointer(rebasing: a)
      .lexicographicallyPrecedes(UnsafeRawBufferPointer(rebasing: b))
  }
}
