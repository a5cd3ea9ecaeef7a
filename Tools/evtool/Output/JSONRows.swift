import Synchronization

/// A JSON array that is written element by element, one a line.
final class JSONRows: Sendable {
  private let count = Atomic(0)

  func add(_ json: [UInt8]) {
    let isFirst = count.add(1, ordering: .relaxed).oldValue == 0
    StandardOutput.write(Array((isFirst ? "[" : ",\n").utf8) + json)
  }

  func end() {
    StandardOutput.line(count.load(ordering: .relaxed) == 0 ? "[]" : "]")
  }
}
