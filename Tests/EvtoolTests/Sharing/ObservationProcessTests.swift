import Daybook
import Foundation
import GRDB
import Testing

/// How a process that observes a store hears of what other processes write.
@Suite(.timeLimit(.minutes(3))) struct ObservationProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func count(_ store: Store, of collection: String) -> LiveValues<Int> {
    store.observe(collection) {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM \(collection)") ?? 0
    }
  }

  @Test("a command's write is delivered, also to a process that only reads")
  func commands() async throws {
    let path = try folder.makeStore()
    for isReadOnly in [false, true] {
      let store = try await Store.open(
        at: URL(fileURLWithPath: path), options: .init(isReadOnly: isReadOnly))
      var counts = count(store, of: "notes").makeAsyncIterator()
      let first = try #require(try await counts.next())
      for number in 1...3 {
        let id = "\(isReadOnly)\(number)"
        #expect(try Evtool.run("put", path, "notes", id, "title=t").status == 0)
        #expect(try await counts.next() == first + number)
      }
      try await store.close()
    }
  }

  @Test("an observer goes on when a process is killed while it writes")
  func killed() async throws {
    let path = try folder.makeStore()
    let first = try folder.writeInserts(2, prefix: "first-", name: "first.ndjson")
    #expect(try Evtool.run("import", path, first).status == 0)
    let store = try await Store.open(at: URL(fileURLWithPath: path))
    var counts = count(store, of: "things").makeAsyncIterator()
    var shown = try await counts.next()
    for round in 0..<CrashTests.rounds {
      let file = try folder.writeInserts(400, prefix: "k\(round)-", name: "k\(round).ndjson")
      let running = try RunningEvtool(["import", path, file, "--batch", "1"])
      running.waitForMarks(Int.random(in: 1...30), in: path)
      Foundation.kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
      // What the killed process made durable is shown without a further write.
      while let value = shown, try await logged(store) != value { shown = try await counts.next() }
      #expect(shown != nil)
    }
    try await store.close()
  }

  struct Thing: Entity {
    static let collection = "notes"
    static let fields: [EntityField<Thing>] = [.field("title", \.title).searchable()]
    var id = ID()
    var title = ""
  }

  @Test("every kind of live value is told of a command's write, and after one that was killed")
  func kinds() async throws {
    let path = try folder.makeStore()
    let store = try await Store.open(at: URL(fileURLWithPath: path), schema: [Thing.self])
    let rye = Thing.where { $0.title.hasPrefix("rye") }
    var list = store.observe(rye).makeAsyncIterator()
    var one = store.observe(Thing.ID("t1")).makeAsyncIterator()
    var count = store.observe(rye.count()).makeAsyncIterator()
    var last = store.observe(rye.max(of: \.title)).makeAsyncIterator()
    var hits = store.observe(search: Thing.self, for: "rye").makeAsyncIterator()
    #expect(try await list.next()?.isEmpty == true)
    if case .some(.some) = try await one.next() { Issue.record("there is a note") }
    #expect(try await count.next() == 0)
    #expect(try await last.next() == .some(nil))
    #expect(try await hits.next()?.isEmpty == true)
    for round in 1...2 {
      let title = "rye bread \(round)"
      #expect(try Evtool.run("put", path, "notes", "t1", "title=\(title)").status == 0)
      // A value may be delivered that a killed command has left, before the one that is waited for.
      while try await list.next()?.map(\.title) != [title] {}
      while try await one.next()??.title != title {}
      while try await last.next() != title {}
      while try await hits.next()?.first?.entity.title != title {}
      if round == 1 { #expect(try await count.next() == 1) }
      guard round == 1 else { break }
      let file = try folder.writeInserts(400, prefix: "k-", name: "k.ndjson")
      let running = try RunningEvtool(["import", path, file, "--batch", "1"])
      running.waitForMarks(5, in: path)
      Foundation.kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
    }
    try await store.close()
  }

  /// The number of things according to the log.
  private func logged(_ store: Store) async throws -> Int {
    let filter = EventQuery(collection: "things")
    return try await store.events(filter).all().reduce(0) { count, event in
      count
        + (event.event.body?.operations ?? []).count {
          if case .insert = $0 { true } else { false }
        }
    }
  }
}
