import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import DaybookProjections

/// Pages of conflicts and hidden values, compared with the whole lists.
@Suite struct ListedTests {
  private func delivered(_ seed: UInt64, _ folder: ProjectionFolder) throws -> ReadModelProbe {
    let source = ArrayEventSource(EventSetGenerator.events(seed: seed))
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    return probe
  }

  /// Reads pages to the end of a list.
  private func pages<Item>(limit: Int, _ page: ([Cell]?, Int) throws -> [Listed<Item>]) throws
    -> [Item]
  {
    var found: [Item] = []
    var key: [Cell]?
    while true {
      let next = try page(key, limit)
      #expect(next.count <= limit)
      found += next.map(\.item)
      guard next.count == limit else { return found }
      key = next.last?.key
    }
  }

  @Test(
    "pages of conflicts of any size, with any filter, are the whole list, filtered",
    arguments: ProjectorPropertyTests.seeds)
  func conflicts(seed: UInt64) throws {
    let folder = try ProjectionFolder()
    let probe = try delivered(seed, folder)
    var random = SplitMix64(seed: seed)
    try probe.view { view, _ in
      let all = try view.conflicts()
      for limit in [1, random.pick(2...7)] {
        let found = try pages(limit: limit) {
          try view.conflicts(ConflictFilter(), after: $0, limit: $1)
        }
        #expect(found == all, "seed \(seed), pages of \(limit)")
      }
      for _ in 0..<10 where !all.isEmpty {
        let (one, other) = (random.pick(all), random.pick(all))
        var filter = ConflictFilter()
        if random.chance(50) { filter.collection = one.collection }
        if random.chance(40) { filter.id = one.id }
        // A first name means that field, unless another field has it as its current name.
        if random.chance(40) { filter.field = other.field }
        if random.chance(40) { filter.actor = other.writes[0].author.actor }
        let wanted = all.filter { conflict in
          let schema = view.schema[conflict.collection].flatMap {
            $0.isLocal == conflict.isLocal ? $0 : nil
          }
          let field = filter.field.map { schema?[field: $0]?.identity ?? $0 }
          return filter.collection.map(conflict.collection.isSame) ?? true
            && filter.id.map { id in conflict.id.map(id.isSame) ?? false } ?? true
            && field.map(conflict.field.isSame) ?? true
            && filter.actor.map { actor in
              conflict.writes.contains { $0.author.actor.isSame(as: actor) }
            } ?? true
        }
        let found = try pages(limit: random.pick(1...5)) {
          try view.conflicts(filter, after: $0, limit: $1)
        }
        #expect(found == wanted, "seed \(seed), \(filter)")
      }
    }
  }

  @Test("hidden values come by kind, then by field, in pages of any size")
  func hiddenOrder() throws {
    func field(_ name: String, _ attribute: String) -> Definition.Field {
      var field = Definition.Field(name, ["type": .text("text"), attribute: .boolean(true)])
      if attribute == "tree" { field.attributes["references"] = .text("notes") }
      return field
    }
    let ids = ["a", "b", "c", "d"]
    var inserts: [DaybookEventCore.Operation] = []
    for (number, id) in ids.enumerated() {
      inserts.append(
        .insert(
          id,
          [
            "mail": .text("m\(number / 2)"), "code": .text("c\(number / 2)"),
            "above": .text(ids[number ^ 1]),
            "over": .text(ids[number ^ 1]), "title": .integer(1), "body": .integer(2),
          ]))
    }
    let fixture = try QueryFixture(
      inserts + [
        .define(
          Definition(
            collection: "notes",
            fields: [
              field("mail", "unique"), field("code", "unique"), field("above", "tree"),
              field("over", "tree"), field("title", "index"), field("body", "index"),
            ]))
      ])
    try fixture.probe.view { view, _ in
      let all = try view.hidden()
      for limit in 1...all.count {
        let found = try pages(limit: limit) { try view.hidden(after: $0, limit: $1) }
        #expect(found == all, "pages of \(limit)")
      }
      #expect(
        all.map { "\($0.field) \($0.id)" } == [
          "body a", "title a", "body c", "title c", "code b", "code d", "mail b", "mail d",
          "above b", "above d", "over b", "over d",
        ])
    }
  }

  @Test(
    "pages of hidden values of any size are what internal tables say of the shown collections",
    arguments: ProjectorPropertyTests.seeds)
  func hidden(seed: UInt64) throws {
    let folder = try ProjectionFolder()
    let probe = try delivered(seed, folder)
    var random = SplitMix64(seed: seed)
    try probe.view { view, db in
      let all = try view.hidden()
      let counts = try [
        "_daybook_misfits", "_daybook_parked", "_daybook_cycles",
      ].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 }
      let unfit = try view.schema.sorted.reduce(0) { sum, collection in
        let sql = "SELECT count(*) FROM _daybook_unfit WHERE collection = ?"
        return try sum + (Int.fetchOne(db, sql: sql, arguments: [collection.identity]) ?? 0)
      }
      // By bytes: texts that Unicode regards as equivalent are different ids.
      let different = Set(
        all.map { [$0.collection, $0.id, $0.field, "\($0.reason)"].map { Array($0.utf8) } })
      #expect(
        all.count == counts.reduce(unfit, +) && different.count == all.count, "seed \(seed)")
      let parked = all.compactMap { value -> [[UInt8]]? in
        guard case .parked(let owner) = value.reason else { return nil }
        return [Array(value.id.utf8), Array(owner.utf8)]
      }
      // As bytes, because a text may have a NUL.
      let rows = try Row.fetchAll(
        db, sql: "SELECT CAST(id AS BLOB), CAST(owner AS BLOB) FROM _daybook_parked"
      ).map { row -> [[UInt8]] in
        let (id, owner): (Data, Data) = (row[0], row[1])
        return [Array(id), Array(owner)]
      }
      #expect(Set(parked) == Set(rows), "seed \(seed)")
      for limit in [1, random.pick(2...7)] {
        let found = try pages(limit: limit) { try view.hidden(after: $0, limit: $1) }
        #expect(found == all, "seed \(seed), pages of \(limit)")
      }
      for value in all.prefix(5) {
        let found = try pages(limit: 1) {
          try view.hidden(in: value.collection, id: value.id, after: $0, limit: $1)
        }
        let wanted = all.filter {
          $0.collection == value.collection && $0.id.isSame(as: value.id)
        }
        #expect(found == wanted, "seed \(seed), \(value.id)")
      }
    }
  }
}
