import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import DaybookReplication
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Every public call, with any arguments, returns or throws a typed error. A call that ends the
/// process shows as a suite that does not finish.
@Suite struct PublicCallTests {
  typealias Arguments = HostileArguments

  /// The seeds of the arguments; more with `DAYBOOK_CALL_SEEDS`.
  static let seeds =
    0..<(ProcessInfo.processInfo.environment["DAYBOOK_CALL_SEEDS"].flatMap { UInt64($0) } ?? 3)

  /// Makes a call again and again, each time with other arguments.
  /// - Parameter isPossible: Whether some of the calls must return; false if all may be refused.
  func sweep(
    _ name: String, _ arguments: inout Arguments, times: Int = 40, isPossible: Bool = true,
    _ call: (inout Arguments) async throws -> Void
  ) async {
    var returned = 0
    var last: (any Error)?
    for _ in 0..<times {
      do {
        try await call(&arguments)
        returned += 1
      } catch {
        last = error
        #expect(Arguments.isTyped(error), "\(name): \(type(of: error)): \(error)")
      }
    }
    // A sweep of refusals alone would say nothing of what comes after the checks.
    guard isPossible, arguments.isPossible else { return }
    #expect(returned > 0, "\(name): \(times) refusals, at last \(last as Any)")
  }

  /// Makes a store with entities of every kind.
  private func make(_ folder: TemporaryStore, _ arguments: inout Arguments) async throws -> Store {
    let store = try await LocalStore.make(folder)
    try await store.write { tx in
      try tx.define(
        Definition(
          "links",
          [
            .real("weight"), .text("kind"),
          ]
        ).connecting("notes", to: "notes"))
      try tx.insert("notes", "n2", ["title": .text("oat milk"), "weight": .real(2)])
      try tx.insert(
        "links", "l1", ["source": .text("n1"), "target": .text("n2"), "weight": .real(1)])
    }
    arguments.origins = [store.replica, store.replica.privateOrigin]
    return store
  }

  @Test("any query of a store is answered or refused", arguments: seeds)
  func queries(seed: UInt64) async throws {
    let folder = try TemporaryStore()
    var arguments = Arguments(seed: seed)
    let store = try await make(folder, &arguments)
    let digest = try await store.digest()
    await sweepSearch(store, &arguments)
    await sweepGraph(store, &arguments)
    await sweepHistory(store, &arguments)
    await sweepTyped(store, &arguments)
    await sweepOrders(&arguments)
    await sweepLive(store, &arguments)
    await sweepTexts(store, &arguments)
    await sweepBlocking(store.blocking, &arguments)
    let past = try await store.at(.vector(digest.vector)).open()
    await sweepSearch(past, &arguments)
    await sweepGraph(past, &arguments)
    await sweepHistory(past, &arguments)
    await sweepTyped(past, &arguments)
    await sweepTexts(past, &arguments)
    // The past cannot be written to.
    arguments.isPossible = false
    await sweepBlocking(past.blocking, &arguments)
    try await past.close()
    #expect(try await store.digest() == digest)
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }

  private func sweepSearch(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("search", &arguments, times: 150) { draw in
      let (query, collection) = (draw.text(), draw.optional { $0.text() })
      let (match, limit) = (draw.random.pick(SearchMatch.allCases), draw.integer())
      let markers = (open: draw.text(), close: draw.text())
      _ = try await store.search(
        query, in: collection, match: match, limit: limit, markers: markers)
      _ = try await store.searchAllOrAny(query, in: collection, limit: limit, markers: markers)
    }
    await sweep("SearchQuery", &arguments, times: 150) {
      let (text, fields) = ($0.text() + $0.text(), $0.texts())
      let match = $0.random.pick(SearchMatch.allCases)
      let query = try StoreError.surfacing {
        try SearchQuery(text, fields: fields, match: match)
      }
      #expect(!query.expression.isEmpty)
    }
  }

  private func sweepGraph(_ store: Store, _ arguments: inout Arguments) async {
    let graph = store.graph
    func direction(_ draw: inout Arguments) -> Graph.Direction {
      draw.random.pick(Graph.Direction.allCases)
    }
    /// Half of the calls ask for an existing vertex, and get further.
    func vertex(_ draw: inout Arguments) -> Graph.Vertex {
      draw.flag() ? Graph.Vertex("notes", "n1") : draw.vertex()
    }
    func fields(_ draw: inout Arguments) -> [String: Value] { draw.flag() ? [:] : draw.values() }
    func via(_ draw: inout Arguments) -> [String]? {
      draw.optional { $0.flag() ? ["links"] : $0.texts() }
    }
    await sweep("vertex", &arguments) { _ = try await graph.vertex($0.text()) }
    await sweep("neighbors", &arguments, times: 100) {
      _ = try await graph.neighbors(
        of: vertex(&$0), via: via(&$0), where: fields(&$0), direction: direction(&$0),
        weight: $0.optional { $0.text() }, limit: $0.optional { $0.integer() })
    }
    await sweep("reachable", &arguments, times: 100) {
      _ = try await graph.reachable(
        from: vertex(&$0), depth: $0.integer(), via: via(&$0), where: fields(&$0),
        direction: direction(&$0), limit: $0.optional { $0.integer() })
    }
    await sweep("shortestPath", &arguments, times: 100) {
      _ = try await graph.shortestPath(
        from: vertex(&$0), to: vertex(&$0), via: via(&$0), where: fields(&$0),
        direction: direction(&$0), weight: $0.optional { $0.text() })
    }
    await sweep("subgraph", &arguments) { draw in
      _ = try await graph.subgraph(
        from: [vertex(&draw), vertex(&draw)], depth: draw.integer(), via: via(&draw),
        where: fields(&draw))
    }
    await sweep("importance", &arguments, times: 100) {
      _ = try await graph.importance(
        by: $0.random.pick(Graph.Importance.allCases), via: via(&$0), where: fields(&$0),
        weight: $0.optional { $0.text() }, limit: $0.integer())
    }
    await sweep("components", &arguments) {
      _ = try await graph.components(
        via: via(&$0), where: fields(&$0), limit: $0.optional { $0.integer() })
    }
    await sweep("cycles", &arguments) {
      _ = try await graph.cycles(
        via: via(&$0), where: fields(&$0), limit: $0.optional { $0.integer() })
    }
  }

  private func sweepHistory(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("fetch", &arguments) { _ = try await store.fetch($0.text(), $0.text()) }
    await sweep("history", &arguments) { _ = try await store.history(of: $0.text(), $0.text()) }
    await sweep("blame", &arguments) { _ = try await store.blame(of: $0.text(), $0.text()) }
    await sweep("audit", &arguments, times: 60) { draw in
      let list = store.audit(
        in: draw.optional { $0.text() }, id: draw.optional { $0.text() },
        field: draw.optional { $0.text() }, by: draw.optional { $0.text() },
        after: draw.optional { $0.position() }, until: draw.optional { $0.position() },
        isNewestFirst: draw.flag())
      try await Self.read(list, &draw)
    }
    await sweep("times", &arguments) { _ = try await store.times(of: $0.event()) }
    await sweep("event", &arguments) { _ = try await store.event($0.event()) }
    await sweep("position", &arguments, times: 100, isPossible: false) {
      _ = try await store.position($0.text())
    }
    await sweep("vector", &arguments) { _ = try await store.vector(at: $0.position()) }
    await sweep("exactly", &arguments) { _ = try await store.at(exactly: $0.vector()) }
    await sweep("step", &arguments, times: 60) {
      let (vector, events) = try await store.step(from: $0.vector(), by: $0.integer())
      #expect(events.count <= 100 && vector.count <= 10)
    }
    await sweep("at", &arguments) { draw in
      let past = try await store.at(draw.position())
      _ = try await past.fetch(draw.text(), draw.text())
    }
    await sweep("changes", &arguments) {
      _ = try await store.changes(
        from: $0.position(), to: $0.optional { $0.position() }, in: $0.optional { $0.text() })
    }
    await sweep("forEachEvent", &arguments, times: 60) { draw in
      let query = EventQuery(
        after: draw.optional { $0.position() }, until: draw.optional { $0.position() },
        collection: draw.optional { $0.text() }, id: draw.optional { $0.text() },
        actor: draw.optional { $0.text() }, label: draw.optional { $0.text() },
        limit: draw.optional { $0.integer() }, isNewestFirst: draw.flag())
      try await store.forEachEvent(query) { _ in true }
      try await Self.read(store.events(query), &draw, hasLimit: query.limit != nil)
    }
    await sweepLists(store, &arguments)
    await sweep("delivery", &arguments) {
      let engine = SyncEngine(store)
      engine.remove(address: $0.text())
      _ = try await engine.delivery(of: $0.event())
      await engine.stop()
    }
  }

  private func sweepLists(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("deleted", &arguments, times: 100) { draw in
      let list = store.deleted(
        in: draw.optional { $0.text() }, by: draw.optional { $0.text() },
        after: draw.optional { $0.position() }, until: draw.optional { $0.position() },
        matching: draw.optional { $0.text() })
      try await Self.read(list, &draw)
    }
    await sweep("conflicts", &arguments, times: 100) { draw in
      let list = store.conflicts(
        in: draw.optional { $0.text() }, id: draw.optional { $0.text() },
        field: draw.optional { $0.text() }, by: draw.optional { $0.text() })
      try await Self.read(list, &draw)
    }
    await sweep("hidden", &arguments, times: 100) { draw in
      let list = store.hidden(in: draw.optional { $0.text() }, id: draw.optional { $0.text() })
      try await Self.read(list, &draw)
    }
  }

  /// Reads a list in a loop, and two pages of it.
  /// - Parameter hasLimit: Whether the list has a limit of its own, which holds for each page.
  private static func read<Item>(
    _ list: Listing<Item>, _ draw: inout Arguments, hasLimit: Bool = false
  ) async throws {
    let all = try await list.all().count
    let first = try await list.page(limit: draw.integer())
    #expect(first.items.count <= all)
    guard let next = first.next else { return }
    let second = try await list.page(limit: draw.integer(), after: next)
    #expect(!second.items.isEmpty && second.items.count <= all)
    #expect(hasLimit || first.items.count + second.items.count <= all)
  }

  @Test(
    "any write is stored or refused, and is the same after a rebuild",
    arguments: seeds)
  func writes(seed: UInt64) async throws {
    let folder = try TemporaryStore()
    var arguments = Arguments(seed: seed)
    let store = try await make(folder, &arguments)
    await sweep("write", &arguments, times: 150) { draw in
      let (actor, label) = (draw.optional { $0.text() }, draw.text())
      let annotations = draw.flag() ? [:] : [draw.text(): draw.text()]
      let start = draw
      draw = try await store.write(actor: actor, label: label, annotations: annotations) { tx in
        var draw = start
        for _ in 0..<draw.random.pick(1...3) { try Self.write(tx, &draw) }
        return draw
      }
    }
    await sweep("nested", &arguments) { draw in
      let start = draw
      draw = try await store.write { tx in
        var draw = start
        for _ in 0..<draw.random.pick(1...3) {
          // A part that is refused is undone alone.
          do {
            try tx.nested { tx in
              for _ in 0..<draw.random.pick(1...3) { try Self.write(tx, &draw) }
              if draw.flag() { try tx.nested { try Self.write($0, &draw) } }
            }
          } catch { #expect(Arguments.isTyped(error), "nested: \(error)") }
        }
        return draw
      }
    }
    await sweepEditing(store, &arguments)
    await sweepUndo(store, &arguments)
    let digest = try await store.digest()
    #expect(digest.isComplete)
    try await store.rebuild()
    #expect(try await store.digest() == digest)
    // The collections that are searched may have been dropped.
    arguments.isPossible = false
    await sweepSearch(store, &arguments)
    await sweepGraph(store, &arguments)
    await sweepLists(store, &arguments)
    await sweep("rebuild of a collection", &arguments, times: 10) {
      _ = try await store.rebuild(collection: $0.text())
    }
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }

  private func sweepUndo(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("undo", &arguments, times: 60) { draw in
      // Half of the calls are about one of the latest events, which may be possible to take back.
      let last = try await store.digest().vector[store.replica]
      let latest = EventID(store.replica, last - min(last, UInt64(draw.random.pick(0...5))))
      let event = draw.flag() ? draw.event() : latest
      let actor = draw.optional { $0.text() }
      if draw.flag() {
        _ = try await store.undo(event, actor: actor)
      } else {
        _ = try await store.redo(event, actor: actor)
      }
    }
    await sweep("undo state", &arguments, times: 20) {
      _ = try await store.undoState(actor: $0.text())
    }
    await sweep("undo by", &arguments, times: 20) {
      _ = try await store.undo(by: $0.text(), since: $0.position())
    }
  }

  private static func write(_ tx: WriteTransaction, _ draw: inout Arguments) throws {
    let (collection, id) = (draw.text(), draw.text())
    switch draw.random.pick(0...12) {
    case 0, 1: try tx.define(draw.definition())
    case 2 where draw.random.chance(10): try tx.drop(collection: collection)
    case 3 where draw.random.chance(20): try tx.drop(field: draw.text(), of: collection)
    case 4: try tx.insert(collection, id, draw.values())
    case 5: try tx.insert(collection, draw.values())
    case 6:
      try tx.update(collection, id, draw.values(), expecting: draw.optional { $0.version() })
    case 7: try tx.put(collection, id, draw.values())
    case 8: try tx.put(collection, draw.values())
    case 9: try tx.delete(collection, id, expecting: draw.optional { $0.version() })
    case 10: try tx.restore(collection, id, withReferrers: draw.flag())
    case 11: try tx.erase(collection, id)
    case 12:
      let write = Conflict.Write(
        event: draw.event(), operation: 0, value: draw.value(), isDeletion: draw.flag(), wins: true)
      let conflict = Conflict(
        collection: collection, id: draw.flag() ? id : nil, field: draw.flag() ? draw.text() : "",
        attribute: draw.flag() ? draw.text() : "", writes: [write])
      if draw.flag() {
        try tx.settle(conflict, taking: write)
      } else {
        try tx.settle(conflict, with: draw.value())
      }
    default: _ = try tx.fetch(collection, id)
    }
  }

  @Test("an impossible place for a store is refused", arguments: seeds)
  func places(seed: UInt64) async throws {
    let folder = try TemporaryStore()
    let there = try TemporaryStore()
    var arguments = Arguments(seed: seed)
    try await make(folder, &arguments).close()
    try FileManager.default.createDirectory(at: there.url, withIntermediateDirectories: true)
    try Data("no store".utf8).write(to: there.url.appending(path: "file"))
    await sweep("open", &arguments, isPossible: false) {
      try await Store.open(at: $0.url(in: there.url)).close()
    }
    await sweep("blocking open", &arguments, isPossible: false) { draw in
      let url = draw.url(in: there.url)
      try await Blocking.run { try BlockingStore.open(at: url).close() }
    }
    await sweep("status", &arguments, isPossible: false) {
      _ = try await Store.status(at: $0.url(in: there.url))
    }
    await sweep("verify", &arguments, isPossible: false) {
      _ = try await Store.verify(at: $0.url(in: there.url))
    }
    await sweep("repair", &arguments, isPossible: false) { draw in
      _ = try await Store.repair(
        at: draw.url(in: there.url), from: [draw.url(in: there.url)], isDryRun: true)
    }
    await sweep("repair from", &arguments, times: 5, isPossible: false) { draw in
      _ = try await Store.repair(at: folder.url, from: [draw.url(in: there.url)], isDryRun: true)
    }
    await sweep("difference", &arguments, isPossible: false) {
      _ = try await Store.readModelDifference(at: $0.url(in: there.url))
    }
    await sweep("renew", &arguments, isPossible: false) {
      _ = try await Store.renewIdentity(at: $0.url(in: there.url))
    }
    await sweep("backup", &arguments, times: 10, isPossible: false) { draw in
      let target = draw.url(in: there.url)
      _ = try await Store.backup(at: draw.flag() ? folder.url : draw.url(in: there.url), to: target)
    }
    await sweep("restore", &arguments, times: 10, isPossible: false) { draw in
      _ = try await Store.restore(backup: draw.url(in: there.url), to: draw.url(in: there.url))
    }
    await sweep("create", &arguments, times: 10, isPossible: false) {
      try await Store.create(at: $0.url(in: there.url)).close()
    }
    await sweep("blocking create", &arguments, times: 10, isPossible: false) { draw in
      let url = draw.url(in: there.url)
      try await Blocking.run { try BlockingStore.create(at: url).close() }
    }
    #expect(try await LocalStore.isSound(folder))
  }

  @Test("a call with any timeout returns or throws")
  func durations() async throws {
    let folder = try TemporaryStore()
    var arguments = Arguments(seed: 1)
    let first = try await make(folder, &arguments)
    for duration in Arguments.durations {
      var options = Store.Options()
      options.lockTimeout = duration
      let store = try await Store.open(at: folder.url, options: options)
      try await store.write { try $0.put("notes", "n9", ["title": .text("\(duration)")]) }
      try await store.close()
    }
    let other = try TemporaryStore()
    let peer = try await Store.create(at: other.url)
    for duration in Arguments.durations {
      var options = SyncEngine.Options()
      options.firstRetry = duration
      options.lastRetry = duration
      options.interval = duration
      let engine = SyncEngine(first, options: options)
      engine.add(StorePeer(peer))
      engine.add(FolderPeer(other.url.appending(path: "nothing")))
      engine.syncNow()
      while engine.states.contains(where: { $0.phase == .syncing }) { await Task.yield() }
      await engine.stop()
    }
    try await peer.close()
    try await first.close()
  }

  @Test("any files, tables and names of other programs are read or refused")
  func interchange() async throws {
    let folder = try TemporaryStore()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let file = folder.url.appending(path: "some.db").path
    let queue = try DatabaseQueue(path: file)
    try await queue.write {
      try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    }
    try queue.close()
    var arguments = Arguments(seed: 3)
    await sweep("SQLiteImport", &arguments, isPossible: false) { draw in
      _ = try SQLiteImport.isReadable(path: folder.url.path + "/" + draw.text())
      _ = try SQLiteImport(path: folder.url.path + "/" + draw.text(), isImmutable: draw.flag())
    }
    await sweep("rows", &arguments) { draw in
      let database = try SQLiteImport(path: file)
      let skipped = draw.integer()
      let rows = try database.rows(of: database.tables[0], from: skipped)
      var count = 0
      while try rows.next() != nil { count += 1 }
      #expect(count == max(0, 2 - max(0, min(skipped, 2))))
      #expect(rows.number >= count)
    }
    await sweep("CSVReader", &arguments, times: 200) { draw in
      let scalar = draw.text().unicodeScalars.first ?? ","
      var reader = CSVReader(delimiter: scalar, hasQuotes: draw.flag())
      var records: [CSVRecord] = []
      reader.feed(Array((draw.text() + "," + draw.text() + "\n" + draw.text()).utf8))
      reader.finish()
      while let record = try reader.next() { records.append(record) }
      guard let header = records.first else { return }
      var table = try CSVTable(
        header: header, collection: draw.text(), id: draw.optional { $0.text() },
        types: draw.flag() ? [:] : [draw.text(): draw.random.pick(FieldType.allCases)])
      for record in records {
        try table.observe(record)
        _ = (try table.id(of: record), try table.fields(of: record))
      }
    }
    await sweep("names and times", &arguments, times: 300) { draw in
      let names = NameMapping.fields(draw.texts(), id: draw.optional { $0.integer() })
      #expect(names.allSatisfy { $0.isEmpty || Names.isValidField($0) })
      #expect(NameMapping.collections(draw.texts()).allSatisfy(Names.isValid))
      let time = Int64(draw.integer())
      #expect(Timestamp.text(time).map { Timestamp.milliseconds($0) == time } ?? true)
      _ = (Timestamp.milliseconds(draw.text()), StoreSchema.Collection.key(draw.value()))
      var inference = ColumnInference()
      for text in draw.texts() { inference.observe(text) }
      _ = try? Position.Parsed(draw.text())
    }
  }
}
