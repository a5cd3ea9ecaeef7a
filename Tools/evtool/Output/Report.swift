import DaybookEventCore
import DaybookJSON

/// What a command has to say, made once. ``JSONRenderer`` shows it to programs as an object, and
/// ``TextRenderer`` to people as lines.
///
/// A fact has a key and a value for programs and, beside them, its line for people, or its cell in
/// a table. What only one of the two needs is a fact without a line, or a line without a fact.
struct Report {
  /// A member of the object.
  struct Fact {
    var key: String
    var value: any ReportValue
    /// The column of a table that shows the fact; nil for none.
    var column: String?
    /// What the column shows; nil for the value's own words.
    var words: (() -> String)?
  }

  /// Something for people.
  enum Line {
    /// A line, made when it is shown; nil for none.
    case text(() throws -> String?)
    /// A line of the error stream.
    case note(String)
    /// A table of reports, under the headings of its columns.
    case table([String], [Report])
  }

  /// What programs read, in this order.
  var facts: [Fact] = []
  /// What people read, in this order.
  var lines: [Line] = []
  /// What programs get instead of an object; nil for the object.
  private var value: (any ReportValue)?

  init(_ build: (inout Report) throws -> Void) rethrows { try build(&self) }

  /// Creates a report that is not an object for programs, but this value.
  init(_ value: some ReportValue, _ line: @autoclosure @escaping () throws -> String? = nil) {
    self.value = value
    lines = value.lines + [.text(line)]
  }

  /// The report of something that is not there: null for programs, and nothing for people.
  static var nothing: Report { Report(Bool?.none) }

  // MARK: - Facts

  /// Adds a fact. A report within this one, or a list of reports, brings its lines along.
  mutating func fact(_ key: String, _ value: some ReportValue) {
    facts.append(Fact(key: key, value: value))
    lines += value.lines
  }

  /// Adds a fact and its line for people; none if it is nil.
  mutating func fact(
    _ key: String, _ value: some ReportValue, _ line: @autoclosure @escaping () throws -> String?
  ) {
    fact(key, value)
    lines.append(.text(line))
  }

  /// Adds a fact that the table shows in a column, if the report is one of its rows.
  mutating func fact(_ key: String, _ value: some ReportValue, column: String) {
    facts.append(Fact(key: key, value: value, column: column))
  }

  /// Adds a fact that the table shows in a column, in the given words.
  mutating func fact(
    _ key: String, _ value: some ReportValue, column: String,
    _ words: @autoclosure @escaping () -> String
  ) {
    facts.append(Fact(key: key, value: value, column: column, words: words))
  }

  /// Adds a list of values, with a line for each.
  mutating func fact<T: ReportValue>(
    _ key: String, _ values: [T], _ line: @escaping (T) throws -> String
  ) {
    fact(key, values)
    for value in values { self.line(try line(value)) }
  }

  /// Adds a list of reports that people see as a table.
  mutating func fact(_ key: String, _ reports: [Report], columns: [String]) {
    facts.append(Fact(key: key, value: reports))
    lines.append(.table(columns, reports))
  }

  /// Adds the origin and the number of an event; null if there is none.
  mutating func event(_ id: EventID?) {
    fact("origin", id?.origin)
    fact("sequence", id?.sequence)
  }

  /// Adds all that another report says.
  mutating func add(_ report: Report) {
    facts += report.facts
    lines += report.lines
  }

  // MARK: - For people only

  /// Adds a line; none if it is nil.
  mutating func line(_ text: @autoclosure @escaping () throws -> String?) {
    lines.append(.text(text))
  }

  /// Adds a line of the error stream.
  mutating func note(_ text: String) { lines.append(.note(text)) }
}

extension Report: ReportValue {
  func write(to writer: inout JSONWriter) {
    if let value { return value.write(to: &writer) }
    writer.object { writer in
      for fact in facts {
        writer.key(fact.key)
        fact.value.write(to: &writer)
      }
    }
  }
}
