import DaybookEventCore
import DaybookReferenceModel
import Testing

/// The ledger of lives that write texts: it must see what it is there for.
@Suite struct TextLedgerTests {
  private let ann = ReplicaID(high: 1, low: 1)
  private let bob = ReplicaID(high: 1, low: 2)
  private var ledger = TextLedger()
  private var events: [ReplicaID: [EncodedEvent]] = [:]

  private static let base = "<>"

  /// Ann makes a text. Then she types “aA” and deletes the first character, and Bob types “bB”, at
  /// one place; neither has seen what the other does.
  init() {
    write(ann, "made", [.insert(collection: "pages", id: "p", fields: ["text": .text(Self.base)])])
    type(ann, "1", Self.base, [.retain(1), .insert(["a"])])
    type(ann, "2", "<a>", [.delete(1), .retain(1), .insert(["A"])])
    type(bob, "3", Self.base, [.retain(1), .insert(["b", "B"])], seen: [(ann, 1)])
  }

  private mutating func write(
    _ author: ReplicaID, _ label: String, _ operations: [Operation],
    seen: [(ReplicaID, UInt64)] = []
  ) {
    let context = CausalContext(author: author).delta(to: VersionVector(seen))
    events[author, default: []].append(
      EncodedEvent(
        Envelope(
          kind: .transaction, authored: HybridTime(milliseconds: 1), context: context),
        Body(label: label, operations: operations)))
  }

  private mutating func type(
    _ author: ReplicaID, _ label: String, _ text: String, _ steps: [ReferenceText.Step],
    seen: [(ReplicaID, UInt64)] = []
  ) {
    ledger.begin(label)
    ledger.note(label, "p", text)
    let edit = TextEdit(
      collection: "pages", id: "p", field: "text", base: EventID(ann, 1), baseOperation: 0,
      script: TextLedger.script(of: steps))
    write(author, label, [.edit(edit)], seen: seen)
  }

  private func fault(in text: String) -> String? {
    ledger.fault(
      in: text, ReferenceModel.TextWrite(EventID(ann, 1), 0), "pages", "p", "text", of: events)
  }

  @Test("runs that stand apart, in any order, are right", arguments: ["aAbB>", "bBaA>"])
  func right(text: String) { #expect(fault(in: text) == nil) }

  @Test(
    "what is lost, back, there twice or mixed is a fault",
    arguments: [
      ("aAB>", "is not there"), ("aAbB", "is not there"), ("", "is not there"),
      ("<aAbB>", "was deleted, and is there"), ("aAbBb>", "twice"), ("abAB>", "mixed"),
      ("abBA>", "mixed"), ("baAB>", "mixed"),
    ])
  func wrong(text: String, words: String) throws {
    #expect(try #require(fault(in: text)).contains(words))
  }

  @Test("the reference model's text of these events has no fault")
  func reference() throws {
    let text = try #require(ReferenceModel(events).text("pages", "p", "text"))
    #expect(fault(in: text.text) == nil && text.text.unicodeScalars.count == 5)
  }

  @Test("a text with edits that the ledger does not know is not judged")
  func unknown() {
    var other = self
    other.ledger.begin("3")
    #expect(other.fault(in: "") == nil)
  }
}
