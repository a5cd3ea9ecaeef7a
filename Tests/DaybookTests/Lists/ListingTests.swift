import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Lists that are read page by page: deleted entities, conflicts, hidden values and events.
@Suite struct ListingTests {
  private let place = SyncPlace()

  /// Reads a list to its end, in pages.
  private func pages<Item>(_ list: Listing<Item>, limit: Int) async throws -> [Item] {
    var found: [Item] = []
    var cursor: Listing<Item>.Cursor?
    repeat {
      let page = try await list.page(limit: limit, after: cursor)
      #expect(page.items.count == limit || page.next == nil)
      #expect(!page.items.isEmpty || found.isEmpty)
      found += page.items
      cursor = page.next
    } while cursor != nil
    return found
  }

  /// Makes a store in which two actors have deleted notes.
  private func deleting(_ folder: TemporaryStore, count: Int) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    try await store.write { tx in
      for number in 0..<count {
        try tx.insert("notes", "n\(number)", ["title": .text("Note \(number)")])
      }
    }
    for number in 0..<count {
      try await store.write(actor: number % 3 == 0 ? "ann" : "bob", label: "tidy up") { tx in
        try tx.delete("notes", "n\(number)")
      }
    }
    return store
  }

  @Test("deleted entities are listed with who, when and what, the newest first, and restored by it")
  func deleted() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 40)
    let all = try await store.deleted(in: "notes").all()
    #expect(all.map(\.id) == (0..<40).reversed().map { "n\($0)" })
    #expect(all.allSatisfy { $0.label == "tidy up" && $0.collection == "notes" })
    for (entity, before) in zip(all.dropFirst(), all) { #expect(entity.date <= before.date) }
    for limit in [1, 7, 40, 41] {
      #expect(try await pages(store.deleted(in: "notes"), limit: limit) == all)
    }
    let byAnn = try await store.deleted(by: "ann").all()
    #expect(byAnn == all.filter { $0.actor == "ann" } && byAnn.count == 14)
    let found = try await store.deleted(in: "notes", matching: "3 NOTE").all()
    #expect(found.map(\.id) == (0..<40).reversed().map { "n\($0)" }.filter { $0.contains("3") })

    for try await note in store.deleted(in: "notes", by: "ann", matching: "3") {
      try await store.write { try $0.restore("notes", note.id) }
      #expect(try await store.fetch("notes", note.id)?.fields == note.fields)
    }
    let left = try await store.deleted(in: "notes", by: "ann").all()
    #expect(left == byAnn.filter { !$0.id.contains("3") })
    try await store.write { try $0.erase("notes", left[0].id) }
    #expect(try await store.deleted(in: "notes", by: "ann").all() == Array(left[1...]))
    try await store.rebuild()
    #expect(try await store.deleted(in: "notes", by: "ann").all() == Array(left[1...]))
    try await store.close()
  }

  @Test("positions bound the deletions that are listed, as they bound events")
  func deletedBetween() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 20)
    let all = try await store.deleted().all()
    let (tenth, fifth) = (all[9], all[4])
    for (after, until) in [
      (Position.event(tenth.event), Position.event(fifth.event)),
      (.time(tenth.date), .time(fifth.date)),
    ] {
      let expected = all.filter { entity in
        if case .event = after { return tenth.event < entity.event && entity.event <= fifth.event }
        return tenth.date < entity.date && entity.date <= fifth.date
      }
      #expect(try await store.deleted(after: after, until: until).all() == expected)
    }
    #expect(try await store.deleted(until: .time(.distantPast)).all().isEmpty)
    let past = try await store.at(.event(fifth.event)).open()
    #expect(try await past.deleted().all() == Array(all[4...]))
    try await past.close()
    try await store.close()
  }

  @Test("a page of deleted entities goes on where the one before has ended, whatever happened")
  func deletedMeanwhile() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 10)
    let first = try await store.deleted(in: "notes").page(limit: 3)
    try await store.write { tx in
      try tx.restore("notes", "n8")
      try tx.restore("notes", "n5")
      try tx.insert("notes", "new")
      try tx.delete("notes", "new")
    }
    try await store.rebuild()
    let rest = try await store.deleted(in: "notes").page(limit: 100, after: first.next)
    #expect(first.items.map(\.id) == ["n9", "n8", "n7"])
    #expect(rest.items.map(\.id) == ["n6", "n4", "n3", "n2", "n1", "n0"] && rest.next == nil)
    try await store.close()
  }

  @Test("a loop passes over what is no longer deleted, or was deleted again")
  func deletedWithinLoop() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 10)
    let (first, scan) = try await store.core.reads.asynchronously { snapshot in
      var scan: DeletedScan?
      return (try snapshot.view.deleted(DeletedFilter(), &scan, limit: 3).found, scan)
    }
    try await store.write { try $0.restore("notes", "n5") }
    try await store.write { tx in
      try tx.restore("notes", "n3")
      try tx.delete("notes", "n3")
      try tx.erase("notes", "n2")
    }
    let rest = try await store.core.reads.asynchronously { snapshot in
      var scan = scan
      return try snapshot.view.deleted(DeletedFilter(), &scan, after: first.last?.key).found
    }
    #expect(rest.map(\.item.id) == ["n6", "n4", "n1", "n0"])
    try await store.close()
  }

  /// Makes two stores that have edited the same notes without seeing each other's edits.
  private func clashing(_ count: Int) async throws -> (Store, Store) {
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(StoreTests.notes)
      for number in 0..<count { try tx.insert("notes", "n\(number)", ["title": .text("milk")]) }
    }
    try await b.syncOnce(with: StorePeer(a))
    for (store, name) in [(a, "ann"), (b, "bob")] {
      for number in 0..<count {
        try await store.write(actor: number % 4 == 0 ? "cat" : name, label: "\(number)") { tx in
          try tx.update("notes", "n\(number)", ["title": .text(name), "body": .text(name)])
        }
      }
    }
    try await b.syncOnce(with: StorePeer(a))
    return (a, b)
  }

  @Test("conflicts are listed with the authors of their writes, filtered, and settled in a loop")
  func conflicts() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing(30)
    let all = try await a.conflicts().all()
    #expect(all.count == 60)
    #expect(try await b.conflicts().all() == all)
    #expect(try await pages(a.conflicts(), limit: 7) == all)
    for conflict in all {
      let number = Int(conflict.id?.dropFirst() ?? "") ?? 0
      let actors = Set(conflict.writes.map(\.author.actor))
      #expect(actors == (number % 4 == 0 ? ["cat"] : ["ann", "bob"]))
      #expect(conflict.writes.allSatisfy { $0.author.label == "\(number)" })
      #expect(conflict.writes.allSatisfy { $0.author.date == $0.author.times.authored.date })
    }
    let ofOne = try await a.conflicts(in: "notes", id: "n3").all()
    #expect(ofOne == all.filter { $0.id == "n3" } && ofOne.map(\.field) == ["body", "title"])
    #expect(
      try await a.conflicts(field: "body", by: "cat").all()
        == all.filter { $0.field == "body" && $0.writes[0].author.actor == "cat" })
    #expect(try await a.conflicts(by: "nobody").all().isEmpty)
    for try await conflict in a.conflicts(in: "notes") {
      try await a.write { tx in try tx.settle(conflict, taking: conflict.writes[0]) }
    }
    #expect(try await a.conflicts().all().isEmpty)
    try await place.close([a, b])
  }

  @Test("a field of a conflict may be named by its first name or its current one")
  func renamedField() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing(2)
    try await a.write { tx in
      try tx.define(
        Definition(
          collection: "notes",
          fields: [Definition.Field.text("headline").formerly("title")]))
    }
    let byName = try await a.conflicts(in: "notes", field: "headline").all()
    #expect(byName.map(\.field) == ["title", "title"])
    #expect(try await a.conflicts(in: "notes", field: "title").all() == byName)
    try await place.close([a, b])
  }

  @Test("hidden values are listed by collection and by entity")
  func hidden() async throws {
    defer { place.remove() }
    let people = Definition(
      collection: "people",
      fields: [.text("mail").unique()])
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(people)
      try tx.define(SyncPlace.notes)
    }
    try await b.syncOnce(with: StorePeer(a))
    for (store, name) in [(a, "x"), (b, "y")] {
      try await store.write { tx in
        for number in 0..<20 {
          try tx.insert("people", "\(name)\(number)", ["mail": .text("\(number)@")])
        }
      }
    }
    try await b.syncOnce(with: StorePeer(a))
    let all = try await b.hidden().all()
    #expect(all.map(\.id) == (0..<20).map { "\($0)@" }.sorted().map { "y\($0.dropLast())" })
    #expect(all.allSatisfy { $0.reason == .parked(owner: "x\($0.id.dropFirst())") })
    #expect(try await pages(b.hidden(in: "people"), limit: 3) == all)
    #expect(try await a.hidden(in: "people", id: "y7").all() == all.filter { $0.id == "y7" })
    #expect(try await a.hidden(in: "people", id: "x7").all().isEmpty)
    #expect(try await a.hidden(in: "notes").all().isEmpty)
    try await place.close([a, b])
  }

  @Test("events are listed by actor, label and position, from either end, in pages of any size")
  func events() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 30)
    try await store.write { try $0.define(LocalStore.settings) }
    let found = Collected<LoggedEvent>()
    try await store.forEachEvent { event in
      found.append(contentsOf: [event])
      return true
    }
    let all = found.all
    #expect(all.count == 34)
    for isNewestFirst in [false, true] {
      let ordered = isNewestFirst ? all.reversed() : all
      for actor in [nil, "ann", "bob", "nobody"] {
        var query = EventQuery(actor: actor, isNewestFirst: isNewestFirst)
        let expected = ordered.filter { actor == nil || $0.actor == actor }
        #expect(try await store.events(query).all() == expected)
        for limit in [1, 4, 100] {
          #expect(try await pages(store.events(query), limit: limit) == expected)
        }
        query.limit = 5
        #expect(try await store.events(query).all() == Array(expected.prefix(5)))
        query.label = "tidy up"
        query.limit = nil
        #expect(
          try await store.events(query).all() == expected.filter { $0.label == "tidy up" })
      }
    }
    let middle = all[15]
    let after = try await store.events(EventQuery(after: .event(middle.id), actor: "ann")).all()
    #expect(after == all[16...].filter { $0.actor == "ann" })
    let until = try await store.events(EventQuery(until: .time(middle.date))).all()
    #expect(until == all.filter { $0.date <= middle.date } && until.contains(middle))
    try await store.close()
  }

  @Test("a loop over events ends with those that the log had when it began")
  func eventsMeanwhile() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 3)
    var count = 0
    for try await event in store.events() {
      count += 1
      #expect(event.id.sequence == UInt64(count))
      try await store.write { try $0.insert("notes", "m\(event.id.sequence)") }
    }
    #expect(count == 6)
    let page = try await store.events().page(limit: 9)
    #expect(page.items.count == 9 && page.next != nil)
    try await store.close()
  }

  @Test("a loop goes on from page to page, and one page may be larger than those of a loop")
  func manyPages() async throws {
    defer { place.remove() }
    let count = 1200
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      for number in 0..<count { try tx.insert("notes", "n\(number)") }
    }
    try await b.syncOnce(with: StorePeer(a))
    for (store, name) in [(a, "ann"), (b, "bob")] {
      try await store.write { tx in
        for number in 0..<count { try tx.update("notes", "n\(number)", ["title": .text(name)]) }
      }
    }
    try await a.syncOnce(with: StorePeer(b))
    let conflicts = try await a.conflicts().all()
    #expect(conflicts.count == count && Set(conflicts.map(\.id)).count == count)
    #expect(try await a.conflicts().page(limit: .max).items == conflicts)
    try await a.write { tx in
      for number in 0..<count { try tx.delete("notes", "n\(number)") }
    }
    let deleted = try await a.deleted().all()
    #expect(deleted.map(\.id) == (0..<count).reversed().map { "n\($0)" })
    #expect(try await a.deleted().page(limit: .max).items == deleted)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask { try await b.write { try $0.insert("notes", "m\(number)") } }
      }
      try await group.waitForAll()
    }
    for isNewestFirst in [false, true] {
      let query = EventQuery(isNewestFirst: isNewestFirst)
      let events = try await b.events(query).all()
      let byHand = Collected<LoggedEvent>()
      try await b.forEachEvent(query) {
        byHand.append(contentsOf: [$0])
        return true
      }
      #expect(events.count > count && events == byHand.all)
      #expect(try await b.events(query).page(limit: .max).items == events)
    }
    try await place.close([a, b])
  }

  @Test("large values make pages shorter, and none is left out")
  func largeValues() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for number in 0..<5 {
      let text = String(repeating: "\(number)", count: 3 << 20)
      try await store.write { try $0.insert("notes", "n\(number)", ["body": .text(text)]) }
    }
    for number in 0..<5 { try await store.write { try $0.delete("notes", "n\(number)") } }
    #expect(try await store.deleted().all().map(\.id) == ["n4", "n3", "n2", "n1", "n0"])
    let page = try await store.deleted().page(limit: 4)
    #expect(page.items.map(\.id) == ["n4", "n3", "n2", "n1"])
    #expect(page.items.map { $0["body"].textCount } == Array(repeating: 3 << 20, count: 4))
    #expect(try await store.events().all().map(\.id.sequence) == Array(1...12))
    #expect(try await store.events().page(limit: 7).items.map(\.id.sequence) == Array(1...7))
    try await store.close()
  }

  @Test("a list of a collection that there is not is an error, and one without limit is no page")
  func refusals() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 1)
    for call in [
      { _ = try await store.deleted(in: "nots").all() },
      { _ = try await store.hidden(in: "nots").all() },
      { _ = try await store.conflicts(in: "nots").all() },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .unknownName && error?.hint?.contains("notes") == true)
    }
    for limit in [0, -1, .min] {
      let error = await #expect(throws: StoreError.self) {
        _ = try await store.deleted().page(limit: limit)
      }
      #expect(error?.code == .invalidQuery)
    }
    #expect(try await store.deleted().page(limit: .max).items.count == 1)
    var iterator = store.deleted(until: .event(EventID(store.replica, 99))).makeAsyncIterator()
    await #expect(throws: StoreError.self) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
    try await store.close()
    await #expect(throws: (any Error).self) { _ = try await store.deleted().all() }
  }

  @Test("a cancelled loop ends with the error of a cancellation")
  func cancellation() async throws {
    let folder = try TemporaryStore()
    let store = try await deleting(folder, count: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await store.events().all()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await store.close()
  }
}

extension Value {
  fileprivate var textCount: Int { if case .text(let text) = self { text.utf8.count } else { 0 } }
}
