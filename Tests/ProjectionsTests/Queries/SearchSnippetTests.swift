import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookProjections

/// The part of a text that a search shows.
@Suite struct SearchSnippetTests {
  private func fixture(_ texts: [String]) throws -> QueryFixture {
    try QueryFixture(
      [.define(Definition("notes", [.text("title").searchable(), .text("body").searchable()]))]
        + texts.enumerated().map { .insert("n\($0)", ["body": .text($1)]) })
  }

  private func snippet(_ query: String, _ text: String) throws -> String? {
    try fixture([text]).search(query, in: "notes").first?.snippet
  }

  @Test(
    "a snippet has the words found, in a whole sentence if it is near",
    arguments: [
      ("oats", "Oats", "[Oats]"), ("milk", "(Oat milk.)\n", "(Oat [milk].)"),
      (
        "oat milk", "The oat is a grain. Oat milk is made of it",
        "The [oat] is a grain. [Oat] [milk] is made of it"
      ),
      ("\"oat milk\"", "of oat-milk", "of [oat-milk]"),
      (
        "hit", "one two three four five six seven. A hit is here, and then it goes on: a b c d e f",
        "…A [hit] is here, and then it goes on: a b c…"
      ),
      (
        "hit", "a b c d e f g h i j k l m n o hit p q r s t u v w x y z",
        "…k l m n o [hit] p q r s t u…"
      ),
      (
        "oat milk",
        "oat a b c d e f g h i j k l m n o p q r s t u v milk w x y z oat milk a b c d e f g",
        "…t u v [milk] w x y z [oat] [milk] a b…"
      ),
    ])
  func examples(query: String, text: String, expected: String) throws {
    #expect(try snippet(query, text) == expected)
  }

  @Test("a snippet shows a word found, begins and ends between words, and is not long")
  func random() throws {
    var random = SplitMix64(seed: 11)
    let pieces = [
      "a", "oats", "Ørsted", "日本語", "ที่นี่", "👩‍👩‍👧", "किताब", String(repeating: "x", count: 300),
      String(repeating: "é", count: 120), "\n", ". ", ", ", String(repeating: "-", count: 400),
    ]
    for _ in 0..<150 {
      var words = (0..<random.pick(0...60)).map { _ in random.pick(pieces) }
      words.insert("needle", at: random.pick(0...words.count))
      let text = words.joined(separator: " ")
      let snippet = try #require(try snippet("needle", text))
      #expect(snippet.contains("[needle]"), "\(text)")
      #expect(snippet.unicodeScalars.count <= 290)
      var shown = snippet.replacing("[", by: "").replacing("]", by: "")
      if shown.hasPrefix("…") { shown.removeFirst() }
      if shown.hasSuffix("…") { shown.removeLast() }
      let utf8 = Array(text.utf8)
      let place = try #require(utf8.firstRange(of: Array(shown.utf8)))
      let boundaries = Set(
        SearchTokenizer.words(of: text).flatMap { [$0.bytes.lowerBound, $0.bytes.upperBound] }
          + [0, utf8.count])
      #expect(boundaries.contains(place.lowerBound))
      #expect(
        boundaries.contains(place.upperBound)
          || utf8[place.upperBound...].allSatisfy { [0x20, 0x0A].contains($0) })
    }
  }

  @Test("a word found that is longer than a snippet is shown in part")
  func longWord() throws {
    let long = String(repeating: "x", count: 5000)
    let snippet = try #require(try snippet("xxx*", "before \(long) after"))
    #expect(snippet.hasPrefix("…[xxx") && snippet.hasSuffix("]…") && snippet.count < 300)
  }

  // One letter in a note of 1 MB took 24 seconds: FTS5's own snippet is quadratic in the hits.
  @Test("a search costs no more than its text, however often that has the words")
  func manyHits() throws {
    let text = String(repeating: "paste of words ", count: 200_000)
    let fixture = try fixture([text, "paste"])
    let start = ContinuousClock.now
    for query in ["paste", "p*", "paste OR words", "\"of words\"", "paste words of"] {
      let hits = try fixture.search(query, in: "notes")
      #expect(hits.contains { $0.id == "n0" && $0.snippet.utf8.count < 200 })
    }
    // It takes some tens of milliseconds; 24 seconds and more before.
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test("a word deep in a long text is shown, in any script")
  func deep() throws {
    for filler in ["paste of words ", "Съешь же ещё булок ", "日本語のテキスト", "किताब और क़लम "] {
      let text = String(repeating: filler, count: 60_000) + "needle " + filler
      let snippet = try #require(try snippet("needle", text))
      #expect(snippet.contains("[needle]"), "\(snippet)")
    }
  }
}
