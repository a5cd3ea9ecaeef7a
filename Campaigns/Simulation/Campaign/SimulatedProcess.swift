import DaybookLogEngine

/// A process that uses the store, with its log, open or not, and its lock.
struct SimulatedProcess {
  let number: Int
  var log: EventLog?
  var lock: SimulatedLock?
  var isReader = false
  /// Whether it is within a transaction, with the commit lock.
  var isWriting = false
  /// Whether the log refuses to go on until it is opened again.
  var isPoisoned = false

  init(number: Int) { self.number = number }

  var name: String { ["A", "B", "C", "D"][number % 4] }

  /// Ends the process and releases its lock.
  mutating func die() {
    lock?.unlock()
    self = SimulatedProcess(number: number)
  }
}
