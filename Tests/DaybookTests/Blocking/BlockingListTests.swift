import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Lists that are read by code that is not asynchronous.
@Suite struct BlockingListTests {
  /// Makes a store with deleted entities, conflicts and hidden values, more than a loop reads at
  /// once.
  private func listed(_ place: SyncPlace) async throws -> Store {
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(Definition("people", [.text("mail").unique(), .text("name")]))
      for number in 0..<600 { try tx.insert("people", "p\(number)") }
      for number in 0..<9 { try tx.insert("people", "kept\(number)") }
    }
    try await a.write { tx in for number in 0..<600 { try tx.delete("people", "p\(number)") } }
    try await b.syncOnce(with: StorePeer(a))
    for (store, name) in [(a, "ann"), (b, "bob")] {
      try await store.write(actor: name) { tx in
        for number in 0..<9 {
          try tx.update("people", "kept\(number)", ["name": .text(name)])
          try tx.insert("people", "\(name)\(number)", ["mail": .text("\(number)@")])
        }
      }
    }
    try await a.syncOnce(with: StorePeer(b))
    try await b.close()
    return a
  }

  /// Checks that blocking calls read what an asynchronous loop reads, whole and in pages.
  private func compare<Item: Equatable>(
    _ list: Listing<Item>, of store: Store, atLeast count: Int
  ) async throws {
    let all = try await list.all()
    #expect(all.count >= count)
    #expect(try await BlockingStoreTests.thread { try store.blocking.all(of: list) } == all)
    for limit in [1, 7, 500, .max] where all.count / limit < 100 {
      let items = try await BlockingStoreTests.thread {
        var items: [Item] = []
        var cursor: Listing<Item>.Cursor?
        repeat {
          let page = try store.blocking.page(of: list, limit: limit, after: cursor)
          #expect(page.items.count == limit || page.next == nil)
          items += page.items
          cursor = page.next
        } while cursor != nil
        return items
      }
      #expect(items == all)
    }
    // A place in the list is the same for both kinds of calls.
    let first = try await list.page(limit: 1)
    guard first.next != nil else { return }
    let rest = try await BlockingStoreTests.thread {
      try store.blocking.page(of: list, limit: .max, after: first.next)
    }
    #expect(first.items + rest.items == all && rest.next == nil)
  }

  @Test("blocking calls read lists, whole and in pages, as loops of asynchronous code do")
  func lists() async throws {
    let place = SyncPlace()
    defer { place.remove() }
    let store = try await listed(place)
    try await compare(store.deleted(), of: store, atLeast: 600)
    try await compare(store.deleted(matching: "nothing"), of: store, atLeast: 0)
    try await compare(store.conflicts(), of: store, atLeast: 9)
    try await compare(store.conflicts(by: "ann"), of: store, atLeast: 9)
    try await compare(store.hidden(in: "people"), of: store, atLeast: 9)
    try await compare(store.events(), of: store, atLeast: 4)
    var query = EventQuery(
      until: .time(.distantFuture), collection: "people", isNewestFirst: true)
    try await compare(store.events(query), of: store, atLeast: 4)
    query.limit = 3
    let limited = store.events(query)
    #expect(try await BlockingStoreTests.thread { try store.blocking.all(of: limited) }.count == 3)
    let past = try await store.at(.event(EventID(store.replica, 3))).open()
    try await compare(past.deleted(), of: past, atLeast: 600)
    try await compare(past.events(), of: past, atLeast: 2)
    try await past.close()
    try await store.close()
  }

  @Test("a list that is read within a read shows the snapshot of that read")
  func listsWithinReads() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    try store.write { tx in
      try tx.define(StoreTests.notes)
      for number in 0..<3 { try tx.insert("notes", "n\(number)") }
    }
    try store.write { try $0.delete("notes", "n0") }
    try store.read { _ in
      try store.write { try $0.delete("notes", "n1") }
      let (deleted, events) = (store.store.deleted(in: "notes"), store.store.events())
      #expect(try store.all(of: deleted).map(\.id) == ["n0"])
      #expect(try store.page(of: deleted, limit: 5).items.map(\.id) == ["n0"])
      // The log is no part of the snapshot.
      #expect(try store.all(of: events).map(\.id.sequence) == [1, 2, 3, 4])
      let error = #expect(throws: StoreError.self) {
        try store.all(of: store.store.deleted(in: "nots"))
      }
      #expect(error?.code == .unknownName)
    }
    #expect(try store.all(of: store.store.deleted(in: "notes")).map(\.id) == ["n1", "n0"])
    try store.close()
  }

  @Test("a blocking page is refused for the same reasons as an asynchronous one")
  func refusedLists() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    try store.write { try $0.define(StoreTests.notes) }
    let lists = store.store
    let unknown = EventID(lists.replica, 99)
    let refusals: [(StoreError.Code, () throws -> Void)] = [
      (.unknownName, { _ = try store.all(of: lists.deleted(in: "nots")) }),
      (.unknownName, { _ = try store.page(of: lists.hidden(in: "nots"), limit: 1) }),
      (.unknownName, { _ = try store.page(of: lists.conflicts(in: "nots"), limit: 1) }),
      (.invalidQuery, { _ = try store.page(of: lists.conflicts(), limit: 0) }),
      (.invalidQuery, { _ = try store.page(of: lists.events(), limit: .min) }),
      (.invalidPosition, { _ = try store.all(of: lists.deleted(until: .event(unknown))) }),
      (
        .invalidPosition,
        { _ = try store.all(of: lists.events(EventQuery(after: .event(unknown)))) }
      ),
    ]
    for (code, call) in refusals {
      let error = #expect(throws: StoreError.self) { try call() }
      #expect(error?.code == code)
    }
    #expect(try store.all(of: lists.events(EventQuery(limit: -1))).isEmpty)
    #expect(try store.page(of: lists.events(EventQuery(limit: -1)), limit: 5).items.isEmpty)
    try store.close()
    let error = #expect(throws: StoreError.self) { try store.all(of: lists.deleted()) }
    #expect(error?.code == .closed)
  }

  @Test("a deferred read model is made before a blocking call reads a list")
  func deferredLists() throws {
    for isEvents in [false, true] {
      let folder = try TemporaryStore()
      var options = Store.Options()
      options.defersProjection = true
      let store = try BlockingStore.create(at: folder.url, options: options)
      try store.write { try $0.define(StoreTests.notes) }
      try store.write { try $0.insert("notes", "n1") }
      if isEvents {
        let query = EventQuery(collection: "notes", id: "n1")
        #expect(try store.all(of: store.store.events(query)).map(\.id.sequence) == [3])
      } else {
        #expect(try store.page(of: store.store.deleted(in: "notes"), limit: 1).items.isEmpty)
      }
      try store.close()
    }
  }
}
