import DaybookJSON
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Values of Foundation's types, and literals.
@Suite struct ValueTests {
  private struct Place: Codable, Equatable {
    var name: String
    var tags: [String]
    var seen: Date?
  }

  @Test("dates, UUIDs, data and anything that is encodable come back from a store as they were")
  func roundTrip() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let (date, uuid) = (Date(timeIntervalSince1970: 1_763_000_000.125), UUID())
    let (data, place) = (Data([0, 255]), Place(name: "Ærø", tags: ["b", "a"]))
    try await store.write { tx in
      try tx.define(
        Definition("things", [.timestamp("at"), .text("key"), .blob("photo"), .json("place")]))
      try tx.insert(
        "things", "1",
        [
          "at": Value(date), "key": Value(uuid), "photo": Value(data),
          "place": try Value(encoding: place),
        ])
    }
    let thing = try #require(try await store.fetch("things", "1"))
    #expect(thing["at"].date == date)
    #expect(thing["key"].uuid == uuid)
    #expect(thing["photo"].data == data)
    #expect(try thing["place"].decoded(as: Place.self) == place)
  }

  @Test("a date that no timestamp can hold is refused, and nothing is written")
  func badDates() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Definition("things", [.timestamp("at")])) }
    for seconds in [.nan, .infinity, -.infinity, 1e300, -1e18, 253_402_300_800] {
      let date = Date(timeIntervalSince1970: seconds)
      let error = await #expect(throws: StoreError.self, "\(seconds)") {
        try await store.write { try $0.insert("things", "1", ["at": Value(date)]) }
      }
      #expect(error?.code == .wrongType, "\(seconds)")
      #expect(error?.message.contains("the year 9999") == true, "\(seconds)")
    }
    #expect(try await store.fetch("things", "1") == nil)
  }

  @Test("what JSON cannot hold, and JSON of another type, is an error")
  func badJSON() throws {
    #expect(throws: StoreError.self) { try Value(encoding: [Double.nan]) }
    #expect(throws: StoreError.self) { try Value(encoding: ["x": UInt64.max]) }
    #expect(throws: StoreError.self) { _ = try Value("text").decoded(as: Place.self) }
    let other = try Value(encoding: ["name": 1])
    #expect(throws: StoreError.self) { _ = try other.decoded(as: Place.self) }
  }

  @Test("two encodings of one dictionary are one value")
  func canonical() throws {
    let keys = (0..<50).map { "k\($0)" }
    let forwards = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    var backwards: [String: Int] = [:]
    for key in keys.reversed() { backwards[key] = 1 }
    #expect(try Value(encoding: forwards) == Value(encoding: backwards))
  }

  private struct Deep: Codable, Hashable {
    enum Kind: Codable, Hashable {
      case plain
      case named(String, Set<Int>)
    }
    var kinds: Set<Kind> = []
    var byKey: [Kind: [UUID: Set<String>]] = [:]
    var byNumber: [Int: Bool?] = [:]
  }

  @Test("equal values are encoded alike, whatever order sets and dictionaries have in memory")
  func sets() throws {
    func shuffled<T: Hashable>(_ elements: [T], _ capacity: Int) -> Set<T> {
      var set = Set<T>(minimumCapacity: capacity)
      for element in elements.shuffled() { set.insert(element) }
      return set
    }
    let ids = (0..<9).map { _ in UUID() }
    func deep(_ capacity: Int) -> Deep {
      var deep = Deep()
      deep.kinds = shuffled(
        [.plain] + (0..<20).map { .named("k\($0)", shuffled(Array(0..<30), capacity)) }, capacity)
      for kind in deep.kinds {
        var byID: [UUID: Set<String>] = Dictionary(minimumCapacity: capacity)
        for id in ids.shuffled() { byID[id] = shuffled(["é", "e", "ab", "a\u{0}"], capacity) }
        deep.byKey[kind] = byID
      }
      deep.byNumber = [1: true, -2: nil, 30: false]
      return deep
    }
    let first = deep(0)
    let value = try Value(encoding: first)
    for capacity in [0, 100, 5000] { #expect(try Value(encoding: deep(capacity)) == value) }
    #expect(try value.decoded(as: Deep.self) == first)
    #expect(
      try Value(encoding: shuffled(["b", "a", "c"], 40)) == .json(Array(#"["a","b","c"]"#.utf8)))
  }

  @Test("dates and decimal numbers in JSON come back exactly, or are refused")
  func exactJSON() throws {
    var random = SplitMix64(seed: 40)
    var seconds: [Double] = [0, 0.5, -0.5, 721_692_800.999, -63_114_076_800, 64_092_211_200]
    for _ in 0..<2000 {
      seconds.append(Double.random(in: -3e9...3e9, using: &random))
      seconds.append(Double.random(in: -1...1, using: &random))
      seconds.append(
        Double(Int64.random(in: -9_999_999_999...9_999_999_999, using: &random)) / 1000)
    }
    for seconds in seconds {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(try Value(encoding: [date]).decoded(as: [Date].self) == [date], "\(seconds)")
    }
    let day = Date(timeIntervalSinceReferenceDate: 721_692_800.999)
    #expect(try Value(encoding: [day]) == .json(Array(#"["2023-11-14T22:13:20.999Z"]"#.utf8)))
    // As it was encoded before there were digits behind the second.
    let old = Value.json(Array(#"["2023-11-14T22:13:20Z"]"#.utf8))
    #expect(try old.decoded(as: [Date].self) == [Date(timeIntervalSince1970: 1_700_000_000)])
    for date in [Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: .nan)] {
      #expect(throws: StoreError.self) { try Value(encoding: date) }
    }
    for text in ["0", "0.1", "-19.99", "1e20", "123456789012.34", "0.000001", "9007199254740993"] {
      let number = try #require(Decimal(string: text))
      #expect(try Value(encoding: number).decoded(as: Decimal.self) == number, "\(text)")
    }
    for text in ["12345678901234567.89", "0.12345678901234567890123", "NaN"] {
      let number = text == "NaN" ? Decimal.nan : try #require(Decimal(string: text))
      let error = #expect(throws: StoreError.self) { try Value(encoding: ["price": number]) }
      #expect(error?.message.contains("price: ") == true)
    }
  }

  @Test("a value is encoded as Foundation's encoder does it, apart from what that leaves open")
  func foundation() throws {
    class Base: Codable {
      var base = 1
    }
    final class Derived: Base {
      enum Keys: CodingKey { case own, nested, list, blank }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encodeNil(forKey: .own)
        try super.encode(to: container.superEncoder())
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1.0)
        var inner = list.nestedContainer(keyedBy: Keys.self)
        try inner.encode(Float(0.1), forKey: .own)
        _ = list.nestedUnkeyedContainer()
        try list.encodeNil()
        try list.encode([Int8(-1): URL(string: "https://example.org/a")])
        _ = container.superEncoder(forKey: .blank)
        // A container that goes on after another has begun.
        try list.encode(list.count)
      }
    }
    struct Numbers: Codable {
      var doubles = [0.0, -0.0, 1, -1.5, 1e15, 9_007_199_254_740_994, 1e16, 1e300, 5e-300, 0.1]
      var floats: [Float] = [0, 1, 16_777_216, 1e10, 0.1]
      var integers: [Int64] = [.min, -1, .max]
      var small: [UInt8?] = [0, nil, 255]
      var texts = ["", "a/b", "\u{0}\u{1F}\"\\", "é😀\u{2028}"]
      var data = Data([1, 2, 255])
      var id = UUID()
      var mark: Bool? = nil
      var kind = Deep.Kind.named("x", [1])
    }
    func check(_ value: some Encodable) throws {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      let theirs = try JSONParser.parse(Array(encoder.encode(value)))
      #expect(try Value(encoding: value) == .json(JSONWriter.canonical(theirs)), "\(value)")
    }
    try check(Derived())
    try check(Numbers())
    try check(7)
    try check("text")
    try check([Int]())
    try check(Optional<Int>.none)
    try check([Date(timeIntervalSince1970: 1_700_000_000), .distantPast, .distantFuture])
  }

  @Test("what is nested too deeply is refused, and one level less is not")
  func depth() throws {
    indirect enum Nested: Encodable {
      case end
      case inside(Nested)
      func encode(to encoder: any Encoder) throws {
        switch self {
        case .end:
          var container = encoder.singleValueContainer()
          try container.encode(1)
        case .inside(let nested):
          var container = encoder.unkeyedContainer()
          try container.encode(nested)
        }
      }
    }
    func nested(_ depth: Int) -> Nested {
      (0..<depth).reduce(.end) { nested, _ in .inside(nested) }
    }
    let deepest = try Value(encoding: nested(JSONParser.depthMax))
    guard case .json(let bytes) = deepest else { throw StoreError(.other, "no JSON") }
    _ = try JSONParser.parse(bytes)
    for depth in [JSONParser.depthMax + 1, 1000] {
      #expect(throws: StoreError.self) { try Value(encoding: nested(depth)) }
    }
  }

  @Test("literals are values of their type")
  func literals() {
    let values: [Value] = [true, 7, 1.5, "oat", "\("oat") milk"]
    #expect(
      values == [.boolean(true), .integer(7), .real(1.5), .text("oat"), .text("oat milk")])
  }
}
