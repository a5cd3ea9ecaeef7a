import DaybookEventCore
import Testing

@testable import DaybookTexts

/// A generator with a seed, and random texts and scripts of scalars of one to four bytes.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func text(_ lengths: ClosedRange<Int>) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: lengths, using: &self) {
      text.append("aabbc é\u{301}ß中😀\n".unicodeScalars.randomElement(using: &self) ?? "a")
    }
    return String(text)
  }

  /// Random steps that fit a text of `length` scalars.
  mutating func steps(for length: Int) -> [TextScript.Step] {
    var left = length
    return (0..<Int.random(in: 0...6, using: &self)).map { _ in
      let count = Int.random(in: 0...min(left, 9), using: &self)
      switch Int.random(in: 0..<3, using: &self) {
      case 0: return .insert(text(0...4))
      case 1:
        left -= count
        return .retain(count)
      default:
        left -= count
        return .delete(count)
      }
    }
  }
}

/// The slow, obvious meaning of steps: a list of scalars, changed from its beginning to its end.
func apply(_ steps: [TextScript.Step], to text: String) -> [Unicode.Scalar]? {
  var rest = Array(text.unicodeScalars)[...]
  var out: [Unicode.Scalar] = []
  for step in steps {
    switch step {
    case .insert(let text): out += text.unicodeScalars
    case .retain(let count), .delete(let count):
      guard count <= rest.count else { return nil }
      if case .retain = step { out += rest.prefix(count) }
      rest = rest.dropFirst(count)
    }
  }
  return out + rest
}

func scalars(_ text: String?) -> [Unicode.Scalar]? { text.map { Array($0.unicodeScalars) } }

@Suite("Scripts that change texts")
struct TextScriptTests {
  @Test(
    "a script does what its steps do, and a text that is too short does not fit", arguments: 1...500
  )
  func application(seed: Int) {
    var random = Generator(seed)
    let text = random.text(0...30)
    let length = text.unicodeScalars.count
    let steps = random.steps(for: length)
    let script = TextScript(steps)
    #expect(scalars(script.applied(to: text)) == apply(steps, to: text))
    #expect(script.lengthNeeded <= length)
    let short = String(String.UnicodeScalarView(text.unicodeScalars.prefix(script.lengthNeeded)))
    #expect(script.applied(to: short) != nil)
    if script.lengthNeeded > 0 {
      let shorter = String(String.UnicodeScalarView(short.unicodeScalars.dropLast()))
      #expect(script.applied(to: shorter) == nil)
    }
  }

  @Test("steps have one canonical form")
  func canonical() throws {
    let script = TextScript([
      .retain(1), .retain(2), .delete(1), .insert("a"), .delete(2), .insert("b"), .insert(""),
      .retain(0), .delete(-4), .retain(7),
    ])
    #expect(script.description == "=3 +\"ab\" -3")
    #expect(TextScript([.retain(5)]).isEmpty)
    // A count above the limit is the limit.
    let long = TextScript([.retain(.max), .retain(.max), .delete(1)])
    #expect(long.lengthNeeded == 1 << 53 && long.applied(to: "text") == nil)
    #expect(try long.encoded.withUnsafeBytes { try TextScript(decoding: $0) } == long)
    #expect(TextScript(replacing: -3..<2, with: "x") == TextScript([.insert("x"), .delete(2)]))
    #expect(TextScript([.insert("\u{E9}")]) != TextScript([.insert("e\u{301}")]))
  }

  @Test("an encoded script is read back, and any other bytes are refused", arguments: 1...500)
  func coding(seed: Int) throws {
    var random = Generator(seed)
    let script = TextScript(random.steps(for: 40))
    let bytes = script.encoded
    #expect(try bytes.withUnsafeBytes { try TextScript(decoding: $0) } == script)
    var broken = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let at = Int.random(in: 0...broken.count, using: &random)
      if at < broken.count, Bool.random(using: &random) {
        broken[at] = UInt8.random(in: 0...255, using: &random)
      } else {
        broken.insert(UInt8.random(in: 0...255, using: &random), at: at)
      }
    }
    // What is accepted is the one encoding of its script.
    if let read = try? broken.withUnsafeBytes({ try TextScript(decoding: $0) }) {
      #expect(read.encoded == broken && TextScript(read.steps) == read)
    }
  }

  @Test(
    "bytes that are no script are an error that says why",
    arguments: [
      ([0x03], .malformed), ([0x04], .notCanonical), ([0x01], .notCanonical),
      ([0x05, 0x05], .notCanonical), ([0x05, 0x06, 0x61], .notCanonical),
      ([0x0A, 0x61], .truncated),
      ([0x06, 0xFF], .invalidValue), ([0x85, 0x00], .notCanonical), ([0x85], .truncated),
    ] as [([UInt8], EventError.Code)])
  func refused(bytes: [UInt8], code: EventError.Code) {
    let error = #expect(throws: EventError.self) {
      try bytes.withUnsafeBytes { try TextScript(decoding: $0) }
    }
    #expect(error?.code == code)
  }

  @Test("the inverse brings the text back", arguments: 1...500)
  func inverse(seed: Int) throws {
    var random = Generator(seed)
    let text = random.text(0...30)
    let script = TextScript(random.steps(for: text.unicodeScalars.count))
    let changed = try #require(script.applied(to: text))
    let inverse = try #require(script.inverse(of: text))
    #expect(scalars(inverse.applied(to: changed)) == scalars(text))
    #expect(TextScript([.delete(text.unicodeScalars.count + 1)]).inverse(of: text) == nil)
  }

  @Test("two scripts in a row are one script", arguments: 1...1_000)
  func composition(seed: Int) throws {
    var random = Generator(seed)
    let text = random.text(0...30)
    let first = TextScript(random.steps(for: text.unicodeScalars.count))
    let middle = try #require(first.applied(to: text))
    let second = TextScript(random.steps(for: middle.unicodeScalars.count))
    let both = first.followed(by: second)
    #expect(scalars(both.applied(to: text)) == scalars(second.applied(to: middle)))
    #expect(TextScript(both.steps) == both)
  }

  @Test("two scripts of one text give one result in either order", arguments: 1...1_000)
  func rebasing(seed: Int) throws {
    var random = Generator(seed)
    let text = random.text(0...30)
    let length = text.unicodeScalars.count
    let (a, b) = (TextScript(random.steps(for: length)), TextScript(random.steps(for: length)))
    let after = try #require(a.applied(to: text))
    let before = try #require(b.applied(to: text))
    let one = b.rebased(over: a, isFirst: false).applied(to: after)
    let other = a.rebased(over: b, isFirst: true).applied(to: before)
    #expect(one != nil && scalars(one) == scalars(other))
  }

  @Test("a place follows the scalar behind it, and the end stays the end", arguments: 1...500)
  func places(seed: Int) throws {
    var random = Generator(seed)
    let length = Int.random(in: 0...30, using: &random)
    // A text of scalars that occur once, so that each can be found again.
    let text = String(
      String.UnicodeScalarView((0..<length).compactMap { Unicode.Scalar(0x4E00 + $0) }))
    let script = TextScript(random.steps(for: length))
    let changed = Array(try #require(script.applied(to: text)).unicodeScalars)
    for (position, scalar) in text.unicodeScalars.enumerated() {
      guard let found = changed.firstIndex(of: scalar) else { continue }
      #expect(script.place(of: position, staysBefore: false) == found)
      #expect(script.place(of: position) <= found)
    }
    #expect(script.place(of: length, staysBefore: false) == changed.count)
    #expect(script.place(of: .max) > 0)
  }
}

@Suite("Comparison of two texts")
struct TextDifferenceTests {
  @Test("the difference of two texts makes one of the other", arguments: 1...500)
  func exact(seed: Int) {
    var random = Generator(seed)
    let old = random.text(0...60)
    let new =
      seed.isMultiple(of: 2)
      ? TextScript(random.steps(for: old.unicodeScalars.count)).applied(to: old) ?? ""
      : random.text(0...60)
    let script = TextScript(from: old, to: new)
    #expect(scalars(script.applied(to: old)) == scalars(new))
    #expect(TextScript(script.steps) == script)
    #expect(TextScript(from: old, to: old).isEmpty)
  }

  @Test("a large text with many changed lines keeps the lines that did not change")
  func lines() throws {
    var random = Generator(7)
    let lines = (0..<2_000).map { "line \($0) \(random.text(20...20))\n" }
    var changed = lines
    for at in stride(from: 5, to: 2_000, by: 40) { changed[at] = "another \(random.next())\n" }
    let script = TextScript(from: lines.joined(), to: changed.joined())
    #expect(scalars(script.applied(to: lines.joined())) == scalars(changed.joined()))
    let deleted = script.steps.reduce(0) {
      if case .delete(let count) = $1 { $0 + count } else { $0 }
    }
    #expect(deleted < 50 * 60)
  }

  @Test("a word is replaced as a whole, and one scalar is inserted alone")
  func words() {
    #expect(TextScript(from: "a cat sat", to: "a dog sat").description == "=2 +\"dog\" -3")
    #expect(TextScript(from: "Oat mlk, two", to: "Oat milk, two").description == "=5 +\"i\"")
    #expect(TextScript(from: "\u{E9}", to: "e\u{301}").steps.count == 2)
  }
}

@Suite("Texts as lists of spans")
struct SpanListTests {
  @Test("a list of spans gives the script of all changes", arguments: 1...200)
  func changes(seed: Int) {
    var random = Generator(seed)
    let old = random.text(0...60)
    let oldLength = old.unicodeScalars.count
    var text = Array(old.unicodeScalars)
    var list = SpanList(length: oldLength)
    for _ in 0..<Int.random(in: 0...600, using: &random) {
      let at = Int.random(in: 0...text.count, using: &random)
      if Int.random(in: 0..<5, using: &random) < 2 {
        let count = Int.random(in: 0...min(6, text.count - at), using: &random)
        text.removeSubrange(at..<at + count)
        list.delete(count, at: at)
      } else {
        var piece = random.text(1...4)
        text.insert(contentsOf: piece.unicodeScalars, at: at)
        let scalars = piece.unicodeScalars.count
        piece.withUTF8 { list.insert(UnsafeRawBufferPointer($0), scalars: scalars, at: at) }
      }
      #expect(list.length == text.count)
    }
    let script = list.script(oldLength: oldLength)
    #expect(scalars(script.applied(to: old)) == text)
    #expect(TextScript(script.steps) == script)
  }
}
