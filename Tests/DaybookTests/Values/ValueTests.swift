import Foundation
import Testing

@testable import Daybook

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

  @Test("literals are values of their type")
  func literals() {
    let values: [Value] = [true, 7, 1.5, "oat", "\("oat") milk"]
    #expect(
      values == [.boolean(true), .integer(7), .real(1.5), .text("oat"), .text("oat milk")])
  }
}
