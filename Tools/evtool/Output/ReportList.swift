/// What shows reports, one after another.
protocol ReportRenderer {
  mutating func add(_ record: Report) throws

  /// Shows a row of values, whose keys are the columns.
  mutating func add(_ row: [any ReportValue])

  /// Ends the list.
  /// - Parameters:
  ///   - none: What people read if the list is empty; nil for the headings only.
  ///   - last: A last line for people.
  mutating func end(none: String?, last: String?)
}

/// A list of records that are shown as they come. A list of any length takes the same memory.
struct ReportList {
  private var renderer: any ReportRenderer

  init(_ renderer: any ReportRenderer) { self.renderer = renderer }

  /// Shows a record.
  /// - Throws: ``Failure`` if the output cannot be written any more.
  mutating func add(_ record: Report) throws {
    try StandardOutput.check()
    try renderer.add(record)
  }

  /// Shows a row of a table that is known by its columns only: a value for each of them. The method
  /// is not generic, because that takes twice the time on long tables.
  mutating func add(_ row: [any ReportValue]) throws {
    try StandardOutput.check()
    renderer.add(row)
  }

  mutating func end(none: String? = nil, last: String? = nil) {
    renderer.end(none: none, last: last)
  }
}
