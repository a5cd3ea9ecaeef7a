internal import LogEngine

/// A process that uses the store: its log, open or not, and its lock.
struct SimulatedProcess {
  let number: Int
  var log: EventLog?
  var lock: SimulatedLock?
  var isReader = false
  /// Within a transaction, with the commit lock.
  var isWriting = false
  /// The log has refused to go on until it is opened again.
  var isPoisoned = false

  init(number: Int) { self.number = number }

  var name: String { ["A", "B", "C", "D"][number % 4] }

  /// It is no more; what it had locked is free.
  mutating func die() {
    lock?.unlock()
    self = SimulatedProcess(number: number)
  }
}
