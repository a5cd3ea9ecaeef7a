import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Enumerations, sets, and optional values in ranges.
@Suite struct EnumerationQueryTests {
  /// The order of the cases is neither that of their raw values nor that of the list.
  enum Level: String, Codable, CaseIterable, Comparable {
    case high, low, mid

    private var weight: Int { [.low: 0, .mid: 1, .high: 2][self] ?? 0 }
    static func < (a: Level, b: Level) -> Bool { a.weight < b.weight }
  }

  /// A raw value that is no enumeration.
  struct Grade: RawRepresentable, Codable, Hashable, Comparable {
    var rawValue: Int
    static func < (a: Grade, b: Grade) -> Bool { a.rawValue < b.rawValue }
  }

  struct Task: Entity, Equatable {
    static let collection = "tasks"
    static let fields: [EntityField<Task>] = [
      .field("level", \.level), .field("last", \.last), .field("grade", \.grade),
      .field("size", \.size), .field("levels", \.levels), .field("past", \.past),
      .field("marks", \.marks), .field("parent", \.parent),
    ]
    var id = ID()
    var level = Level.mid
    var last: Level?
    var grade = Grade(rawValue: 0)
    var size: Int?
    var levels: Set<Level> = []
    var past: [Level]?
    var marks: Set<Int>?
    var parent: Task.ID?
  }

  private func store(_ place: SyncPlace) async throws -> Store {
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Task.self])
    try await store.write { tx in
      try tx.insert([
        Task(
          id: "a", level: .low, last: .high, grade: .init(rawValue: 9), size: 1, levels: [.low],
          past: [.mid, .high], marks: [1, 2]),
        Task(id: "b", level: .high, grade: .init(rawValue: 10), size: 3, levels: [.low, .high]),
        Task(id: "c", level: .mid, last: .low, past: [], marks: [], parent: "a"),
      ])
      // Of a newer app.
      try tx.insert("tasks", "d", ["level": "extreme", "last": "extreme", "size": 2])
    }
    return store
  }

  @Test("cases compare, sort and page as Swift compares them, and unknown ones as they are shown")
  func order() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    func ids(_ query: EntityQuery<Task>) async throws -> String {
      try await store.fetch(query.order(by: \.id)).map(\.id.rawValue).joined()
    }
    #expect(try await ids(Task.where { $0.level < .high }) == "acd")
    #expect(try await ids(Task.where { $0.level <= .low }) == "a")
    #expect(try await ids(Task.where { $0.level > .low }) == "bcd")
    #expect(try await ids(Task.where { !($0.level >= .mid) }) == "a")
    #expect(try await ids(Task.where { $0.level.in(.low ... .mid) }) == "acd")
    #expect(try await ids(Task.where { $0.level.in(.low ..< .mid) }) == "a")
    #expect(try await ids(Task.where { $0.last >= .low }) == "ac")
    #expect(try await ids(Task.where { $0.last.in(.mid ... .high) }) == "a")
    #expect(try await ids(Task.where { $0.last.in([nil, .low]) }) == "bcd")
    #expect(try await ids(Task.where { $0.grade > Grade(rawValue: 9) }) == "b")
    #expect(try await ids(Task.where { $0.level == $0.level && $0.last != $0.last }) == "")
    #expect(try await ids(Task.where { $0.parent.level < .mid }) == "c")
    for (direction, expected) in [(SortDirection.ascending, "acdb"), (.descending, "bcda")] {
      let query = Task.all.order(by: \.level, direction)
      let found = try await store.fetch(query)
      #expect(found.map(\.id.rawValue).joined() == expected)
      for (index, task) in found.enumerated() {
        #expect(try await store.fetch(query.after(task)) == Array(found.dropFirst(index + 1)))
      }
    }
    let byLast = try await store.fetch(Task.all.order(by: \.last))
    #expect(byLast.map(\.id.rawValue).joined() == "bdca")
    try await store.close()
  }

  @Test("entities are grouped by cases; an unknown one is in the group of what it shows")
  func groups() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let levels = try await store.fetch(Task.all.grouped(by: \.level).count())
    #expect(levels.map(\.key) == [.high, .low, .mid] && levels.map(\.value) == [1, 1, 2])
    let lasts = try await store.fetch(Task.all.grouped(by: \.last).count())
    #expect(lasts.map(\.key) == [nil, .high, .low] && lasts.map(\.value) == [2, 1, 1])
    let parents = try await store.fetch(Task.all.grouped { $0.parent.level }.count())
    #expect(parents.map(\.key) == [nil, .low] && parents.map(\.value) == [3, 1])
    try await store.close()
  }

  @Test("arrays and sets contain cases, and optional numbers lie in ranges")
  func contents() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    func ids(_ query: EntityQuery<Task>) async throws -> String {
      try await store.fetch(query.order(by: \.id)).map(\.id.rawValue).joined()
    }
    #expect(try await ids(Task.where { $0.levels.contains(.low) }) == "ab")
    #expect(try await ids(Task.where { !$0.levels.contains(.low) }) == "cd")
    #expect(try await ids(Task.where { $0.past.contains(.high) }) == "a")
    #expect(try await ids(Task.where { $0.marks.contains(2) }) == "a")
    #expect(try await ids(Task.where { $0.parent.levels.contains(.low) }) == "c")
    #expect(try await ids(Task.where { $0.size.in(1...2) }) == "ad")
    #expect(try await ids(Task.where { $0.size.in(1..<2) }) == "a")
    #expect(try await ids(Task.where { !$0.size.in(1...2) }) == "bc")
    let sizes = [3, 4]
    #expect(try await ids(Task.where { $0.size.in(sizes) }) == "b")
    try await store.close()
  }
}
