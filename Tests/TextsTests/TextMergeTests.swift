import DaybookEventCore
import DaybookReferenceModel
import Foundation
import Testing

@testable import DaybookTexts

/// Authors who edit one text, exchange their edits now and then, and are otherwise apart.
private struct Authors {
  var edits: [[ReferenceText.Edit]]
  let base: [Unicode.Scalar]
  private var seen: [[Int]]
  private var random: Generator

  init(seed: Int, count: Int) {
    random = Generator(seed)
    base = Array(random.text(0...12).unicodeScalars)
    edits = Array(repeating: [], count: count)
    seen = Array(repeating: Array(repeating: 0, count: count), count: count)
  }

  /// - Parameter exchangesParts: Whether an author may receive another one's edits without those
  ///   that the other had seen.
  mutating func run(steps: Int, exchangesParts: Bool = false) {
    for _ in 0..<steps {
      let author = Int.random(in: edits.indices, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        let other = Int.random(in: edits.indices, using: &random)
        for index in edits.indices where !exchangesParts || index == other {
          seen[author][index] = max(seen[author][index], seen[other][index])
        }
      } else {
        write(author)
      }
    }
  }

  private mutating func write(_ author: Int) {
    let known = edits.indices.map { Array(edits[$0].prefix(seen[author][$0])) }
    let length = ReferenceText(base: base, edits: known).text.count
    let script =
      Int.random(in: 0..<4, using: &random) == 0
      ? TextScript(random.steps(for: length))
      : TextScript([
        .retain(Int.random(in: 0...length, using: &random)),
        // What two authors insert is often equal.
        .insert(
          Bool.random(using: &random)
            ? random.text(1...3)
            : String(repeating: "=", count: Int.random(in: 1...2, using: &random))
        ),
      ])
    edits[author].append(
      .init(
        author: author, seen: seen[author], steps: script.reference,
        isComparison: Bool.random(using: &random)))
    seen[author][author] += 1
  }

  /// An edit whose script does not fit, or whose author says to have seen what it cannot have.
  mutating func lie() {
    let author = Int.random(in: edits.indices, using: &random)
    var claim = seen[author]
    if Bool.random(using: &random) {
      for index in claim.indices where index != author {
        claim[index] = Int.random(in: 0...edits[index].count + 1, using: &random)
      }
      claim = zip(claim, seen[author]).map(max)
      seen[author] = claim
    }
    let script = TextScript([
      .retain(Int.random(in: 0...30, using: &random)), .delete(1), .insert("!"),
    ])
    edits[author].append(.init(author: author, seen: claim, steps: script.reference))
    seen[author][author] += 1
  }

  /// The same edits for the product, as far as `counts` goes.
  func merge(_ counts: [Int]) -> TextMerge {
    var merge = TextMerge(authorCount: edits.count)
    for author in edits.indices {
      for (index, edit) in edits[author].prefix(counts[author]).enumerated() {
        let script = TextScript(edit.steps.map(\.product)).encoded
        // Other events stand between the edits.
        script.withUnsafeBytes {
          merge.add(
            author: author, sequence: Self.sequence(index), isComparison: edit.isComparison,
            script: $0)
        }
      }
    }
    return merge
  }

  private static func sequence(_ index: Int) -> UInt64 { UInt64(index) * 3 + 2 }

  func sights(_ author: Int, _ other: Int) -> [TextMerge.Sight] {
    var sights: [TextMerge.Sight] = []
    for (index, edit) in edits[author].enumerated()
    where edit.seen[other] > 0 && sights.last?.through != Self.sequence(edit.seen[other] - 1) {
      let through = Self.sequence(edit.seen[other] - 1)
      guard sights.last.map({ $0.through < through }) ?? true else { continue }
      sights.append(.init(from: Self.sequence(index), through: through))
    }
    return sights
  }

  var baseUTF8: [UInt8] { Array(String(String.UnicodeScalarView(base)).utf8) }
  var counts: [Int] { edits.map(\.count) }

  func text(_ merged: MergedText, base: [UInt8]) -> [Unicode.Scalar] {
    let bytes = base.withUnsafeBytes { merged.text(base: $0) }
    return Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
  }

  /// A random set of edits that is closed: it holds what their authors had seen.
  mutating func closed() -> [Int] {
    var counts = edits.map { Int.random(in: 0...$0.count, using: &random) }
    var goesOn = true
    while goesOn {
      goesOn = false
      for author in edits.indices {
        for edit in edits[author].prefix(counts[author]) {
          for other in edits.indices where edit.seen[other] > counts[other] {
            counts[other] = edit.seen[other]
            goesOn = true
          }
        }
      }
    }
    return counts
  }
}

extension TextScript {
  fileprivate var reference: [ReferenceText.Step] {
    steps.map { step in
      switch step {
      case .retain(let count): .retain(count)
      case .insert(let text): .insert(Array(text.unicodeScalars))
      case .delete(let count): .delete(count)
      }
    }
  }
}

extension ReferenceText.Step {
  fileprivate var product: TextScript.Step {
    switch self {
    case .retain(let count): .retain(count)
    case .insert(let scalars): .insert(String(String.UnicodeScalarView(scalars)))
    case .delete(let count): .delete(count)
    }
  }
}

@Suite("Merging of edits")
struct TextMergeTests {
  /// Seeds that `Tools/test` runs; `DAYBOOK_SEEDS=1000..<2000` runs others.
  private static var seeds: Range<Int> {
    let words = ProcessInfo.processInfo.environment["DAYBOOK_SEEDS"]?.split(separator: "..<")
    guard let words, words.count == 2, let from = Int(words[0]), let end = Int(words[1]) else {
      return 1..<150
    }
    return from..<end
  }

  @Test("a merge is that of the reference, with who wrote what", arguments: seeds)
  func reference(seed: Int) {
    var authors = Authors(seed: seed, count: 1 + seed % 8)
    authors.run(steps: 10 + seed % 60)
    check(authors)
  }

  @Test("edits that do not fit, or claim to have seen each other, change nothing", arguments: seeds)
  func unfit(seed: Int) {
    var authors = Authors(seed: seed, count: 2 + seed % 4)
    for _ in 0..<4 {
      authors.run(steps: 8)
      authors.lie()
    }
    check(authors)
  }

  private func check(_ authors: Authors) {
    let reference = ReferenceText(base: authors.base, edits: authors.edits)
    let merge = authors.merge(authors.counts)
    let merged = merge.merged(length: authors.base.count, sights: authors.sights)
    #expect(authors.text(merged, base: authors.baseUTF8) == reference.text)
    let unfit = merged.unfit.map { ReferenceText.Writer(author: $0.author, index: $0.index) }
    #expect(Set(unfit) == reference.unfit)
    let parts = merge.parts(length: authors.base.count, sights: authors.sights).parts
    let writers = parts.filter(\.deletedBy.isEmpty).flatMap { part in
      Array(
        repeating: part.insertions.first.map {
          ReferenceText.Writer(author: $0.edit.author, index: $0.edit.index)
        },
        count: part.count)
    }
    #expect(writers == reference.writers)
  }

  @Test("edits merged later make the text that all of them make at once", arguments: seeds)
  func later(seed: Int) {
    var authors = Authors(seed: seed, count: 2 + seed % 5)
    authors.run(steps: 10 + seed % 60)
    let known = authors.closed()
    let before = authors.merge(known).merged(
      length: authors.base.count, sights: authors.sights)
    let text = authors.text(before, base: authors.baseUTF8)
    let after = authors.merge(authors.counts)
      .merged(known: known, length: text.count, sights: authors.sights)
    let bytes = Array(String(String.UnicodeScalarView(text)).utf8)
    let reference = ReferenceText(base: authors.base, edits: authors.edits)
    #expect(after.map { authors.text($0, base: bytes) } == reference.text)
  }

  @Test(
    "edits whose authors had not seen all before them merge as in the slow way, at once and later",
    arguments: seeds)
  func parts(seed: Int) {
    var authors = Authors(seed: seed, count: 3 + seed % 4)
    authors.run(steps: 10 + seed % 60, exchangesParts: true)
    let reference = ReferenceText(base: authors.base, edits: authors.edits)
    let all = authors.merge(authors.counts)
    let merged = all.merged(length: authors.base.count, sights: authors.sights)
    #expect(authors.text(merged, base: authors.baseUTF8) == reference.text)
    let known = authors.closed()
    let first = ReferenceText(
      base: authors.base, edits: zip(authors.edits, known).map { Array($0.prefix($1)) })
    guard first.unfit.isEmpty, reference.unfit.isEmpty else { return }
    // If it is nil, all edits have to be merged.
    let later = all.merged(known: known, length: first.text.count, sights: authors.sights)
    let bytes = Array(String(String.UnicodeScalarView(first.text)).utf8)
    #expect(later.map { authors.text($0, base: bytes) } ?? reference.text == reference.text)
  }

  @Test("runs that two authors type at one place do not interleave")
  func runs() {
    for goesBackwards in [false, true] {
      var merge = TextMerge(authorCount: 2)
      for index in 0..<20 {
        for author in 0..<2 {
          let script = TextScript([
            .retain(2 + (goesBackwards ? 0 : index)), .insert(author == 0 ? "a" : "b"),
          ]).encoded
          script.withUnsafeBytes {
            merge.add(author: author, sequence: UInt64(index + 1), script: $0)
          }
        }
      }
      let merged = merge.merged(length: 4) { _, _ in [] }
      let bytes = Array("<<>>".utf8).withUnsafeBytes { merged.text(base: $0) }
      let runs = String(repeating: "a", count: 20) + String(repeating: "b", count: 20)
      #expect(String(decoding: bytes, as: UTF8.self) == "<<" + runs + ">>")
    }
  }
}
