import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Rebuilds of one collection in a read model in use.
@Suite struct ProjectorCollectionTests {
  private struct Collection {
    /// The names in internal tables and for users.
    var identity: String
    var name: String
    var number: Int
    var isDeclared: Bool
  }

  private func collections(_ probe: ReadModelProbe) throws -> [Collection] {
    try probe.view { view, db in
      try Row.fetchAll(db, sql: "SELECT name, number FROM _daybook_collections").map {
        Collection(
          identity: $0[0], name: CollectionIdentity.name($0[0]), number: $0[1],
          isDeclared: view.schema[identity: $0[0]] != nil)
      }
    }
  }

  /// Returns damages of a collection, as SQL statements. Some of them change nothing if there is no
  /// row.
  private func damages(of collection: Collection) -> [[String]] {
    let own = "collection = \(collection.number)"
    let table = Names.quoted(collection.name)
    let name = collection.identity.replacing("'", with: "''")
    var damages = [
      [],
      ["DELETE FROM _daybook_entities WHERE \(own)"],
      ["UPDATE _daybook_entities SET state = x'FF00' WHERE \(own)"],
      [
        "DELETE FROM _daybook_misfits WHERE collection = '\(name)'",
        "DELETE FROM _daybook_conflicts WHERE collection = '\(name)' AND id IS NOT NULL",
      ],
      ["INSERT INTO _daybook_conflicts VALUES ('\(name)', 'nobody', 'nothing', '', x'')"],
      [
        "UPDATE _daybook_unique SET entity = 999999 WHERE \(own)",
        "INSERT INTO _daybook_cycles VALUES ('\(name)', 'nothing', 'nobody', 'nowhere')",
      ],
      [
        "DELETE FROM _daybook_unique WHERE \(own)",
        "DELETE FROM _daybook_cycles WHERE collection = '\(name)'",
      ],
    ]
    guard collection.isDeclared else { return damages }
    let states = "_daybook_entities WHERE number IN (SELECT rowid FROM \(table))"
    damages += [
      ["DROP TABLE \(table)"],
      ["DELETE FROM \(table) WHERE rowid % 2 = 0"],
      ["UPDATE \(table) SET id = id || 'x' WHERE rowid % 3 = 0"],
      ["DELETE FROM \(states)"],
      [
        "UPDATE _daybook_entities SET state = x'01' "
          + "WHERE number IN (SELECT rowid FROM \(table))"
      ],
      [
        "DELETE FROM _daybook_history WHERE entity IN (SELECT rowid FROM \(table))",
        "INSERT INTO _daybook_misfits VALUES ('\(name)', 'nobody', 'nothing', x'00')",
      ],
      ["ALTER TABLE \(table) ADD COLUMN more TEXT"],
    ]
    return damages
  }

  @Test(
    "a collection with any damage is rebuilt to the state of the reference model",
    arguments: Array(ProjectorPropertyTests.seeds) + [1109, 1178])
  func rebuilds(seed: UInt64) throws {
    let set = EventSetGenerator.events(seed: seed)
    let folder = try ProjectionFolder()
    let expected = ReferenceModel(events: set.events).state
    let source = ArrayEventSource(set)
    let probe = try ReadModelProbe(source, folder: folder.url)
    for step in DeliveryPlan(seed: seed, events: set.events).steps {
      guard case .deliver(let origin, let range) = step else { continue }
      source.deliver(origin, range)
      try probe.catchUp()
    }
    var random = SplitMix64(seed: seed)
    var left = try collections(probe)
    for _ in 0..<min(2, left.count) {
      let collection = left.remove(at: random.pick(0...left.count - 1))
      let damage = random.pick(damages(of: collection))
      for sql in damage { try probe.damage(sql) }
      try probe.reopen()
      try probe.rebuild(collection: collection.name)
      let place = "seed \(seed), \(collection.identity), after \(damage)"
      let actual = try probe.state()
      let difference = ProjectedState.firstDifference(expected: expected, actual: actual)
      #expect(difference == nil, "\(place): \(difference ?? "")")
      let sum = try probe.view { view, _ in try view.recomputedDigest() }
      #expect(sum == actual.digest, "\(place)")
    }
    let fresh = try probe.differenceFromRebuilt(folder: folder.url)
    #expect(fresh == nil, "seed \(seed): \(fresh.map(\.description) ?? "")")
  }

  private func small(_ folder: ProjectionFolder) throws -> ReadModelProbe {
    var history = TestHistory()
    for name in ["notes", "tasks"] {
      history.write(
        "ann", at: 1,
        .define(
          Definition(name, [.text("title").searchable()])))
    }
    history.write("ann", at: 2, .insert("n1", ["title": "one"]), .insert("n2", ["title": "two"]))
    history.write("bob", at: 2, .update("n1", ["title": "uno"]))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    return probe
  }

  private func isConsistent(_ probe: ReadModelProbe) throws -> Bool {
    try probe.view { view, _ in try view.recomputedDigest() == view.digest }
  }

  @Test("a rebuild of one collection leaves damage in others, which the digest shows")
  func elsewhere() throws {
    let folder = try ProjectionFolder()
    let probe = try small(folder)
    try probe.damage("UPDATE notes SET title = 'three' WHERE id = 'n2'")
    try probe.rebuild(collection: "tasks")
    let title = try probe.view { _, db in
      try String.fetchOne(db, sql: "SELECT title FROM notes WHERE id = 'n2'")
    }
    #expect(title == "three")
    #expect(try !isConsistent(probe))
    #expect(try probe.rebuild(collection: "notes") == 3)
    #expect(try isConsistent(probe))
  }

  @Test("a rebuild of a collection that fails and is rolled back changes nothing")
  func interruptions() throws {
    let folder = try ProjectionFolder()
    let probe = try small(folder)
    let before = try probe.state()
    var failures = 0
    for reads in 0..<20 {
      probe.source.readsUntilFailure = reads
      do { try probe.rebuild(collection: "notes") } catch is ArrayEventSource.Failure {
        failures += 1
      }
      probe.source.readsUntilFailure = nil
      #expect(try probe.state() == before, "after \(reads) reads")
    }
    #expect(failures > 0 && failures < 20)
  }

  @Test("an unknown collection is an error, and one that differs in case keeps its table")
  func names() throws {
    let folder = try ProjectionFolder()
    let probe = try small(folder)
    let error = try #require(throws: ProjectionError.self) {
      _ = try probe.rebuild(collection: "nowhere")
    }
    #expect(error.code == .unknownName)

    var history = TestHistory()
    for name in ["NOTES", "notes"] {
      history.write(
        "ann", at: 1,
        .define(Definition(name, [.text("title")])))
    }
    history.write("ann", at: 2, .insert("n1", ["title": "in the one without a table"]))
    history.write(
      "ann", at: 3, .insert(collection: "NOTES", id: "N1", fields: ["title": "in the other"]))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let other = try ReadModelProbe(source, folder: folder.url)
    try other.catchUp()
    let before = try other.state()
    for name in ["notes", "NOTES"] {
      try other.rebuild(collection: name)
      #expect(try other.state() == before)
    }
    #expect(try other.differenceFromRebuilt(folder: folder.url) == nil)
  }
}
