import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Indexes of an order, compared with binary fractions that are found by halving.
@Suite struct FractionalIndexTests {
  /// The bits of an index behind the point, without zeros at the end.
  private static func bits(_ index: FractionalIndex) -> [Bool] {
    let digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
    var bits: [Bool] = []
    for character in index.text {
      guard let digit = digits.firstIndex(of: character) else { return [] }
      let value = digits.distance(from: digits.startIndex, to: digit)
      bits += (0..<6).map { value >> (5 - $0) & 1 == 1 }
    }
    while bits.last == false { bits.removeLast() }
    return bits
  }

  private static func isLess(_ a: [Bool], _ b: [Bool]) -> Bool {
    a.lexicographicallyPrecedes(b) { !$0 && $1 }
  }

  /// Halves the numbers between 0 and 1 until a middle is between two others.
  private static func halved(_ low: [Bool], _ high: [Bool]) -> [Bool] {
    var path: [Bool] = []
    while true {
      let middle = path + [true]
      if !isLess(low, middle) {
        path.append(true)
      } else if !isLess(middle, high) {
        path.append(false)
      } else {
        return middle
      }
    }
  }

  /// A regular index of up to a few characters.
  private static func index(_ random: inout SplitMix64) -> FractionalIndex {
    let digits = Array("-0VZ_az")
    while true {
      let length = Int.random(in: 1...4, using: &random)
      let text = String((0..<length).map { _ in digits.randomElement(using: &random) ?? "V" })
      let index = FractionalIndex(text)
      if index.isRegular { return index }
    }
  }

  @Test("between two indexes is the binary fraction with the fewest bits", arguments: 0..<4)
  func simplest(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<2000 {
      let (a, b) = (Self.index(&random), Self.index(&random))
      guard a != b else { continue }
      let (low, high) = (min(a, b), max(a, b))
      let middle = try FractionalIndex.between(low, high)
      #expect(low < middle && middle < high && middle.isRegular)
      #expect(Self.bits(middle) == Self.halved(Self.bits(low), Self.bits(high)))
      #expect(FractionalIndex.after(low) > low && FractionalIndex.before(high) < high)
      #expect(FractionalIndex.after(low).isRegular && FractionalIndex.before(high).isRegular)
    }
  }

  @Test("indexes that are appended or put in front stay short")
  func ends() throws {
    for isAppended in [true, false] {
      var index = FractionalIndex.first
      for count in 1...300_000 {
        let next = isAppended ? FractionalIndex.after(index) : .before(index)
        guard isAppended ? index < next : next < index else {
          Issue.record("\(next) beside \(index)")
          return
        }
        index = next
        let limit = count < 64 ? 2 : count < 64 + 4096 ? 3 : count < 64 + 4096 + 262_144 ? 4 : 5
        if index.text.utf8.count > limit { Issue.record("\(index) after \(count)") }
      }
      #expect(index.text.utf8.count == 5 && index.isRegular)
    }
  }

  @Test("the greatest and the least indexes have others beyond them")
  func beyond() throws {
    var last = FractionalIndex(String(repeating: "z", count: 33))
    var first = FractionalIndex(String(repeating: "-", count: 32) + "0")
    for _ in 0..<20 {
      let (next, previous) = (FractionalIndex.after(last), FractionalIndex.before(first))
      #expect(next > last && next.isRegular && previous < first && previous.isRegular)
      #expect(previous.text.utf8.count <= 37 && next.text.utf8.count <= 37)
      (last, first) = (next, previous)
    }
    #expect(FractionalIndex.after(FractionalIndex("W")) == FractionalIndex("W-0"))
    #expect(FractionalIndex.after(FractionalIndex("Vz")) == FractionalIndex("W"))
    #expect(FractionalIndex.before(FractionalIndex("V")) == FractionalIndex("Uz"))
    #expect(FractionalIndex.before(FractionalIndex("U")) == FractionalIndex("Tzz"))
    #expect(FractionalIndex.before(FractionalIndex("UVV")) == FractionalIndex("UV"))
    #expect(FractionalIndex.after(FractionalIndex("VVV")) == FractionalIndex("VW"))
    for high in ["V0", "VVV", "W", "zz"] {
      #expect(FractionalIndex.before(FractionalIndex(high)) == .first)
    }
    for low in ["U", "UVV", "0", "-0"] {
      #expect(FractionalIndex.after(FractionalIndex(low)) == .first)
    }
  }

  /// Where each index is put: beside the last one.
  enum Habit: CaseIterable { case behind, before, inTurn, random }

  @Test("one place takes six indexes for each character", arguments: Habit.allCases)
  func onePlace(habit: Habit) throws {
    var random = SplitMix64(seed: 1)
    var (low, high) = (FractionalIndex("V"), FractionalIndex("V0"))
    for count in 1...3000 {
      let middle = try FractionalIndex.between(low, high)
      #expect(low < middle && middle < high)
      #expect(middle.text.utf8.count <= 2 + (count + 5) / 6)
      let isBehind =
        switch habit {
        case .behind: true
        case .before: false
        case .inTurn: count.isMultiple(of: 2)
        case .random: Bool.random(using: &random)
        }
      if isBehind { low = middle } else { high = middle }
    }
  }

  @Test("many at once ascend, are between their neighbours, and are short", arguments: 0..<3)
  func several(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<200 {
      let (a, b) = (Self.index(&random), Self.index(&random))
      guard a != b else { continue }
      let (low, high) = (min(a, b), max(a, b))
      let count = Int.random(in: 0...1000, using: &random)
      let inner = try FractionalIndex.between(low, high, count: count)
      #expect(inner.count == count)
      let all = [low] + inner + [high]
      #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 } && inner.allSatisfy(\.isRegular))
      let bits = max(Self.bits(low).count, Self.bits(high).count) + 10
      #expect(inner.allSatisfy { Self.bits($0).count <= bits })
      let open: [(FractionalIndex?, FractionalIndex?)] = [(low, nil), (nil, high), (nil, nil)]
      for (low, high) in open {
        let row = try FractionalIndex.between(low, high, count: count)
        let all = (low.map { [$0] } ?? []) + row + (high.map { [$0] } ?? [])
        #expect(row.count == count && zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        // A neighbour far from the middle may have all digits of a whole number.
        let longest = row.map(\.text.utf8.count).max() ?? 0
        #expect(longest <= (low == nil && high == nil ? 3 : 35))
      }
    }
    #expect(try FractionalIndex.between(.first, nil, count: -1).isEmpty)
  }

  @Test("equal, descending and irregular neighbours are an error that names the cure")
  func refused() throws {
    let b = FractionalIndex("b")
    for (low, high) in [("b", "b"), ("c", "b"), ("", "b"), ("a-", "b"), ("a b", "b"), ("é", "z")] {
      let error = #expect(throws: StoreError.self) {
        try FractionalIndex.between(FractionalIndex(low), FractionalIndex(high))
      }
      #expect(error?.code == .noPlace && error?.hint?.contains("moving") == true)
      #expect(throws: StoreError.self) {
        try FractionalIndex.between(FractionalIndex(low), FractionalIndex(high), count: 0)
      }
    }
    #expect(try FractionalIndex.between(nil, b) < b)
    #expect(try FractionalIndex.between(b, nil) > b)
    #expect(try FractionalIndex.between(nil, nil) == .first)
  }

  static let foreign = [
    "", "-", "a-", "--------", " ", "hello world", "é", "\u{0}", "z{", "日本", "0.5", "a\nb", "~",
    String(repeating: "z", count: 100_000), String(repeating: "-", count: 100_000), "V!", "W{",
  ]

  @Test("a text that was not made here is an index with an order", arguments: foreign)
  func foreignText(text: String) throws {
    let index = FractionalIndex(text)
    #expect(index.isRegular == (text.hasPrefix("zz")))
    for other in Self.foreign + ["V", "a"] {
      let expected = Array(text.utf8).lexicographicallyPrecedes(Array(other.utf8))
      #expect((index < FractionalIndex(other)) == expected)
    }
    #expect(FractionalIndex.after(index).isRegular && FractionalIndex.before(index).isRegular)
    let copy = try JSONDecoder().decode(
      [FractionalIndex].self, from: JSONEncoder().encode([index]))
    #expect(copy == [index] && index.storedValue == .text(text) && index.description == text)
  }

  @Test("equality and order are those of bytes, whatever the form of Unicode")
  func bytes() {
    let (one, two) = (FractionalIndex("\u{E9}"), FractionalIndex("e\u{301}"))
    #expect(one != two && Set([one, two]).count == 2 && two < one)
  }
}
