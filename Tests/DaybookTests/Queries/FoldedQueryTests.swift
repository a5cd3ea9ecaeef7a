import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Texts that are compared without case and across Unicode's forms, and forms with an escape.
@Suite struct FoldedQueryTests {
  struct Place: Entity, Equatable {
    static let collection = "places"
    static let fields: [EntityField<Place>] = [
      .field("name", \.name), .field("other", \.other), .field("parent", \.parent),
    ]
    var id = ID()
    var name = ""
    var other: String?
    var parent: Place.ID?
  }

  private static let names = [
    "Café", "CAFE\u{301}", "cafe", "Straße", "STRASSE", "Ελλάς", "ΕΛΛΑ\u{301}Σ", "", "Ä\u{0}B",
    "100%", "100 and", "a_b", "ᾴ", "\u{3B1}\u{345}\u{301}",
  ]

  private func store(_ place: SyncPlace) async throws -> Store {
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Place.self])
    try await store.write { tx in
      for (number, name) in Self.names.enumerated() {
        let id = Place.ID(String(UnicodeScalar(UInt8(97 + number))))
        try tx.insert(Place(id: id, name: name, other: number % 2 == 0 ? name : nil, parent: "a"))
      }
    }
    return store
  }

  @Test("folded texts are the same in either case and form; accents and NULs count")
  func conditions() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    func ids(_ query: EntityQuery<Place>) async throws -> String {
      try await store.fetch(query.order(by: \.id)).map(\.id.rawValue).joined()
    }
    #expect(try await ids(Place.where { $0.name.folded == "cAFÉ" }) == "ab")
    #expect(try await ids(Place.where { $0.name.folded != "cAFÉ" }) == "cdefghijklmn")
    #expect(try await ids(Place.where { $0.name.folded == "strasse" }) == "de")
    #expect(try await ids(Place.where { $0.name.folded.in(["ελλάσ", "CAFE"]) }) == "cfg")
    #expect(try await ids(Place.where { $0.name.folded.hasPrefix("CAF") }) == "abc")
    #expect(try await ids(Place.where { $0.name.folded.hasSuffix("É") }) == "ab")
    #expect(try await ids(Place.where { $0.name.folded.contains("SS") }) == "de")
    #expect(try await ids(Place.where { $0.name.folded == "ä\u{0}b" }) == "i")
    #expect(try await ids(Place.where { $0.name.folded == "ä" }) == "")
    #expect(try await ids(Place.where { $0.name.folded.like("CAF_") }) == "abc")
    #expect(try await ids(Place.where { $0.name.folded == "ᾴ" }) == "mn")
    #expect(try await ids(Place.where { $0.name.folded >= "C" && $0.name.folded < "d" }) == "abc")
    #expect(try await ids(Place.where { $0.other.folded == "CAFÉ" }) == "a")
    #expect(try await ids(Place.where { $0.other.folded == nil }) == "bdfhjln")
    #expect(try await ids(Place.where { $0.parent.name.folded == "CAFÉ" }.limit(2)) == "ab")
    #expect(try await ids(Place.where { $0.name.folded == $0.parent.name.folded }) == "ab")
    try await store.close()
  }

  @Test("an order and groups without case, and pages in that order")
  func orders() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let query = Place.where { $0.name < "u" }.order { $0.name.folded }
    let found = try await store.fetch(query)
    #expect(found.map(\.id.rawValue).joined() == "hkjlcabde")
    for (index, entity) in found.enumerated() {
      #expect(try await store.fetch(query.after(entity)) == Array(found.dropFirst(index + 1)))
    }
    let groups = try await store.fetch(Place.all.grouped { $0.name.folded }.count())
    #expect(groups.count == 10)
    #expect(groups.filter { $0.value == 2 }.map(\.key) == ["café", "strasse", "άι", "ελλάσ"])
    try await store.close()
  }

  @Test("an escape makes the signs of a form stand for themselves")
  func escapes() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    func ids(_ query: EntityQuery<Place>) async throws -> String {
      try await store.fetch(query.order(by: \.id)).map(\.id.rawValue).joined()
    }
    #expect(try await ids(Place.where { $0.name.like("100%") }) == "jk")
    #expect(try await ids(Place.where { $0.name.like("100\\%", escape: "\\") }) == "j")
    #expect(try await ids(Place.where { $0.name.like("a!_b", escape: "!") }) == "l")
    #expect(try await ids(Place.where { $0.name.folded.like("A!_B", escape: "!") }) == "l")
    let wrong = [
      Place.where { $0.name.like("a", escape: "\0") },
      Place.where { $0.name.folded.like("a", escape: "X") },
    ]
    for query in wrong {
      await #expect { try await store.fetch(query) } throws: {
        ($0 as? StoreError)?.code == .invalidQuery && ($0 as? StoreError)?.hint != nil
      }
    }
    try await store.close()
  }

  @Test("SQL has the function on every connection, and other values are as they are")
  func functions() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let sql = "SELECT count(*) FROM places WHERE daybook_folded(name) = 'café'"
    #expect(try await store.read { try Int.fetchOne($0, sql: sql) } == 2)
    let within = try await store.write { tx in try Int.fetchOne(tx.database, sql: sql) }
    #expect(within == 2)
    let past = try await store.at(.time(.max)).read { db, _ in try Int.fetchOne(db, sql: sql) }
    #expect(past == 2)
    let reader = try await Store.open(
      at: place.folder.appending(path: "a"), options: .init(isReadOnly: true))
    #expect(try await reader.read { try Int.fetchOne($0, sql: sql) } == 2)
    try await reader.close()
    let others = try await store.read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT daybook_folded(NULL) IS NULL, daybook_folded(7) = 7, daybook_folded(x'41') = x'41',
            daybook_folded('') = '', daybook_start('x', 0) IS NULL, daybook_start(7, -9) IS NULL,
            daybook_start('2026-01-01 00:00:00.000', 1 << 62) IS NULL
          """)
      return row.map { Array($0.databaseValues) } ?? []
    }
    #expect(others == Array(repeating: true.databaseValue, count: 7))
    try await store.close()
  }
}
