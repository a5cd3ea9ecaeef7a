import EventCore
import Testing

@testable import Projections

@Suite struct ProjectorTests {
  // The first was found by fuzzing (Tools/fuzz, target read-model): it ended the process.
  @Test(
    "internal tables that name what cannot be are refused when they are read",
    arguments: [
      "UPDATE _daybook_definitions SET sequence = 0",
      "UPDATE _daybook_entities SET number = 9223372036854775807 WHERE number = 1",
      "UPDATE _daybook_definitions SET sequence = 99",
      "UPDATE _daybook_definitions SET origin = 7",
      "UPDATE _daybook_origins SET sequence = -1, times = x''",
    ])
  func impossibleNumbers(sql: String) throws {
    let fixture = try QueryFixture([
      .notes(["title": "text"]), .insert("n1", ["title": "one"]), .insert("n2"),
    ])
    try fixture.probe.damage(sql)
    #expect { try fixture.probe.reopen() } throws: {
      ($0 as? ProjectionError)?.code == .damagedReadModel
    }
  }

  @Test("a conflict that names an event 0 is refused, not looked up")
  func impossibleConflict() throws {
    var history = TestHistory()
    history.write("ann", at: 1, .notes(["title": "text"]), .insert("n1", ["title": "one"]))
    history.write("bob", at: 2, .insert("n1", ["title": "two"]))
    let folder = try TemporaryFolder()
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let count = try probe.view { view, _ in try view.conflicts().count }
    #expect(count == 1)
    try probe.damage("UPDATE _daybook_conflicts SET writes = x'010000'")
    #expect { try probe.view { view, _ in try view.conflicts() } } throws: {
      ($0 as? ProjectionError)?.code == .damagedReadModel
    }
  }
}
