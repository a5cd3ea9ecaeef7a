import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Groups by dates and expressions, selected properties, and what of these is live.
@Suite struct GroupQueryTests {
  struct Folder: Entity, Equatable {
    static let collection = "folders"
    static let fields: [EntityField<Folder>] = [.field("name", \.name)]
    var id = ID()
    var name = ""
  }

  struct Note: Entity, Equatable {
    enum Kind: String, Codable, CaseIterable { case plain, list }
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title), .field("due", \.due), .field("done", \.done),
      .field("folder", \.folder), .field("kind", \.kind), .field("tags", \.tags),
    ]
    var id = ID()
    var title = ""
    var due = Date.distantPast
    var done: Date?
    var folder: Folder.ID?
    var kind = Kind.plain
    var tags: [String] = []

    var shouted: String { title.uppercased() }
  }

  private func store(_ place: SyncPlace) async throws -> Store {
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Folder.self, Note.self])
    try await store.write { tx in
      try tx.insert([Folder(id: "x", name: "Home"), Folder(id: "y", name: "Work")])
      try tx.insert([
        Note(id: "a", title: "one", folder: "x", tags: ["t"]),
        Note(id: "b", title: "two", folder: "y", kind: .list),
        Note(id: "c", title: "two", folder: "y"), Note(id: "d", title: "four"),
      ])
    }
    return store
  }

  @Test("dates are grouped by the units of a calendar, across changes of the clock")
  func dates() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Folder.self, Note.self])
    var random = SplitMix64(seed: 5)
    let hours = 366 * 24
    let dates =
      (0..<400).map { _ in
        // In and around 2026, and some long before.
        Date(
          timeIntervalSince1970: 1_767_000_000 + 3571
            * Double(Int.random(in: 0..<hours, using: &random)))
      } + [Date(timeIntervalSince1970: -9e9), .distantPast]
    try await store.write { tx in
      for (number, date) in dates.enumerated() {
        try tx.insert(Note(title: "\(number)", due: date, done: number % 2 == 0 ? date : nil))
      }
    }
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "GMT+0530", "UTC"]
    for zone in zones {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = try #require(TimeZone(identifier: zone))
      calendar.firstWeekday = 2
      let units: [(DateUnit, Calendar.Component)] = [
        (.hour, .hour), (.day, .day), (.week, .weekOfYear), (.month, .month), (.year, .year),
      ]
      for (unit, component) in units {
        func start(_ date: Date) -> Date {
          let start = calendar.dateInterval(of: component, for: date)?.start ?? date
          return max(start, .distantPast)
        }
        let expected = Dictionary(grouping: dates.dropLast(), by: start).mapValues(\.count)
        let recent = Note.where { $0.due > .distantPast }
        let found = try await store.fetch(
          recent.grouped { [calendar] in $0.due.start(of: unit, in: calendar) }.count())
        #expect(found.map(\.key) == expected.keys.sorted(), "\(zone) \(unit)")
        #expect(found.allSatisfy { expected[$0.key] == $0.value }, "\(zone) \(unit)")
      }
    }
    var utc = Calendar(identifier: .gregorian)
    utc.timeZone = .gmt
    let day = dates[0]
    let start = utc.startOfDay(for: day)
    let same = try await store.fetch(
      Note.where { [utc] in $0.due.start(of: .day, in: utc) == start }.count())
    #expect(same == dates.count { utc.startOfDay(for: $0) == start })
    let never = try await store.fetch(
      Note.where { $0.due < Date(timeIntervalSince1970: -1e10) }
        .grouped { [utc] in $0.due.start(of: .year, in: utc) }.count())
    #expect(never.map(\.key) == [.distantPast])
    let done = try await store.fetch(
      Note.all.grouped { [utc] in $0.done.start(of: .year, in: utc) }.count())
    #expect(done.first?.key == nil && done.first?.value == dates.count / 2)
    try await store.close()
  }

  @Test("groups are ordered by a value about each, limited, and made of what a closure names")
  func groups() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let named = try await store.fetch(
      Note.all.grouped { $0.folder.name }.order(.descending) { $0.count }.count())
    #expect(named.map(\.key) == ["Work", nil, "Home"] && named.map(\.value) == [2, 1, 1])
    let first = try await store.fetch(
      Note.all.grouped(by: \.title).order(.descending) { $0.count }.limit(1).count())
    #expect(first.map(\.key) == ["two"])
    let last = try await store.fetch(
      Note.all.grouped(by: \.folder).having { $0.count < 3 }.order { $0.max(of: \.title) }
        .aggregate { $0.min(of: \.title) })
    #expect(last.map(\.value) == ["four", "one", "two"])
    await #expect {
      try await store.fetch(Note.all.grouped(by: \.title).limit(-1).count())
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery && "\($0)".contains("limit")
    }
    await #expect { try await store.fetch(Note.all.grouped(by: \.shouted).count()) } throws: {
      "\($0)".contains("no stored property")
    }
    try await store.close()
  }

  @Test("properties are selected as an entity shows them, and values once each")
  func selections() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let byID = Note.all.order(by: \.id)
    #expect(try await store.fetch(byID.selecting(\.title)) == ["one", "two", "two", "four"])
    #expect(try await store.fetch(byID.selecting(\.folder)) == ["x", "y", "y", nil])
    #expect(try await store.fetch(byID.selecting(\.id)) == ["a", "b", "c", "d"])
    #expect(try await store.fetch(byID.selecting(\.kind)) == [.plain, .list, .plain, .plain])
    #expect(try await store.fetch(byID.selecting(\.tags)) == [["t"], [], [], []])
    #expect(try await store.fetch(byID.selecting(\.done)) == [nil, nil, nil, nil])
    #expect(
      try await store.fetch(byID.selecting { $0.folder.name }) == ["Home", "Work", "Work", nil])
    let rows = try await store.fetch(byID.limit(2).selecting(\.title, \.kind, \.folder, \.id))
    #expect(rows.map(\.0) == ["one", "two"] && rows.map(\.1) == [.plain, .list])
    #expect(rows.map(\.2) == ["x", "y"] && rows.map(\.3) == ["a", "b"])
    let titles = Note.all.selecting(\.title)
    #expect(try await store.fetch(titles.distinct()) == ["four", "one", "two"])
    #expect(try await store.fetch(titles.count()) == 4)
    #expect(try await store.fetch(titles.distinct().count()) == 3)
    #expect(try await store.fetch(byID.limit(1).offset(1).selecting(\.title).distinct()) == ["two"])
    let pairs = try await store.fetch(Note.all.selecting(\.title, \.folder).distinct())
    #expect(pairs.map(\.0) == ["four", "one", "two"] && pairs.map(\.1) == [nil, "x", "y"])
    let names = Note.where { $0.id != "a" }.selecting { $0.folder.name }.distinct()
    #expect(try await store.fetch(names) == [nil, "Work"])
    let used = Folder.where { folder in
      folder.name.in(Folder.where { $0.id.isReferenced(by: \Note.folder) }.selecting(\.name))
    }
    #expect(try await store.fetch(used.count()) == 2)
    #expect(titles == Note.all.selecting(\.title) && titles != titles.distinct())
    await #expect { try await store.fetch(Note.all.selecting(\.shouted)) } throws: {
      "\($0)".contains("no stored property")
    }
    try await store.close()
  }

  @Test("groups, selections and inclusions are live")
  func live() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    var groups = store.observe(Note.all.grouped { $0.folder.name }.count()).makeAsyncIterator()
    var titles = store.observe(Note.all.selecting(\.title).distinct()).makeAsyncIterator()
    var rows = store.observe(Note.all.order(by: \.id).including(\.folder)).makeAsyncIterator()
    #expect(try await groups.next()?.map(\.key) == [nil, "Home", "Work"])
    #expect(try await titles.next() == ["four", "one", "two"])
    #expect(try await rows.next()?.map { $0.related?.name } == ["Home", "Work", "Work", nil])
    try await store.write { tx in try tx.update(Folder.ID("y")) { $0.name = "Job" } }
    #expect(try await groups.next()?.map(\.key) == [nil, "Home", "Job"])
    #expect(try await rows.next()?.map { $0.related?.name } == ["Home", "Job", "Job", nil])
    try await store.write { tx in try tx.update(Note.ID("d")) { $0.title = "five" } }
    #expect(try await titles.next() == ["five", "one", "two"])
    #expect(try await rows.next()?.last?.entity.title == "five")
    try await store.close()
  }
}
