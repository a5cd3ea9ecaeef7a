import DaybookLocks
import Testing

@testable import DaybookHubServer

@Suite struct MessageBudgetTests {
  @Test("messages of one kind are limited per minute, and suppressed ones are counted")
  func budgetPerMinute() {
    let time = Mutex(ContinuousClock.now)
    let budget = MessageBudget(perMinute: 3) { time.withLock(\.self) }
    #expect((0..<10).map { _ in budget.admit("a") } == [0, 0, 0] + Array(repeating: nil, count: 7))
    #expect(budget.admit("b") == 0)
    time.withLock { $0 += .seconds(61) }
    #expect(budget.admit("a") == 7)
    #expect(budget.admit("a") == 0)
  }
}
