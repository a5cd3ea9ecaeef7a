import DaybookEventCore
import DaybookReferenceModel
import DaybookTexts

extension FuzzTarget {
  /// Scripts of edits, and sets of edits by several authors, with true and false claims about what
  /// each had seen. The first byte tells which.
  static let text = FuzzTarget("text", bytesMax: 512, trials: 1500) {
    let scripts = [
      TextScript([.insert("oat ")]),
      TextScript([.retain(3), .delete(2), .retain(70), .insert("é")]),
      TextScript([.retain(1 << 40), .insert("🙂"), .delete(1)]), TextScript(),
    ]
    let sets: [[UInt8]] = [
      [1, 2, 8, 0, 0, 4, 3, 0, 1, 0, 4, 2, 0],
      [1, 3, 5] + (0..<12).flatMap { [$0 % 4, 1, 0, $0, 3, $0 % 3] },
      [1, 2, 12] + (0..<10).flatMap { [$0, 0, 2, 7, 1, 2] },
      [1, 4, 20] + (0..<40).map { $0 &* 37 },
      // An author has seen an insertion, and not the one behind which it stands.
      [
        0x01, 0x04, 0xCE, 0x14, 0xBF, 0xE4, 0x04, 0x2E, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x05, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x54, 0x78, 0x9D, 0xC2, 0x0C, 0xFF, 0xFF, 0xFF, 0xE7,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x31, 0x56, 0x7B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x53, 0xFF,
        0xFF, 0xFF,
      ],
    ]
    return scripts.map { [0] + $0.encoded } + sets
  } check: { bytes in
    var input = FuzzInput(bytes)
    if input.byte() & 1 == 0 { return try checkScript(input.rest()) }
    var authors = TextAuthors(&input)
    while !input.isAtEnd, authors.count < 60 { authors.write(&input) }
    try authors.check()
  }

  private static func checkScript(_ bytes: UnsafeRawBufferPointer) throws {
    let steps = ReferenceText.steps(of: Array(bytes))
    let script: TextScript
    do throws(EventError) { script = try TextScript(decoding: bytes) } catch {
      try checkOffset(error, in: bytes)
      return try require(steps == nil, "a script is refused: \(error)")
    }
    try require(steps != nil, "bytes that are no script are taken for \(script)")
    try require(
      script.encoded.elementsEqual(bytes), "a script is encoded otherwise than it was decoded from")
    try require(
      TextScript(script.steps) == script, "a script is another once its steps are put together")
    let source = "a😀e\u{301}z, and so on"
    let count = source.unicodeScalars.count
    let applied = script.applied(to: source)
    try require(
      (applied == nil) == (script.lengthNeeded > count),
      "a script for \(script.lengthNeeded) characters and a text of \(count)")
    guard let applied else { return }
    let expected = TextLedger.apply(steps ?? [], to: Array(source.unicodeScalars))
    try require(
      Array(applied.unicodeScalars) == expected, "\(script) makes “\(applied)” of “\(source)”")
    let again = TextScript(from: source, to: applied)
    try require(
      again.applied(to: source)?.isSame(as: applied) == true,
      "the difference of two texts does not make one of the other")
  }
}

/// Authors who edit one text, for the product's merge and for the reference's.
private struct TextAuthors {
  private let base: [Unicode.Scalar]
  private var edits: [[ReferenceText.Edit]]
  /// By author, the number of edits of each author that it claims to have seen.
  private var seen: [[Int]]
  private let known: UInt8

  init(_ input: inout FuzzInput) {
    let count = 1 + Int(input.byte() % 5)
    base = Array("🙂".unicodeScalars) + (0..<Int(input.byte() % 16)).map { Self.letter($0) }
    edits = Array(repeating: [], count: count)
    seen = Array(repeating: Array(repeating: 0, count: count), count: count)
    known = input.byte()
  }

  var count: Int { edits.reduce(0) { $0 + $1.count } }

  private static func letter(_ number: Int) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(0x61 + number % 26))
  }

  /// Adds an edit: five bytes or more.
  mutating func write(_ input: inout FuzzInput) {
    let first = input.byte()
    let author = Int(first) % edits.count
    let other = Int(input.byte()) % edits.count
    // What the other one has seen, or a claim that may be false.
    if first & 0x40 == 0 {
      for index in edits.indices {
        seen[author][index] = max(seen[author][index], seen[other][index])
      }
    } else if other != author {
      seen[author][other] = max(seen[author][other], Int(input.byte() % 12))
    }
    let place = Int(input.byte())
    var steps: [ReferenceText.Step] = []
    let known = edits.indices.map { Array(edits[$0].prefix(seen[author][$0])) }
    let length = ReferenceText(base: base, edits: known).text.count
    let at = first & 0x80 == 0 ? place % (length + 1) : place % 40
    if at > 0 { steps.append(.retain(at)) }
    let (kind, deleted) = (input.byte(), Int(input.byte() % 5))
    let (inserted, isComparison) = (Int(kind % 4), kind & 0x10 != 0)
    if inserted > 0 {
      // Edits made by comparison often insert the same.
      let first = isComparison ? Int(kind >> 5) % 2 : count * 3
      steps.append(.insert((0..<inserted).map { Self.letter(first + $0) }))
    }
    if deleted > 0, at + deleted <= length || first & 0x80 != 0 { steps.append(.delete(deleted)) }
    if case .retain? = steps.last { steps = [] }
    edits[author].append(
      .init(author: author, seen: seen[author], steps: steps, isComparison: isComparison))
    seen[author][author] = edits[author].count
  }

  private static func sequence(_ index: Int) -> UInt64 { UInt64(index) * 3 + 2 }

  private func sights(_ author: Int, _ other: Int) -> [TextMerge.Sight] {
    var sights: [TextMerge.Sight] = []
    var through = 0
    for (index, edit) in edits[author].enumerated() where edit.seen[other] > through {
      through = edit.seen[other]
      sights.append(
        .init(from: Self.sequence(index), through: Self.sequence(through - 1)))
    }
    return sights
  }

  private var merge: TextMerge {
    var merge = TextMerge(authorCount: edits.count)
    for author in edits.indices {
      for (index, edit) in edits[author].enumerated() {
        TextLedger.script(of: edit.steps).withUnsafeBytes {
          merge.add(
            author: author, sequence: Self.sequence(index), isComparison: edit.isComparison,
            script: $0)
        }
      }
    }
    return merge
  }

  private static func utf8(_ scalars: [Unicode.Scalar]) -> [UInt8] {
    Array(String(String.UnicodeScalarView(scalars)).utf8)
  }

  func check() throws {
    let reference = ReferenceText(base: base, edits: edits)
    let merge = merge
    let merged = merge.merged(length: base.count, sights: sights)
    let text = Self.utf8(base).withUnsafeBytes { merged.text(base: $0) }
    try require(
      text == Self.utf8(reference.text),
      "merged “\(String(decoding: text, as: UTF8.self))”, expected "
        + "“\(String(String.UnicodeScalarView(reference.text)))”")
    let unfit = merged.unfit.map { ReferenceText.Writer(author: $0.author, index: $0.index) }
    try require(
      Set(unfit) == reference.unfit && unfit.count == Set(unfit).count,
      "unfit are \(unfit), expected \(reference.unfit)")
    let writers = merge.parts(length: base.count, sights: sights).parts.filter(\.deletedBy.isEmpty)
      .flatMap { part in
        Array(
          repeating: part.insertions.first.map {
            ReferenceText.Writer(author: $0.edit.author, index: $0.edit.index)
          }, count: part.count)
      }
    try require(writers == reference.writers, "another author wrote a part")
    let script = merged.script(length: base.count)
    try require(
      script.applied(to: String(String.UnicodeScalarView(base))).map { Array($0.utf8) } == text,
      "the script of a merge does not make its text")
    if reference.unfit.isEmpty { try checkLater(merge, reference) }
  }

  /// Checks a merge in two parts, of which the first is closed: it has what its authors had seen.
  private func checkLater(_ merge: TextMerge, _ reference: ReferenceText) throws {
    var counts = edits.indices.map { author in
      edits[author].count * ((Int(known) >> author) & 3) / 3
    }
    var goesOn = true
    while goesOn {
      goesOn = false
      for author in edits.indices {
        for edit in edits[author].prefix(counts[author]) {
          for other in edits.indices where other != author && edit.seen[other] > counts[other] {
            guard edit.seen[other] <= edits[other].count else { return }
            counts[other] = edit.seen[other]
            goesOn = true
          }
        }
      }
    }
    let first = ReferenceText(
      base: base, edits: edits.indices.map { Array(edits[$0].prefix(counts[$0])) })
    // With what is still to come, an edit may have been unfit.
    guard first.unfit.isEmpty else { return }
    let later = merge.merged(known: counts, length: first.text.count, sights: sights)
    guard let later else {
      return try require(!isClosed, "edits that come later are not merged, although they could be")
    }
    let text = Self.utf8(first.text).withUnsafeBytes { later.text(base: $0) }
    try require(text == Self.utf8(reference.text), "edits that come later make another text")
  }

  /// Whether each author claims to have seen all that was seen by the authors of what it claims to
  /// have seen.
  private var isClosed: Bool {
    edits.allSatisfy { own in
      own.enumerated().allSatisfy { index, edit in
        edits.indices.allSatisfy { other in
          let count = min(edit.seen[other], edits[other].count)
          guard other != edit.author, count > 0 else { return true }
          let last = edits[other][count - 1]
          return edits.indices.allSatisfy { third in
            let needed = min(last.seen[third], edits[third].count)
            if third == edit.author { return needed <= index }
            return third == other || needed <= min(edit.seen[third], edits[third].count)
          }
        }
      }
    }
  }
}
