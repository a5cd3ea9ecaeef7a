import EventCore
import Foundation
import GRDB
import LogEngine
import Testing

@testable import Daybook
@testable import Replication

/// Local collections: as durable, searchable and historic as others, and nobody else's business.
@Suite struct LocalCollectionTests {
  static let settings = Definition(
    collection: "settings",
    fields: [
      .init("value", ["type": .text("text"), "search": .boolean(true)]),
      .init("note", ["type": .text("text"), "references": .text("notes")]),
    ]
  ).local()

  /// A store with a shared and a local collection, and an entity in each.
  private func store(_ folder: TemporaryStore, _ options: Store.Options = .init()) async throws
    -> Store
  {
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: options)
    try await store.write { try $0.define(StoreTests.notes) }
    try await store.write { try $0.define(Self.settings) }
    try await store.write { try $0.insert("notes", "n1", ["title": .text("shared words")]) }
    try await store.write { try $0.insert("settings", "s1", ["value": .text("local words")]) }
    return store
  }

  private func isSound(_ folder: TemporaryStore) async throws -> Bool {
    let verification = try await Store.verify(at: folder.url)
    return verification.isSound && verification.isCompared
  }

  // MARK: Privacy

  @Test("neither vector nor digest nor what the log offers tells of a local collection")
  func unseen() async throws {
    let (folder, plain) = (try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder)
    let before = try await store.digest()
    try await store.write { try $0.update("settings", "s1", ["value": .text("other")]) }
    try await store.write { try $0.insert("settings", "s2") }
    #expect(try await store.digest() == before)
    let origin = store.replica.privateOrigin
    #expect(before.vector == store.log.vector)
    #expect(before.vector.entries.map(\.origin) == [store.replica])
    let offered = store.log.snapshot()
    #expect(!offered.ranges.keys.contains(origin) && !store.log.ranges.keys.contains(origin))
    #expect(!offered.entries.contains { $0.origin == origin })
    #expect(offered.entries(of: origin, in: 1...9).isEmpty)
    #expect(offered.entry(containing: EventID(origin, 1)) == nil)
    let hidden = try #require(offered.whole.entries(of: origin, in: 1...9).first)
    #expect(throws: LogError.self) { try offered.frame(at: hidden) }
    #expect(offered.whole.vector[origin] == 4)

    // What another replica gets is what it would get of a store without local collections.
    let other = try await Store.create(at: plain.url)
    try await bring(store, into: other)
    #expect(try await other.digest() == before)
    #expect(try await other.schema()["settings"] == nil)
    for event in try await events(other) { #expect(event.seen.shared == event.seen) }
    try await store.close()
    try await other.close()
  }

  private struct Seen {
    var id: EventID
    var seen: VersionVector
  }

  /// Every event, with the origins that its context names for the first time.
  private func events(_ store: Store) async throws -> [Seen] {
    let found = Collected<Seen>()
    try await store.forEachEvent { logged in
      var seen = VersionVector()
      for advance in logged.event.envelope.context.advances {
        if case .new(let origin) = advance.origin { seen[origin] = advance.by }
      }
      found.append(contentsOf: [Seen(id: logged.event.id, seen: seen)])
      return true
    }
    return found.all
  }

  @Test("local events name what their author had seen; shared ones name nothing local")
  func contexts() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { try $0.insert("notes", "n2") }
    let events = try await events(store)
    let local = events.filter { $0.id.origin.isPrivate }
    #expect(local.map(\.id.sequence) == [1, 2])
    #expect(local.first?.seen[store.replica] == 2)
    #expect(events.allSatisfy { $0.id.origin.isPrivate || !$0.seen.hasPrivate })
    try await store.close()
  }

  @Test("two stores that sync hear nothing of each other's local collections")
  func sync() async throws {
    let (folder, second) = (try TemporaryStore(), try TemporaryStore())
    let (here, there) = (try await store(folder), try await store(second))
    try await there.write { try $0.put("notes", "n2", ["title": .text("theirs")]) }
    try await there.write { try $0.update("settings", "s1", ["value": .text("theirs")]) }
    let report = try await here.sync(with: StorePeer(there))
    #expect(report.refusals.isEmpty)
    // Of each: who it is, a definition, and what it wrote to notes.
    #expect(report.eventsSent == 3 && report.eventsReceived == 4)
    #expect(try await here.digest() == there.digest())
    #expect(try await here.fetch("settings", "s1")?["value"] == .text("local words"))
    #expect(try await there.fetch("settings", "s1")?["value"] == .text("theirs"))
    for (store, other) in [(here, there), (there, here)] {
      #expect(store.log.wholeVector[other.replica.privateOrigin] == 0)
      let told = try LogReplica(store.log).knowledge(signer: store.replica)
      #expect(told[store.replica.privateOrigin] == nil)
      #expect(try await store.digest().vector.entries.count == 2)
    }
    let again = try await here.sync(with: StorePeer(there))
    #expect(again.eventsSent == 0 && again.eventsReceived == 0)
    // A reader that is asked for them all the same has none to give.
    let reader = RangeReader(snapshot: here.log.snapshot(), zone: .none, identity: nil)
    #expect(
      try reader.range(
        of: here.replica.privateOrigin, after: 0, through: 9, hasGap: false) == nil)
    try await here.close()
    try await there.close()
    #expect(try await isSound(folder))
    #expect(try await isSound(second))
  }

  @Test("events of a private origin that come from elsewhere are refused, and nothing is taken")
  func foreign() async throws {
    let (folder, other) = (try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder)
    let target = try await Store.create(at: other.url)
    let origin = store.replica.privateOrigin
    let whole = store.log.snapshot().whole
    let frame = try whole.frame(at: try #require(whole.entries(of: origin, in: 1...1).first))
    let range = EventRange(
      origin: origin, first: 1, chainBefore: nil, frames: [EventRange.Packed(frame)],
      isZoneless: true, signature: Array(repeating: 0, count: 64))
    let refusal: RangeRefusal? = try await Blocking.run {
      let replica = try StoreReplica(target)
      var check = RangeCheck(replica, knowledge: try replica.knowledge())
      guard case .refuse(let refusal) = try check.judge(range) else { return nil }
      return refusal
    }
    #expect(refusal?.code == .badSignature && refusal?.event.origin == origin)
    // Nor does the engine store them, whoever has judged.
    let identity = try Identity(seed: Array(repeating: 7, count: 32))
    let head = try Head(
      zone: ZoneID.none.bytes, sequence: 1, chain: frame.header.chain, by: identity)
    let error = await #expect(throws: LogError.self) {
      try await target.onCommitThread {
        try $0.ingest([
          CheckedRange(frames: [frame], head: head, claim: nil, held: SequenceRanges())
        ])
      }
    }
    #expect(error?.code == .privateOrigin)
    #expect(target.log.wholeVector.isEmpty)
    try await target.close()
    try await store.close()
  }

  @Test("a store with nothing but local events has an empty vector")
  func localOnly() async throws {
    let folder = try TemporaryStore()
    var store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.settings) }
    try await store.write { try $0.insert("settings", "s1") }
    #expect(try await store.digest().vector.isEmpty)
    try await store.close()
    store = try await Store.open(at: folder.url)
    #expect(try await store.fetch("settings", "s1") != nil)
    try await store.write { try $0.define(StoreTests.notes) }
    #expect(try await store.digest().vector[store.replica] == 2)
    try await store.close()
    #expect(try await isSound(folder))
  }

  // MARK: Mixing

  @Test("a transaction that writes to both kinds is an error that names both, and writes nothing")
  func mixing() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let writes: [(String, @Sendable (Transaction) throws -> Void)] = [
      (
        "shared first",
        {
          try $0.insert("notes", "n9")
          try $0.insert("settings", "s9")
        }
      ),
      (
        "local first",
        {
          try $0.insert("settings", "s9")
          try $0.delete("notes", "n1")
        }
      ),
      (
        "an update that changes nothing",
        {
          try $0.put("settings", "s1", ["value": .text("local words")])
          try $0.insert("notes", "n9")
        }
      ),
      (
        "definitions",
        {
          try $0.define(Definition(collection: "more").local())
          try $0.define(Definition(collection: "others"))
        }
      ),
      (
        "a drop",
        {
          try $0.insert("notes", "n9")
          try $0.drop(collection: "settings")
        }
      ),
      (
        "a field",
        {
          try $0.insert("notes", "n9")
          try $0.drop(field: "value", of: "settings")
        }
      ),
    ]
    let before = store.log.wholeVector
    for (name, body) in writes {
      let error = await #expect(throws: StoreError.self, "\(name)") {
        try await store.write { try body($0) }
      }
      #expect(error?.code == .mixedTransaction, "\(name)")
      let named = error?.message ?? ""
      #expect(named.contains("settings") || named.contains("more"), "\(named)")
      #expect(named.contains("notes") || named.contains("others"), "\(named)")
    }
    #expect(store.log.wholeVector == before)
    #expect(try await store.fetch("settings", "s9") == nil)
    // Reading both is fine.
    try await store.write { tx in
      let value = try tx.fetch("notes", "n1")?["title"] ?? .null
      try tx.update("settings", "s1", ["value": value, "note": .text("n1")])
    }
    #expect(try await store.fetch("settings", "s1")?["value"] == .text("shared words"))
    try await store.close()
  }

  @Test("transactions of both kinds share groups, and each event has its own origin")
  func groups() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let events = await withThrowingTaskGroup(of: EventID.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await store.write { tx in
            let collection = number.isMultiple(of: 2) ? "notes" : "settings"
            try tx.insert(collection, "x\(number)")
            if number % 10 == 7 { throw StoreError(.other, "as planned") }
            return tx.event
          }
        }
      }
      var events: [EventID] = []
      while let result = await group.nextResult() {
        if case .success(let event) = result { events.append(event) }
      }
      return events
    }
    #expect(Set(events).count == events.count)
    #expect(events.count { $0.origin.isPrivate } == 16)
    for (collection, wanted) in [("notes", 21), ("settings", 17)] {
      let count = try await store.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(collection)")
      }
      #expect(count == wanted, "\(collection)")
    }
    // Whatever a crash leaves of the log, no local event has seen what is not there.
    let snapshot = store.log.snapshot().whole
    var reached = VersionVector()
    var context = CausalContext(author: store.replica.privateOrigin)
    for entry in snapshot.entries {
      if entry.origin.isPrivate {
        for event in try snapshot.frame(at: entry).events() {
          let id = EventID(entry.origin, 1)
          try context.apply(try Event(id: id, decoding: event).envelope.context)
        }
        #expect(reached.contains(context.vector))
      }
      reached.include(entry.origin, entry.lastSequence)
    }
    try await store.close()
    #expect(try await isSound(folder))
  }

  // MARK: Definitions

  @Test("whether a collection is local stays as it was first defined; the error says both")
  func contradictions() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    for definition in [
      Definition(collection: "settings"), StoreTests.notes.local(),
      Definition(collection: "settings", attributes: ["local": .boolean(false)]),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { try $0.define(definition) }
      }
      #expect(error?.code == .contradiction)
      #expect(error?.message.contains("local") == true && error?.message.contains("shared") == true)
    }
    let odd = await #expect(throws: StoreError.self) {
      try await store.write {
        try $0.define(Definition(collection: "odd", attributes: ["local": .text("yes")]))
      }
    }
    #expect(odd?.code == .invalidName)
    // Saying it again writes nothing; more fields are local events.
    try await store.write { try $0.define(Self.settings) }
    let before = store.log.wholeVector
    try await store.write { try $0.define(Self.settings) }
    #expect(store.log.wholeVector == before)
    var more = Self.settings
    more.fields.append(.init("size", ["type": .text("integer")]))
    let wider = more
    let event = try await store.write { tx in
      try tx.define(wider)
      return tx.event
    }
    #expect(event.origin.isPrivate)
    #expect(try await store.schema()["settings"]?.fields.count == 3)
    try await store.close()
  }

  @Test("a shared field that refers to a local collection is an error, whichever comes first")
  func references() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let pointing = Definition(
      collection: "pointers",
      fields: [.init("to", ["type": .text("text"), "references": .text("settings")])])
    let first = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(pointing) }
    }
    #expect(first?.code == .contradiction && first?.message.contains("pointers.to") == true)
    try await store.write { try $0.define(pointing.local()) }
    let early = Definition(
      collection: "early",
      fields: [.init("to", ["type": .text("text"), "references": .text("later")])])
    try await store.write { try $0.define(early) }
    let second = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(Definition(collection: "later").local()) }
    }
    #expect(second?.code == .contradiction && second?.message.contains("early.to") == true)
    try await store.write { try $0.define(Definition(collection: "later")) }
    try await store.close()
  }

  @Test("a shared collection that arrives under a local one's name is kept, counted and hidden")
  func arrival() async throws {
    let (folder, second) = (try TemporaryStore(), try TemporaryStore())
    let here = try await store(folder)
    let there = try await Store.create(at: second.url)
    try await there.write {
      try $0.define(
        Definition(
          collection: "settings", attributes: ["relationship": .boolean(true)],
          fields: [.init("value", ["type": .text("integer")])]))
    }
    try await there.write {
      try $0.insert(
        "settings", "s1", ["source": .text("a"), "target": .text("b"), "value": .integer(7)])
    }
    try await bring(there, into: here)
    #expect(try await here.fetch("settings", "s1")?["value"] == .text("local words"))
    let status = try await here.status()
    #expect(status.hidden == ["settings"])
    #expect(status.collections.first { $0.name == "settings" }?.isLocal == true)
    // Each event is shown as what it is about says, whoever has the name.
    let shared = try #require(try await here.event(EventID(there.replica, 3)))
    let line = InterchangeWriter.event(
      shared.event.id, authored: .zero, stamp: nil, body: shared.event.body,
      schema: try await here.schema())
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.contains(#""source":"a","target":"b","fields":{"value":7}"#), "\(text)")
    // Writing goes on, and stays private.
    let event = try await here.write { tx in
      try tx.update("settings", "s1", ["value": .text("mine")])
      return tx.event
    }
    #expect(event.origin.isPrivate)
    try await bring(here, into: there)
    #expect(try await here.digest() == there.digest())
    #expect(try await there.fetch("settings", "s1")?["value"] == .integer(7))
    try await here.rebuild()
    #expect(try await here.fetch("settings", "s1")?["value"] == .text("mine"))
    _ = try await here.rebuild(collection: "settings")
    try await here.write { try $0.drop(collection: "settings") }
    #expect(try await here.fetch("settings", "s1")?["value"] == .integer(7))
    #expect(try await here.status().hidden.isEmpty)
    #expect(try await here.digest() == there.digest())
    try await here.close()
    try await there.close()
    #expect(try await isSound(folder))
  }

  // MARK: As good as others

  @Test("search, history, the graph, the past, differences and observation cover local collections")
  func asGoodAsOthers() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write {
      try $0.define(
        Definition(collection: "pins", attributes: ["relationship": .boolean(true)]).local())
    }
    try await store.write {
      try $0.insert("pins", "p1", ["source": .text("n1"), "target": .text("s1")])
    }
    let then = try await store.digest().vector
    let moment = try #require(try await events(store).last?.id)
    try await store.write { try $0.update("settings", "s1", ["value": .text("later words")]) }
    try await store.write { try $0.insert("notes", "n2", ["title": .text("new")]) }
    try await store.write { try $0.insert("settings", "s2", ["value": .text("newest")]) }

    #expect(try await store.search("later").map(\.id) == ["s1"])
    #expect(try await store.graph.neighbors(of: "n1").map(\.id) == ["p1"])
    let history = try await store.history(of: "s1", in: "settings")
    #expect(history.map(\.kind) == [.insert, .update])
    #expect(history.allSatisfy { $0.event.origin == store.replica.privateOrigin })
    #expect(history.allSatisfy { $0.times.stamped == nil })

    // A vector of shared events has what was written by one who had seen no more.
    let past = try await store.at(.vector(then))
    #expect(try await past.fetch("settings", "s1")?["value"] == .text("later words"))
    #expect(try await past.fetch("settings", "s2") == nil)
    #expect(try await past.fetch("notes", "n2") == nil)
    let exact = try await store.at(.event(moment))
    #expect(try await exact.fetch("settings", "s1")?["value"] == .text("local words"))
    let opened = try await exact.open()
    #expect(try await opened.search("later").isEmpty)
    #expect(try await opened.search("words").count == 2)
    #expect(try await opened.digest().vector == then)
    try await opened.close()

    let changes = try await store.changes(from: .event(moment))
    #expect(
      changes.map { "\($0.collection)/\($0.id)" } == ["notes/n2", "settings/s1", "settings/s2"])

    let (end, steps) = try await store.step(from: VersionVector(), by: .max)
    #expect(end == store.log.wholeVector)
    #expect(steps.count { $0.origin.isPrivate } == 6)
    let (first, _) = try await store.step(from: VersionVector(), by: 3)
    let early = try await store.at(exactly: first)
    #expect(try await early.fetch("settings", "s1") == nil)
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("unique values, trees, misfits and parked entities are rules of local collections, too")
  func rules() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let tree = Definition(
      collection: "folders",
      fields: [
        .init("code", ["type": .text("text"), "unique": .boolean(true)]),
        .init(
          "parent",
          ["type": .text("text"), "tree": .boolean(true), "references": .text("folders")]),
      ]
    ).local()
    try await store.write { try $0.define(tree) }
    try await store.write {
      try $0.insert("folders", "a", ["code": .text("x")])
      try $0.insert("folders", "b", ["parent": .text("a")])
    }
    let clash = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert("folders", "c", ["code": .text("x")]) }
    }
    #expect(clash?.code == .valueTaken)
    let loop = await #expect(throws: StoreError.self) {
      try await store.write { try $0.update("folders", "a", ["parent": .text("b")]) }
    }
    #expect(loop?.code == .wouldLoop)
    #expect(try await store.hidden().isEmpty)
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("filling an empty store defers local collections like others")
  func deferral() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.defersProjection = true
    let store = try await store(folder, options)
    for batch in 0..<4 {
      for collection in ["notes", "settings"] {
        try await store.write { tx in
          for number in 0..<50 { try tx.insert(collection, "x\(batch)-\(number)") }
        }
      }
    }
    try await store.close()
    let again = try await Store.open(at: folder.url)
    for collection in ["notes", "settings"] {
      let count = try await again.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(collection)")
      }
      #expect(count == 201)
    }
    #expect(try await again.digest().vector == again.log.vector)
    try await again.close()
    #expect(try await isSound(folder))
  }

  @Test("a read model that lacks local events is behind, and is caught up")
  func catchUp() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let other = try await Store.open(at: folder.url)
    try await other.write { try $0.insert("settings", "s2") }
    try await store.write { try $0.insert("settings", "s3") }
    #expect(try await store.fetch("settings", "s2") != nil)
    try await other.close()
    try await store.close()
    try FileManager.default.removeItem(atPath: StoreFiles(folder: folder.url).readModel)
    let status = try await Store.status(at: folder.url)
    #expect(status.lag == 7 && status.waiting == 0 && status.localEvents == 4)
    let again = try await Store.open(at: folder.url)
    #expect(try await again.fetch("settings", "s3") != nil)
    try await again.close()
    #expect(try await isSound(folder))
  }

  // MARK: Backup and repair

  @Test("a backup has local collections; what is restored goes on under another private origin")
  func backup() async throws {
    let (folder, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    let store = try await store(folder)
    let replica = store.replica
    try await store.close()
    _ = try await Store.backup(at: folder.url, to: backup.url)
    _ = try await Store.restore(backup: backup.url, to: back.url)
    var restored = try await Store.open(at: back.url)
    #expect(try await restored.fetch("settings", "s1")?["value"] == .text("local words"))
    let event = try await restored.write { tx in
      try tx.update("settings", "s1", ["value": .text("restored")])
      return tx.event
    }
    #expect(event.origin.isPrivate && event.origin != replica.privateOrigin)
    #expect(try await restored.history(of: "s1", in: "settings").count == 2)
    #expect(try await restored.conflicts().isEmpty)
    #expect(try await restored.digest().vector.entries.map(\.origin) == [replica])
    try await restored.close()
    restored = try await Store.open(at: back.url)
    #expect(restored.replica.privateOrigin == event.origin)
    #expect(try await restored.fetch("settings", "s1")?["value"] == .text("restored"))
    try await restored.close()
    #expect(try await isSound(back))
    // And again, from there: a backup of both.
    let (second, third) = (try TemporaryStore(), try TemporaryStore())
    _ = try await Store.backup(at: back.url, to: second.url)
    _ = try await Store.restore(backup: second.url, to: third.url)
    #expect(try await isSound(third))
  }

  @Test("repair fetches this replica's local events from a backup, and never another's")
  func repair() async throws {
    let (folder, backup, second) = (
      try TemporaryStore(), try TemporaryStore(), try TemporaryStore()
    )
    let store = try await store(folder)
    let there = try await Store.create(at: second.url)
    try await bring(store, into: there)
    try await there.write { try $0.define(Definition(collection: "theirs").local()) }
    try await there.write { try $0.insert("theirs", "t1") }
    let digest = try await store.digest()
    try await there.close()
    try await store.close()
    _ = try await Store.backup(at: folder.url, to: backup.url)

    // The whole log and the read model are gone.
    let files = StoreFiles(folder: folder.url)
    try FileManager.default.removeItem(atPath: files.log)
    try FileManager.default.removeItem(atPath: files.readModel)
    _ = try await Store.repair(at: folder.url, from: [second.url], acceptsLoss: true)
    var again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    #expect(again.log.wholeVector.local.isEmpty)
    #expect(try await again.schema()["theirs"] == nil)
    try await again.close()

    try FileManager.default.removeItem(at: folder.url)
    _ = try await Store.restore(backup: backup.url, to: folder.url)
    try FileManager.default.removeItem(atPath: files.log)
    try FileManager.default.removeItem(atPath: files.readModel)
    _ = try await Store.repair(
      at: folder.url, from: [second.url, backup.url], acceptsLoss: true)
    again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    #expect(try await again.fetch("settings", "s1")?["value"] == .text("local words"))
    #expect(again.log.wholeVector.local.count == 1)
    try await again.close()
    #expect(try await isSound(folder))
  }
}
