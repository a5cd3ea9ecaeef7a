import Daybook
import Foundation
import GRDB
import Testing

/// How a process that observes a store hears of what other processes write.
@Suite(.timeLimit(.minutes(10))) struct ObservationProcessTests {
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
      while let value = shown, try await things(store) != value { shown = try await counts.next() }
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
      // A value may be delivered in between: what the killed command has left.
      while try await list.next()?.contains(where: { $0.title == title }) != true {}
      while try await one.next()??.title != title {}
      while try await last.next() != title {}
      guard round == 1 else { break }
      while try await hits.next()?.first?.entity.title != title {}
      #expect(try await count.next() == 1)
      // The killed command writes what every value shows.
      let running = try RunningEvtool(["import", path, try ryes(400), "--batch", "1"])
      running.waitForMarks(Int.random(in: 2...30), in: path)
      Foundation.kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
      let left = try await logged(store)
      #expect(left.count > 1)
      while try await list.next()?.map(\.title).sorted() != left.values.sorted() {}
      while try await one.next()??.title != left["t1"] {}
      while try await count.next() != left.count {}
      while try await last.next() != left.values.max() {}
      while try await hits.next()?.count != min(20, left.count) {}
    }
    try await store.close()
  }

  /// Makes a file of writes, each of which changes the list, the note, the number, the last title
  /// and what a search finds.
  private func ryes(_ count: Int) throws -> String {
    let lines = (1...count).map { number in
      let title = "rye \(String(1000 + number))"
      return
        #"{"op":"insert","collection":"notes","id":"r\#(number)","fields":{"title":"\#(title)"}}"#
        + "\n" + #"{"op":"put","collection":"notes","id":"t1","fields":{"title":"\#(title)z"}}"#
    }
    return try folder.write(lines.joined(separator: "\n") + "\n", "ryes.ndjson")
  }

  /// The titles of the notes about rye according to the log, by their ids.
  private func logged(_ store: Store) async throws -> [String: String] {
    var titles: [String: String] = [:]
    for event in try await store.events(EventQuery(collection: "notes")).all() {
      for operation in event.event.body?.operations ?? [] {
        switch operation {
        case .insert(_, let id, let fields), .update(_, let id, let fields):
          if case .text(let title)? = fields["title"] { titles[id] = title }
        default: break
        }
      }
    }
    return titles.filter { $0.value.hasPrefix("rye") }
  }

  /// The number of things according to the log.
  private func things(_ store: Store) async throws -> Int {
    let filter = EventQuery(collection: "things")
    return try await store.events(filter).all().reduce(0) { count, event in
      count
        + (event.event.body?.operations ?? []).count {
          if case .insert = $0 { true } else { false }
        }
    }
  }
}
