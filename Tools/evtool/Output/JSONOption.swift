import ArgumentParser

/// The option to print JSON. It decides which renderer shows what a command reports.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print JSON, for programs.")
  var json = false

  /// Shows a report: an object on one line for programs, and its lines for people.
  func show(_ report: Report) throws {
    var renderer = renderer(.lines, [])
    try renderer.add(report)
  }

  /// Shows the report of something that is done and stays done, also if it cannot be printed.
  func confirm(_ report: Report) throws {
    StandardOutput.isConfirmation()
    try show(report)
  }

  /// Shows a list: an array on one line for programs.
  /// - Parameter none: What people read if the list is empty.
  func show(_ records: [Report], columns: [String] = [], none: String? = nil) throws {
    var list = list(.array, columns: columns)
    for record in records { try list.add(record) }
    list.end(none: none)
  }

  /// Begins a list whose records are shown as they come.
  /// - Parameters:
  ///   - form: How JSON divides it into lines.
  ///   - columns: The headings of the table that people see; none for the records' own lines.
  func list(_ form: JSONRenderer.Form, columns: [String] = []) -> ReportList {
    ReportList(renderer(form, columns))
  }

  private func renderer(_ form: JSONRenderer.Form, _ columns: [String]) -> any ReportRenderer {
    json ? JSONRenderer(form, columns: columns) : TextRenderer(columns: columns)
  }
}
