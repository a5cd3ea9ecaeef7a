/// One line of output: a flat JSON object whose members keep the order in which they were added.
struct JSONLine {
  private var members: [String] = []

  mutating func add(_ name: String, _ value: String) {
    members.append("\(Self.quoted(name)):\(Self.quoted(value))")
  }

  mutating func add(_ name: String, _ value: some BinaryInteger) {
    members.append("\(Self.quoted(name)):\(value)")
  }

  mutating func add(_ name: String, _ value: Bool) {
    members.append("\(Self.quoted(name)):\(value)")
  }

  /// Adds a time in seconds, to the microsecond.
  mutating func add(_ name: String, seconds nanoseconds: UInt64) {
    let microseconds = (nanoseconds + 500) / 1000
    let fraction = String(microseconds % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    members.append("\(Self.quoted(name)):\(microseconds / 1_000_000).\(zeros)\(fraction)")
  }

  /// Adds the count and the quantiles of a series of measurements.
  mutating func add(_ latencies: Latencies) {
    add("count", latencies.count)
    let quantiles = latencies.quantiles(500, 990, 999, 1000)
    for (name, value) in zip(["median_ns", "p99_ns", "p999_ns", "max_ns"], quantiles) {
      add(name, value)
    }
  }

  func write() {
    print("{\(members.joined(separator: ","))}")
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
