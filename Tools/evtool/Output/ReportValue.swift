import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// A value in a ``Report``. It has a form in JSON, and one in the cell of a table if the report has
/// no other words for it.
protocol ReportValue {
  func write(to writer: inout JSONWriter)

  /// The text of a cell.
  var cell: String { get }

  /// The lines for people that the value brings along, as a report does.
  var lines: [Report.Line] { get }
}

extension ReportValue {
  var cell: String { Text.oneLine("\(self)") }
  var lines: [Report.Line] { [] }
}

extension ReportValue where Self: FixedWidthInteger {
  func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: ReportValue {}
extension Int64: ReportValue {}
extension UInt32: ReportValue {}
extension UInt64: ReportValue {}

extension Bool: ReportValue {
  func write(to writer: inout JSONWriter) { writer.boolean(self) }
}

extension Double: ReportValue {
  func write(to writer: inout JSONWriter) { writer.real(self) }
}

extension String: ReportValue {
  func write(to writer: inout JSONWriter) { writer.text(self) }
}

extension Optional: ReportValue where Wrapped: ReportValue {
  func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.null() }
  }

  var cell: String { self?.cell ?? "–" }
  var lines: [Report.Line] { self?.lines ?? [] }
}

extension Array: ReportValue where Element: ReportValue {
  func write(to writer: inout JSONWriter) {
    writer.array { writer in for element in self { element.write(to: &writer) } }
  }

  var lines: [Report.Line] { flatMap(\.lines) }
}

/// An object, with its keys in the order of their UTF-8.
extension Dictionary: ReportValue where Key == String, Value: ReportValue {
  func write(to writer: inout JSONWriter) {
    writer.object {
      for (key, value) in sorted(by: { utf8Less($0.key, $1.key) }) {
        $0.key(key)
        value.write(to: &$0)
      }
    }
  }
}

extension Value: ReportValue {
  func write(to writer: inout JSONWriter) { writer.value(self) }

  var cell: String { Text.value(self) }
}

extension Cell: ReportValue {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .integer(let number): writer.integer(number)
    case .real(let number): writer.real(number)
    case .text(let text): writer.text(text)
    case .blob(let bytes): writer.text(Base64.encode(bytes))
    }
  }

  var cell: String { self == .null ? "–" : Text.oneLine(plain) }

  /// The cell as it stands in CSV; empty for NULL.
  var plain: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): Base64.encode(bytes)
    }
  }
}

extension HybridTime: ReportValue {
  func write(to writer: inout JSONWriter) { writer.timestamp(milliseconds) }
}

extension ReplicaID: ReportValue {
  func write(to writer: inout JSONWriter) { writer.text(description) }
}

extension EventID: ReportValue {
  func write(to writer: inout JSONWriter) { writer.text(description) }
}

extension ZoneID: ReportValue {
  func write(to writer: inout JSONWriter) { writer.text(description) }
}

extension StateDigest: ReportValue {
  func write(to writer: inout JSONWriter) { writer.text(description) }
}

extension VersionVector: ReportValue {
  func write(to writer: inout JSONWriter) {
    writer.object { for (origin, sequence) in entries { $0.member(origin.description, sequence) } }
  }
}
