import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Edits that name a base before that base was written. No honest author can, but the number of an
/// author's next event is easy to guess.
@Suite struct GuessedBaseTests {
  /// Found by a life of a zone: a base that the replica itself wrote counted as one without edits.
  @Test(
    "an edit of a base that is not written yet counts as after a rebuild",
    arguments: [3, 4] as [UInt64])
  func guessed(seen: UInt64) throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    // Event 1 of each author is its identity.
    history.write("ann", at: 1, .define(Definition("notes", [.text("body").merging()])))
    history.write("ann", at: 2, .insert("n1", ["body": .text("abc")]))
    let guess = TextEdit(
      collection: "notes", id: "n1", field: "body",
      base: EventID(TestHistory.origin("ann"), 4), baseOperation: 0,
      script: ReferenceText.script(of: [.insert(Array("!".unicodeScalars))]))
    history.write("eve", at: 3, seen: ["ann": seen], .edit(guess))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    let id = history.write("ann", at: 9, seen: ["eve": 2], .insert("n1", ["body": .text("xyz")]))
    #expect(id == guess.base)
    source.follow(history)
    let event = try #require(history.events[id.origin]?.last)
    try probe.write(id, event, chain: try #require(history.authors["ann"]?.chains.last))
    let expected = history.folded().state
    #expect(expected.unfit.count == (seen < 4 ? 1 : 0))
    let difference = ProjectedState.firstDifference(expected: expected, actual: try probe.state())
    #expect(difference == nil, "\(difference ?? "")")
    let rebuilt = try ReadModelProbe.rebuilt(source, folder: folder.url, partitionBytes: 1 << 20)
    let other = ProjectedState.firstDifference(expected: expected, actual: rebuilt)
    #expect(other == nil, "\(other ?? "")")
  }
}
