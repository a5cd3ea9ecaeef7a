import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: completeness and selection")
struct ReferenceModelSelectionTests {
  private func titles(_ model: ReferenceModel) -> Value? {
    model.fieldWinner("notes", "n1", "title")?.value
  }

  @Test("an unknown operation is skipped, and the state is incomplete")
  func unknownOperation() {
    var history = TestHistory()
    history.write(
      "a", at: 1, .unknown(kind: 99, payload: [1, 2]), .insert("n1", ["title": .text("x")]))
    #expect(titles(history.folded()) == .text("x"))
    #expect(history.folded().fieldWinner("notes", "n1", "title")?.write.operation == 1)
    #expect(!history.folded().isComplete)
  }

  @Test("an event that is sealed, erased, malformed or of a later version is opaque")
  func opaque() {
    let insert = Body(operations: [.insert("n1", ["title": .text("x")])])
    func envelope(_ codec: Envelope.BodyCodec = .plain, _ kind: Envelope.Kind = .transaction)
      -> Envelope
    { Envelope(kind: kind, authored: HybridTime(milliseconds: 5), bodyCodec: codec) }
    var later = EncodedEvent(envelope(), insert)
    later.envelope[0] = 2
    var malformed = EncodedEvent(envelope(), insert)
    malformed.body = .present(insert.encoded() + [0])
    let opaque = [
      EncodedEvent(envelope(.unknown(7)), insert),
      EncodedEvent(envelope(.plain, .unknown(9)), insert),
      EncodedEvent(
        envelope: envelope().encoded(), body: .hash(Hash256.sha256(of: insert.encoded()))),
      later, malformed,
    ]
    for event in opaque {
      var history = TestHistory()
      history.write("a", at: 1, .insert("n2"))
      #expect(history.folded().isComplete)
      history.append("a", event)
      #expect(history.folded().entity("notes", "n1") == nil)
      #expect(!history.folded().isComplete)
    }
  }

  @Test("an invalid context makes its event opaque, and not the next one")
  func badContext() throws {
    var history = TestHistory()
    history.write("a", at: 1, .insert("n1", ["title": .text("a")]))
    history.write("b", at: 2, .insert("n1", ["title": .text("b")]))
    let bad = Envelope(
      kind: .transaction, authored: HybridTime(milliseconds: 3),
      context: ContextDelta([.init(origin: .known(4), by: 1)]))
    history.append("a", EncodedEvent(bad, Body(operations: [.delete("n1")])))
    history.write("a", at: 4, seen: ["b": 2], .update("n1", ["title": .text("c")]))
    let model = history.folded()
    #expect(!model.isComplete)
    #expect(model.conflicts == [])
    #expect(model.entity("notes", "n1")?.isLive == true)
  }

  @Test("a vector selects exactly its events, and only the stamps among them")
  func vector() {
    var history = TestHistory()
    history.write("a", at: 10, .insert("n1", ["title": .text("a")]))
    history.write("b", at: 20, .insert("n1", ["title": .text("b")]))
    history.stamp("hub", "b", 2...2, at: 100)
    let (a, b, hub) = (
      TestHistory.origin("a"), TestHistory.origin("b"), TestHistory.origin("hub")
    )
    #expect(titles(history.folded()) == .text("a"))
    #expect(titles(history.folded(.vector([a: 2, b: 2]))) == .text("b"))
    #expect(titles(history.folded(.vector([a: 2, b: 2, hub: 2]))) == .text("a"))
    #expect(titles(history.folded(.vector([a: 1, b: 2]))) == .text("b"))
    #expect(titles(history.folded(.vector([a: 9]))) == .text("a"))
    #expect(titles(history.folded(.vector([:]))) == nil)
  }

  @Test("a time selects the events authored or stamped by then, with all known stamps")
  func time() {
    var history = TestHistory()
    history.write("a", at: 10, .insert("n1", ["title": .text("a")]))
    history.write("b", at: 900, .insert("n1", ["title": .text("b")]))
    history.stamp("hub", "b", 2...2, at: 300)
    history.stamp("hub", "a", 2...2, at: 400)
    #expect(titles(history.folded(.time(milliseconds: 9))) == nil)
    #expect(titles(history.folded(.time(milliseconds: 10))) == .text("a"))
    #expect(titles(history.folded(.time(milliseconds: 299))) == .text("a"))
    #expect(history.folded(.time(milliseconds: 299)).conflicts == [])
    #expect(history.folded(.time(milliseconds: 300)).conflicts.count == 1)
    #expect(titles(history.folded(.time(milliseconds: 300))) == .text("a"))
  }

  @Test("a difference is named by table, row and column")
  func difference() {
    var history = TestHistory()
    history.write("a", at: 1, .notes(["title": "text"]))
    history.write("a", at: 2, .insert("n1", ["title": .text("x")]))
    let before = history.folded().state
    history.write("a", at: 3, .update("n1", ["title": .text("y")]))
    let after = history.folded().state
    #expect(ProjectedState.firstDifference(expected: before, actual: before) == nil)
    let difference = ProjectedState.firstDifference(expected: before, actual: after)
    #expect(difference == "notes/\"n1\".title is \"y\", expected \"x\"")
    #expect(history.folded().describe().contains("entity \"notes\"/\"n1\": live"))
  }
}
