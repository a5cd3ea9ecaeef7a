import DaybookJSON

/// Shows reports to programs.
struct JSONRenderer: ReportRenderer {
  /// How a list is divided into lines.
  enum Form {
    /// An array on one line.
    case array
    /// An array with a record on each line.
    case rows
    /// A document on each line, and no array.
    case lines

    /// What stands before the first record, before each other one, and behind each of them.
    fileprivate var marks: (first: String, next: String, end: String) {
      switch self {
      case .array: ("[", ",", "")
      case .rows: ("[", ",\n", "")
      case .lines: ("", "", "\n")
      }
    }
  }

  private let form: Form
  /// The keys of rows without keys.
  private let columns: [String]
  private var isEmpty = true

  init(_ form: Form, columns: [String]) { (self.form, self.columns) = (form, columns) }

  mutating func add(_ record: Report) {
    write { record.write(to: &$0) }
  }

  mutating func add(_ row: [any ReportValue]) {
    write { [columns] writer in
      writer.object {
        for (key, value) in zip(columns, row) {
          $0.key(key)
          value.write(to: &$0)
        }
      }
    }
  }

  private mutating func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.bytes += (isEmpty ? form.marks.first : form.marks.next).utf8
    body(&writer)
    writer.bytes += form.marks.end.utf8
    StandardOutput.write(writer.bytes)
    isEmpty = false
  }

  mutating func end(none: String?, last: String?) {
    if form != .lines { StandardOutput.line(isEmpty ? "[]" : "]") }
  }
}
