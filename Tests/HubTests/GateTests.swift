import DaybookLocks
import Testing

@testable import DaybookHubServer

/// The order in which the owners of requests are served, and the share that one owner may have.
@Suite struct GateTests {
  /// An exchange that lasts until it is told to end.
  private struct Exchange {
    let ending: AsyncStream<Void>.Continuation
    let task: Task<Bool, any Error>

    func end() async throws {
      ending.finish()
      _ = try await task.value
    }
  }

  private let running = Box<[String]>([])

  private func begin(_ owner: String, in gate: Gate, bytes: Int = 1) -> Exchange {
    let (ends, ending) = AsyncStream<Void>.makeStream()
    let task = Task { [running] in
      try await gate.pass(owner: owner, bytes: bytes) {
        running.change { $0.append(owner) }
        for await _ in ends {}
      } != nil
    }
    return Exchange(ending: ending, task: task)
  }

  private func began(_ count: Int) async throws -> Bool {
    try await eventually { running.value.count >= count }
  }

  private func waits(_ count: Int, in gate: Gate) async throws -> Bool {
    try await eventually { gate.waitingCount == count }
  }

  @Test("one owner gets at most half of the places")
  func halfOfThePlaces() async throws {
    let gate = Gate(.init(count: 4, waitingMax: 100))
    var exchanges = (0..<10).map { _ in begin("greedy", in: gate) }
    #expect(try await began(2))
    #expect(try await waits(8, in: gate))
    // An owner that comes later does not wait for them.
    exchanges.append(begin("other", in: gate))
    #expect(try await began(3))
    #expect(running.value.sorted() == ["greedy", "greedy", "other"])
    for exchange in exchanges { exchange.ending.finish() }
    for exchange in exchanges { try await exchange.end() }
    #expect(running.value.count == 11)
  }

  @Test("the owner that has used less time gets the next place")
  func leastServedFirst() async throws {
    let time = Mutex(ContinuousClock.now)
    let gate = Gate(.init(count: 2, waitingMax: 100)) { time.withLock(\.self) }
    let first = (begin("greedy", in: gate), begin("held", in: gate))
    #expect(try await began(2))
    let waiting = [begin("greedy", in: gate)]
    #expect(try await waits(1, in: gate))
    let late = begin("other", in: gate)
    #expect(try await waits(2, in: gate))
    time.withLock { $0 += .seconds(5) }
    try await first.0.end()
    #expect(try await began(3))
    #expect(running.value.last == "other")
    for exchange in waiting + [late, first.1] { exchange.ending.finish() }
    for exchange in waiting + [late, first.1] { try await exchange.end() }
  }

  @Test("large requests are carried out one after another, in order of arrival")
  func largeRequests() async throws {
    let gate = Gate(.init(count: 8, waitingMax: 100, bytes: 100))
    let large = begin("a", in: gate, bytes: 90)
    #expect(try await began(1))
    let next = begin("b", in: gate, bytes: 1000)
    #expect(try await waits(1, in: gate))
    // This request would fit, but it has come later.
    let small = begin("c", in: gate, bytes: 5)
    #expect(try await waits(2, in: gate))
    #expect(running.value == ["a"])
    try await large.end()
    #expect(try await began(2))
    try await next.end()
    #expect(try await began(3))
    try await small.end()
    #expect(running.value.count == 3)
  }

  @Test("an owner whose exchanges have taken its time waits until it has some again")
  func hourlyTime() async throws {
    let time = Mutex(ContinuousClock.now)
    let gate = Gate(.init(count: 8, waitingMax: 100, hourlyTime: .seconds(60))) {
      time.withLock(\.self)
    }
    func use(_ seconds: Int) async throws {
      _ = try await gate.pass(owner: "greedy", bytes: 1) {
        time.withLock { $0 += .seconds(seconds) }
      }
    }
    try await use(30)
    #expect(gate.wait(of: "greedy") == nil)
    try await use(90)
    // It has used a minute too much, and gets a second back for each minute.
    let wait = try #require(gate.wait(of: "greedy"))
    #expect((3500...3600).contains(wait / .seconds(1)))
    #expect(gate.wait(of: "other") == nil)
    time.withLock { $0 += wait - .seconds(1) }
    #expect(gate.wait(of: "greedy") != nil)
    time.withLock { $0 += .seconds(2) }
    #expect(gate.wait(of: "greedy") == nil)
    // However long it is idle, it has no more than an hour's time.
    time.withLock { $0 += .seconds(1_000_000) }
    try await use(62)
    #expect(gate.wait(of: "greedy") != nil)
  }

  @Test("owners that have used up their time are not forgotten for others")
  func manyOwners() async throws {
    let time = Mutex(ContinuousClock.now)
    let gate = Gate(.init(count: 8, waitingMax: 100, hourlyTime: .seconds(1))) {
      time.withLock(\.self)
    }
    func use(_ owner: String, _ seconds: Int) async throws {
      _ = try await gate.pass(owner: owner, bytes: 1) { time.withLock { $0 += .seconds(seconds) } }
    }
    try await use("greedy", 2)
    time.withLock { $0 += .seconds(600) }
    for number in 0..<1_100 { try await use("other \(number)", 0) }
    #expect(gate.wait(of: "greedy") != nil)
  }

  @Test("one owner gets at most half of the bytes")
  func halfOfTheBytes() {
    let budget = ByteBudget(100)
    let (greedy, other) = (
      ByteBudget.Share(budget, owner: "a"), ByteBudget.Share(budget, owner: "b")
    )
    #expect(greedy.grow(by: 50) && !greedy.grow(by: 1))
    #expect(!ByteBudget.Share(budget, owner: "a").grow(by: 1))
    #expect(other.grow(by: 50))
  }
}
