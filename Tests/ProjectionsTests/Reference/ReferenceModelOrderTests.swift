import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("ReferenceModel: order")
struct ReferenceModelOrderTests {
  /// Returns a history of two devices that never met, each with one write of n1.title.
  private func twoWriters(at first: Int64 = 10, and second: Int64 = 20) -> TestHistory {
    var history = TestHistory()
    history.write("a", at: first, .insert("n1", ["title": .text("a")]))
    history.write("b", at: second, .insert("n1", ["title": .text("b")]))
    return history
  }

  private func winner(_ history: TestHistory) -> Value? {
    history.folded().fieldWinner("notes", "n1", "title")?.value
  }

  @Test("a stamp outranks the clock of a device")
  func stampOutranksClock() {
    var history = twoWriters(at: 10, and: 20)
    history.stamp("hub", "b", 2...2, at: 100)
    history.stamp("hub", "a", 2...2, at: 200)
    #expect(winner(history) == .text("a"))
  }

  @Test("a clock in the far future ranks only among pending writes")
  func futureClockIsPending() {
    var history = twoWriters(at: 1_000_000_000, and: 20)
    #expect(winner(history) == .text("a"))
    history.stamp("hub", "a", 2...2, at: 100)
    #expect(winner(history) == .text("b"))
    history.stamp("hub", "b", 2...2, at: 200)
    #expect(winner(history) == .text("b"))
  }

  @Test("equal stamps are ordered by origin")
  func equalStamps() {
    var history = twoWriters()
    history.stamp("hub", "a", 2...2, at: 100)
    history.stamp("hub", "b", 2...2, at: 100)
    let later = TestHistory.origin("a") < TestHistory.origin("b") ? "b" : "a"
    #expect(winner(history) == .text(later))
  }

  @Test("equal authored times are ordered by origin")
  func equalAuthored() {
    let later = TestHistory.origin("a") < TestHistory.origin("b") ? "b" : "a"
    #expect(winner(twoWriters(at: 10, and: 10)) == .text(later))
  }

  @Test("the smaller of two stamps of one event counts")
  func smallerStampCounts() {
    var history = twoWriters()
    history.stamp("hub", "a", 1...5, at: 100)
    history.stamp("hub", "b", 2...2, at: 200)
    #expect(winner(history) == .text("b"))
    history.stamp("hub2", "b", 1...9, at: 50)
    #expect(winner(history) == .text("a"))
    history.stamp("hub2", "b", 2...2, at: 20)
    #expect(winner(history) == .text("a"))
  }

  @Test("stamps of two hubs with the same time are ordered by hub")
  func hubBreaksTies() {
    var history = twoWriters()
    history.stamp("hub", "a", 2...2, at: 100)
    history.stamp("hub2", "b", 2...2, at: 100)
    let smaller = TestHistory.origin("hub") < TestHistory.origin("hub2") ? "a" : "b"
    #expect(winner(history) == .text(smaller == "a" ? "b" : "a"))
  }

  @Test("stamps of an origin that no authority has certified are ignored")
  func impostor() {
    var history = twoWriters()
    history.stamp("hub", "b", 2...2, at: 1, certified: false)
    #expect(winner(history) == .text("b"))
    #expect(history.folded().isComplete)
  }

  @Test("a certificate for another replica certifies nothing")
  func stolenCertificate() {
    let stolen = TestIdentities.hubClaim(TestIdentities.identity("hub"))
    var thief = EventAuthor(TestHistory.origin("thief"))
    thief.append(.identity, authored: .zero, Body(operations: [.identity(stolen)]))
    var events = twoWriters().events
    let stamp = Stamp(
      origin: TestHistory.origin("b"), from: 1, through: 9, chain: .zero,
      time: HybridTime(milliseconds: 1))
    thief.append(.stamps, authored: .zero, Body(operations: [.stamp(stamp)]))
    events[thief.origin] = thief.events
    let model = ReferenceModel(events: events)
    #expect(model.fieldWinner("notes", "n1", "title")?.value == .text("b"))
  }

  @Test("a stamp in a transaction, and an insert among stamps, are ignored")
  func misplaced() {
    var history = twoWriters()
    history.stamp("hub", "hub", 1...1, at: 1)
    let stamp = Stamp(
      origin: TestHistory.origin("b"), from: 1, through: 9, chain: .zero,
      time: HybridTime(milliseconds: 1))
    history.append("hub", .transaction, 5, [:], [.stamp(stamp)])
    history.append("hub", .stamps, 6, [:], [.insert("stray", [:])])
    let model = history.folded()
    #expect(model.fieldWinner("notes", "n1", "title")?.value == .text("b"))
    #expect(model.entity("notes", "stray") == nil)
    #expect(model.isComplete)
  }

  @Test("the later operation of an event ranks higher")
  func operationOrder() {
    var history = TestHistory()
    history.write(
      "a", at: 1, .insert("n1", ["title": .text("1")]), .update("n1", ["title": .text("2")]),
      .delete("n1"), .insert("n1", [:]))
    let model = history.folded()
    #expect(model.entity("notes", "n1")?.isLive == true)
    #expect(model.fieldWinner("notes", "n1", "title")?.value == .text("2"))
    #expect(model.conflicts == [])
  }

  @Test("the order in which origins are given makes no difference")
  func orderOfArrival() {
    var history = twoWriters()
    history.stamp("hub", "a", 2...2, at: 100)
    let digests = (0..<4).map { _ in history.folded().digest }
    #expect(Set(digests).count == 1)
  }
}
