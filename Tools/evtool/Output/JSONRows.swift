import DaybookLocks

/// A JSON array that is written element by element, one a line.
final class JSONRows: Sendable {
  private let count = Mutex(0)

  func add(_ json: [UInt8]) {
    let isFirst =
      count.withLock { value in
        defer { value += 1 }
        return value
      } == 0
    StandardOutput.write(Array((isFirst ? "[" : ",\n").utf8) + json)
  }

  func end() {
    StandardOutput.line(count.withLock { $0 } == 0 ? "[]" : "]")
  }
}
