import DaybookSimulation
import DaybookTexts
import Testing

@testable import Daybook
@testable import DaybookEngine

/// A text that is changed by many calls, against one that is changed scalar by scalar.
@Suite struct EditableTextTests {
  private static let words = [
    "a", "bc", "\n", "é", "e\u{301}", "😀", "👩‍👩‍👧", "कु", "\u{0}", "日本", "\u{FEFF}", "ab cd ef gh",
    String(repeating: "long ", count: 60),
  ]

  @Test("changes at any places give the text and the script of the same changes one by one")
  func randomChanges() throws {
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let start = (0..<random.below(40)).map { _ in random.pick(Self.words) }.joined()
      var text = EditableText(start)
      var scalars = Array(start.unicodeScalars)
      var script = TextScript()
      for _ in 0..<120 {
        // Often near the last place, and sometimes far away.
        let lower = random.below(scalars.count + 1)
        let count = random.chance(60) ? 0 : random.below(min(9, scalars.count - lower) + 1)
        let new = random.chance(25) ? "" : random.pick(Self.words)
        try text.replace(lower..<lower + count, with: new)
        scalars.replaceSubrange(lower..<lower + count, with: new.unicodeScalars)
        script = script.followed(by: TextScript(replacing: lower..<lower + count, with: new))
        if random.chance(10) {
          #expect(Array(text.text.unicodeScalars) == scalars && text.count == scalars.count)
        }
        if random.chance(5) { text.makeWhole() }
      }
      #expect(Array(text.text.unicodeScalars) == scalars, "seed \(seed)")
      #expect(text.script == script, "seed \(seed)")
      #expect(text.script.applied(to: start).map { Array($0.unicodeScalars) } == scalars)
      #expect(!text.isComparison)
    }
  }

  @Test("a place beyond the end changes nothing, before and after other changes")
  func beyondEnd() throws {
    var text = EditableText("a😀b")
    for _ in 0..<2 {
      let before = (text.text, text.script)
      for range in [5..<5, 0..<9, 4..<Int.max, Int.max..<Int.max, 6..<7] {
        #expect(throws: StoreError.self) { try text.replace(range, with: "x") }
      }
      #expect(throws: StoreError.self) { try text.insert("x", at: -1) }
      #expect(text.text == before.0 && text.script == before.1)
      try text.insert("cd", at: 1)
      try text.delete(1..<2)
    }
    #expect(text.text == "add😀b")
  }

  @Test("changes that take each other back leave none")
  func takenBack() throws {
    var text = EditableText("oat")
    try text.insert("x", at: 1)
    try text.delete(1..<2)
    #expect(text.script.isEmpty && text.text == "oat" && !text.isComparison)
    text.assign("oats")
    #expect(text.text == "oats" && text.script == TextScript([.retain(3), .insert("s")]))
    text.append("!")
    #expect(text.text == "oats!" && text.count == 5)
  }
}
