import DaybookEventCore
import DaybookInterchange
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookReplication

/// The model of local collections: definitions, rules, read model, backups and repairs, as for
/// shared ones.
@Suite struct LocalCollectionModelTests {
  // MARK: - Definitions

  @Test("a collection stays local or shared as it was first defined")
  func contradictions() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    for definition in [
      Definition("settings"), StoreTests.notes.local(),
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
    // A repeated definition writes nothing, and further fields are local events.
    try await store.write { try $0.define(LocalStore.settings) }
    let before = store.core.log.wholeVector
    try await store.write { try $0.define(LocalStore.settings) }
    #expect(store.core.log.wholeVector == before)
    var more = LocalStore.settings
    more.fields.append(.integer("size"))
    let wider = more
    let event = try await store.write { tx in
      try tx.define(wider)
      return tx.event
    }
    #expect(event.origin.isPrivate)
    #expect(try await store.schema()["settings"]?.fields.count == 3)
    try await store.close()
  }

  @Test("a shared field that refers to a local collection is an error, in either order")
  func references() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    let pointing = Definition("pointers", [.text("to").references("settings")])
    let first = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(pointing) }
    }
    #expect(first?.code == .contradiction && first?.message.contains("pointers.to") == true)
    try await store.write { try $0.define(pointing.local()) }
    let early = Definition("early", [.text("to").references("later")])
    try await store.write { try $0.define(early) }
    let second = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(Definition("later").local()) }
    }
    #expect(second?.code == .contradiction && second?.message.contains("early.to") == true)
    try await store.write { try $0.define(Definition("later")) }
    try await store.close()
  }

  @Test("a shared collection that arrives under the name of a local one is kept and hidden")
  func arrival() async throws {
    let (folder, second) = (try TemporaryStore(), try TemporaryStore())
    let here = try await LocalStore.make(folder)
    let there = try await Store.create(at: second.url)
    try await there.write {
      try $0.define(
        Definition(
          collection: "settings", attributes: ["relationship": .boolean(true)],
          fields: [.integer("value")]))
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
    // Each event is shown by the definition of its own collection, whichever has the name.
    let shared = try #require(try await here.event(EventID(there.replica, 3)))
    let line = InterchangeWriter.event(
      shared.event.id, authored: .zero, stamp: nil, body: shared.event.body,
      schema: try await here.schema())
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.contains(#""source":"a","target":"b","fields":{"value":7}"#), "\(text)")
    // Writes continue, and stay private.
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
    #expect(try await LocalStore.isSound(folder))
  }

  // MARK: - As good as others

  @Test("search, history, graph, past and changes cover local collections")
  func asGoodAsOthers() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
    try await store.write {
      try $0.define(
        Definition("pins").relationship().local())
    }
    try await store.write {
      try $0.insert("pins", "p1", ["source": .text("n1"), "target": .text("s1")])
    }
    let then = try await store.digest().vector
    let moment = try #require(try await LocalStore.events(store).last?.id)
    try await store.write { try $0.update("settings", "s1", ["value": .text("later words")]) }
    try await store.write { try $0.insert("notes", "n2", ["title": .text("new")]) }
    try await store.write { try $0.insert("settings", "s2", ["value": .text("newest")]) }

    #expect(try await store.search("later").map(\.id) == ["s1"])
    let pins = try await store.graph.neighbors(of: Graph.Vertex("notes", "n1"))
    #expect(pins.map(\.id) == ["p1"])
    let history = try await store.history(of: "settings", "s1")
    #expect(history.map(\.kind) == [.insert, .update])
    #expect(history.allSatisfy { $0.event.origin == store.replica.privateOrigin })
    #expect(history.allSatisfy { $0.times.stamped == nil })

    // A vector of shared events has the local events whose author had seen no more than it.
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
    #expect(end == store.core.log.wholeVector)
    #expect(steps.count { $0.origin.isPrivate } == 6)
    let (first, _) = try await store.step(from: VersionVector(), by: 3)
    let early = try await store.at(exactly: first)
    #expect(try await early.fetch("settings", "s1") == nil)
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }

  @Test("unique values and trees are checked in local collections, too")
  func rules() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let tree = Definition(
      "folders",
      [
        .text("code").unique(),
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
    #expect(try await store.hidden().all().isEmpty)
    try await store.close()
    #expect(try await LocalStore.isSound(folder))
  }

  @Test("an empty store defers writes to local collections, too")
  func deferral() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.defersProjection = true
    let store = try await LocalStore.make(folder, options)
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
    #expect(try await again.digest().vector == again.core.log.vector)
    try await again.close()
    #expect(try await LocalStore.isSound(folder))
  }

  @Test("a read model that lacks local events is behind, and catches up")
  func catchUp() async throws {
    let folder = try TemporaryStore()
    let store = try await LocalStore.make(folder)
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
    #expect(try await LocalStore.isSound(folder))
  }

  // MARK: - Backup and repair

  @Test(
    "a backup has local collections, and a restored store continues under another private origin"
  )
  func backup() async throws {
    let (folder, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    let store = try await LocalStore.make(folder)
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
    #expect(try await restored.history(of: "settings", "s1").count == 2)
    #expect(try await restored.conflicts().all().isEmpty)
    #expect(try await restored.digest().vector.entries.map(\.origin) == [replica])
    try await restored.close()
    restored = try await Store.open(at: back.url)
    #expect(restored.replica.privateOrigin == event.origin)
    #expect(try await restored.fetch("settings", "s1")?["value"] == .text("restored"))
    try await restored.close()
    #expect(try await LocalStore.isSound(back))
    // A second backup has the events of both private origins.
    let (second, third) = (try TemporaryStore(), try TemporaryStore())
    _ = try await Store.backup(at: back.url, to: second.url)
    _ = try await Store.restore(backup: second.url, to: third.url)
    #expect(try await LocalStore.isSound(third))
  }

  @Test("repair fetches local events of this replica from a backup, and never of another")
  func repair() async throws {
    let (folder, backup, second) = (
      try TemporaryStore(), try TemporaryStore(), try TemporaryStore()
    )
    let store = try await LocalStore.make(folder)
    let there = try await Store.create(at: second.url)
    try await bring(store, into: there)
    try await there.write { try $0.define(Definition("theirs").local()) }
    try await there.write { try $0.insert("theirs", "t1") }
    let digest = try await store.digest()
    try await there.close()
    try await store.close()
    _ = try await Store.backup(at: folder.url, to: backup.url)

    // The whole log and the read model are removed.
    let files = StoreFiles(folder: folder.url)
    try FileManager.default.removeItem(atPath: files.log)
    try FileManager.default.removeItem(atPath: files.readModel)
    _ = try await Store.repair(at: folder.url, from: [second.url], acceptsLoss: true)
    var again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    #expect(again.core.log.wholeVector.local.isEmpty)
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
    #expect(again.core.log.wholeVector.local.count == 1)
    try await again.close()
    #expect(try await LocalStore.isSound(folder))
  }
}
