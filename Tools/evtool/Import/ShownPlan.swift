import DaybookInterchange

/// A plan of an import that involves choices, which people want to see.
protocol ShownPlan: ImportPlan {
  /// Prints the plan on the error stream.
  func show()

  /// Adds the plan's facts to a report.
  func state(in report: inout Report)

  /// The parts of the file that are not imported, in words; nil if all of it is.
  var leftOut: String? { get }
}

extension ShownPlan {
  var leftOut: String? { nil }
}
