import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Edits of one entity that are received together, and applied at once.
@Suite struct ReceivedEditsTests {
  /// Found by a life of a zone: only the last of them counted for the time of the last change.
  @Test("the time of the last change is the highest of all edits that come at once")
  func modified() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    // Event 1 of each author is its identity.
    history.write(
      "ann", at: 1,
      .define(
        Definition("notes", [.text("body").merging(), .timestamp("due").kept(.modified)])))
    history.write("ann", at: 2, .insert("n1", ["body": .text("abc")]))
    let edit = TextEdit(
      collection: "notes", id: "n1", field: "body",
      base: EventID(TestHistory.origin("ann"), 3), baseOperation: 0,
      script: ReferenceText.script(of: [.insert(Array("!".unicodeScalars))]))
    history.write("eve", at: 5000, seen: ["ann": 3], .edit(edit))
    history.write("bob", at: 4000, seen: ["ann": 3], .edit(edit))
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    source.deliver(TestHistory.origin("ann"), 1...3)
    try probe.catchUp()
    for name in ["eve", "bob"] { source.deliver(TestHistory.origin(name), 1...2) }
    try probe.catchUp()
    let difference = ProjectedState.firstDifference(
      expected: history.folded().state, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
  }
}
