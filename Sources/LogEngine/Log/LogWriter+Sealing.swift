internal import EventCore

extension LogWriter {
  mutating func rollIfNeeded() throws(LogError) -> SealOutcome { .nothing }
  mutating func seal() throws(LogError) -> SealOutcome { .nothing }
  mutating func close() throws(LogError) { isClosed = true }
}
