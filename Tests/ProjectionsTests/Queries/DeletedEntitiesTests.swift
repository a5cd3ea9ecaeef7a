import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

@Suite struct DeletedEntitiesTests {
  /// A history in which three authors insert, change, delete, restore and erase the same few
  /// entities, partly without having seen each other's writes, and a hub stamps some of it.
  private func history(seed: UInt64) -> TestHistory {
    var history = TestHistory()
    var random = SplitMix64(seed: seed)
    let names = ["notes", "tags", "undeclared"]
    history.write(
      "ann", at: 1, .notes(["title": "text", "body": "text", "weight": "real"]),
      .define(
        Definition(collection: "tags", fields: [.text("color")])))
    let words = ["Oat milk", "éclair", "soy MILK\0x", "Coffee", ""]
    for step in 0..<80 {
      let author = random.pick(["ann", "bob", "cat"])
      var seen: [String: UInt64] = [:]
      for other in ["ann", "bob", "cat"] where other != author && random.chance(70) {
        seen[other] = history.authors[other]?.sequence
      }
      let operations = (0..<random.pick([1, 1, 2, 6])).map { _ -> DaybookEventCore.Operation in
        let (name, id) = (random.pick(names), "e\(random.pick(0...20))")
        switch random.pick(0...9) {
        case 0...3:
          return .insert(
            collection: name, id: id,
            fields: [
              random.pick(["title", "body", "color"]): .text(random.pick(words)),
              "weight": .real(Double(step)),
            ])
        case 4:
          return .update(collection: name, id: id, fields: ["title": .text(random.pick(words))])
        case 5...8: return .delete(collection: name, id: id)
        case 9 where random.chance(50): return .restore(collection: name, id: id)
        default: return .erase(collection: name, id: id)
        }
      }
      // Clocks run backwards at times, and several events have the same time.
      history.append(
        author, .transaction, Int64(100 + step / 2 + random.pick(-9...9)), seen, operations,
        actor: random.pick([author, "shared"]))
      if random.chance(30), let last = history.authors[author]?.sequence {
        let first = UInt64(random.pick(1...Int(last)))
        history.stamp("hub", author, first...last, at: Int64(100 + random.pick(0...60)))
      }
    }
    // Whatever the seed, some are deleted in the end.
    for id in ["d0", "d1", "d2", "d3"] {
      let operations: [DaybookEventCore.Operation] = [
        .insert(id, ["title": .text("Oat")]), .delete(id),
      ]
      history.append("cat", .transaction, 120, [:], operations, actor: "cat")
    }
    return history
  }

  private func delivered(_ history: TestHistory, _ folder: ProjectionFolder) throws
    -> ReadModelProbe
  {
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    return probe
  }

  /// The simple list: each declared entity that any event has named, looked up by its id.
  private func expected(_ history: TestHistory, _ view: ReadModelView) throws
    -> [Listed<DeletedEntity>]
  {
    var found: [Deletion.Place: DeletedEntity] = [:]
    for (collection, ids) in history.folded().entities {
      let (name, isLocal) = (collection.shown.text, collection.isLocal)
      guard view.schema[name]?.isLocal == isLocal else { continue }
      for id in ids.keys {
        guard let record = try view.record(name, isLocal: isLocal, id.text) else { continue }
        guard let existence = record.state.existence, record.state.insertion != nil,
          UInt64(existence.kind) == OperationKind.delete
        else { continue }
        let event = EventID(view.index.origin(existence.ref.origin).id, existence.ref.sequence)
        let body = try view.body(of: event)
        let times = try #require(try view.times(of: event))
        let place = Deletion.Place(
          time: min(times.authored, times.stamped ?? times.authored), event: event,
          operation: existence.ref.operation)
        found[place] = DeletedEntity(
          collection: name, id: id.text, fields: record.table.shown(record.values, nil),
          event: event,
          times: times, actor: body.actor, label: body.label)
      }
    }
    return found.sorted { $0.key > $1.key }.map { Listed(key: $0.key.key, item: $0.value) }
  }

  /// Reads pages to the end of the list.
  private func pages(
    _ view: ReadModelView, _ filter: DeletedFilter, limit: Int, keptMax: Int, remembers: Bool
  ) throws -> [DeletedEntity] {
    var found: [DeletedEntity] = []
    var (scan, key): (DeletedScan?, [Cell]?) = (nil, nil)
    while true {
      if !remembers { scan = nil }
      let page = try view.deleted(filter, &scan, after: key, limit: limit, keptMax: keptMax)
      #expect(page.found.count <= limit)
      found += page.found.map(\.item)
      if page.isAll { return found }
      key = page.found.last?.key ?? key
    }
  }

  @Test(
    "pages of any size list each deleted entity that can be restored once, newest first",
    arguments: ProjectorPropertyTests.seeds)
  func pages(seed: UInt64) throws {
    let history = history(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(history, folder)
    var random = SplitMix64(seed: seed)
    try probe.view { view, _ in
      let all = try expected(history, view)
      #expect(all.count > 3, "seed \(seed)")
      for limit in [1, 2, random.pick(3...20), .max] {
        for remembers in [true, false] {
          let found = try pages(
            view, DeletedFilter(), limit: limit, keptMax: random.pick(1...5), remembers: remembers)
          #expect(found == all.map(\.item), "seed \(seed), pages of \(limit)")
        }
      }
      for schema in view.schema.sorted {
        let found = try pages(
          view, DeletedFilter(collection: schema.name), limit: 3, keptMax: 4, remembers: true)
        let ours = all.filter { $0.item.collection.isSame(as: schema.name) }
        #expect(found == ours.map(\.item), "seed \(seed), \(schema.name)")
      }
    }
  }

  @Test(
    "actor, words and a condition on the event filter the list",
    arguments: ProjectorPropertyTests.seeds)
  func filters(seed: UInt64) throws {
    let history = history(seed: seed)
    let folder = try ProjectionFolder()
    let probe = try delivered(history, folder)
    try probe.view { view, _ in
      let all = try expected(history, view).map(\.item)
      for actor in Set(all.map(\.actor)).union(["nobody"]) {
        let found = try pages(
          view, DeletedFilter(actor: actor), limit: 2, keptMax: 3, remembers: true)
        #expect(found == all.filter { $0.actor.isSame(as: actor) }, "seed \(seed), \(actor)")
      }
      for letter in ["a", "MILK", "É", "o x", "milk"] {
        let words = letter.lowercased().split(separator: " ").map(String.init)
        let wanted = all.filter { entity in
          words.allSatisfy { word in
            entity.fields.values.contains { value in
              if case .text(let text) = value { text.lowercased().contains(word) } else { false }
            }
          }
        }
        let found = try pages(
          view, DeletedFilter(matching: letter), limit: 2, keptMax: 3, remembers: true)
        #expect(found == wanted, "seed \(seed), \(letter)")
      }
      let odd = DeletedFilter { event, _ in !event.sequence.isMultiple(of: 2) }
      let found = try pages(view, odd, limit: 2, keptMax: 3, remembers: true)
      #expect(found == all.filter { !$0.event.sequence.isMultiple(of: 2) }, "seed \(seed)")
    }
  }

  @Test("the earlier of the author's time and the hub's is when an entity was deleted")
  func stamped() throws {
    var history = TestHistory()
    history.write(
      "ann", at: 1, .notes(["title": "text"]), .insert("n1", ["title": .text("1")]),
      .insert("n2", ["title": .text("2")]))
    history.write("ann", at: 9000, .delete(collection: "notes", id: "n1"))
    history.write("bob", at: 5000, seen: ["ann": 2], .delete("n2"))
    // An author's first event is its identity.
    for (sequence, ids, times) in [
      (2, ["n1", "n2"], [9000, 5000]), (3, ["n2", "n1"], [5000, 2003]),
    ] as [(UInt64, [String], [Int64])] {
      history.stamp("hub", "ann", sequence...sequence, at: Int64(2000 + sequence))
      let folder = try ProjectionFolder()
      let source = ArrayEventSource(history)
      source.deliverAll()
      let probe = try ReadModelProbe(source, folder: folder.url)
      try probe.catchUp()
      let found = try probe.view { view, _ in
        var scan: DeletedScan?
        return try view.deleted(DeletedFilter(), &scan).found.map(\.item)
      }
      #expect(found.map(\.id) == ids)
      #expect(found.map(\.times.first.milliseconds) == times)
    }
  }

  private static let deletions: [DaybookEventCore.Operation] =
    [.notes(["title": "text"])]
    + (0..<20).flatMap { number -> [DaybookEventCore.Operation] in
      [
        .insert("n\(number)", ["title": .text("note \(number)")]),
        .delete(collection: "notes", id: "n\(number)"),
      ]
    }

  @Test("a list goes on rightly after a rebuild has given entities other numbers")
  func renumbered() throws {
    let fixture = try QueryFixture(Self.deletions)
    var scan: DeletedScan?
    let first = try fixture.probe.view { view, _ in
      try view.deleted(DeletedFilter(), &scan, limit: 5)
    }
    // Numbers that belong to other entities by now, and numbers that belong to none.
    try fixture.probe.damage("UPDATE _daybook_entities SET number = -number")
    try fixture.probe.damage("UPDATE _daybook_entities SET number = 31 + number")
    let rest = try fixture.probe.view { view, _ in
      try view.deleted(DeletedFilter(), &scan, after: first.found.last?.key)
    }
    let ids = (first.found + rest.found).map(\.item.id)
    #expect(ids == (0..<20).reversed().map { "n\($0)" } && rest.isAll)
  }

  @Test("words are found in any case, anywhere in a text, all of them in any of the texts")
  func words() {
    let values: [Value] = [.text("Oat MILK\0and"), .text("Crème"), .integer(12), .blob([65])]
    for found in ["", " ", "milk", "oat", "ILK and", "crème OAT", "cre\u{300}me", "\0"] {
      #expect(DeletedWords(found).match(values), "\(found)")
    }
    for missing in ["milky", "12", "A oats", "oatmilk", "oat x"] {
      #expect(!DeletedWords(missing).match(values), "\(missing)")
    }
    #expect(DeletedWords("").match([]) && !DeletedWords("a").match([]))
  }

  @Test("an entity is listed while a delete decides, and neither after an erase nor an insert")
  func existence() throws {
    let fixture = try QueryFixture([
      .notes(["title": "text"]), .insert("erased", ["title": .text("1")]),
      .insert("back", ["title": .text("2")]), .insert("restored", ["title": .text("3")]),
      .insert("gone", ["title": .text("4")]), .delete(collection: "notes", id: "erased"),
      .delete(collection: "notes", id: "back"),
      .delete(collection: "notes", id: "restored"), .delete(collection: "notes", id: "gone"),
      .delete(collection: "notes", id: "never"),
      .erase(collection: "notes", id: "erased"), .insert("back", ["title": .text("5")]),
      .restore(collection: "notes", id: "restored"),
      .update(collection: "notes", id: "gone", fields: ["title": .text("later")]),
    ])
    let found = try fixture.probe.view { view, _ in
      var scan: DeletedScan?
      return try view.deleted(DeletedFilter(), &scan).found.map(\.item)
    }
    #expect(found.map(\.id) == ["gone"])
    #expect(found.map { $0["title"] } == [.text("later")])
  }
}
