import DaybookEventCore
import Testing

@testable import DaybookProjections

@Suite struct ProjectorTests {
  // The first statement was found by fuzzing (Tools/fuzz, target read-model): it ended the process.
  @Test(
    "internal tables with impossible numbers are refused when they are read",
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

  @Test("a conflict that names an event 0 is refused as damage")
  func impossibleConflict() throws {
    var history = TestHistory()
    history.write("ann", at: 1, .notes(["title": "text"]), .insert("n1", ["title": "one"]))
    history.write("bob", at: 2, .insert("n1", ["title": "two"]))
    let folder = try ProjectionFolder()
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

  @Test("an author whose clock ran backwards is ranked by its times, before and after reopening")
  func clockBackwards() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    history.write("ann", at: 100, .notes(["title": "text"]), .insert("n1", ["title": "first"]))
    history.write("ann", at: 300, .update("n1", ["title": "latest"]))
    history.write("ann", at: 200, .update("n1", ["title": "back then"]))
    history.write("ann", at: 250, .update("n1", ["title": "a little later"]))
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    // The events arrive one by one, and the read model is reopened after each.
    for count in 1...4 as ClosedRange<UInt64> {
      source.deliver(TestHistory.origin("ann"), count...count)
      try probe.catchUp()
      try probe.reopen()
    }
    let title = try probe.view { view, _ in try view.entity("notes", "n1")?["title"] }
    #expect(title == .text("latest"))
    let difference = try probe.differenceFromRebuilt(folder: folder.url)
    #expect(difference == nil)
  }
}
