import Daybook
import DaybookEventCore
package import DaybookProjections

/// What an import asks and tells while it runs.
package struct ImportHooks: Sendable {
  /// Called with the progress, often.
  package var progress: @Sendable (InterchangeProgress) -> Void
  /// Returns whether the import is to end after the work in progress.
  package var isStopped: @Sendable () -> Bool

  package init(
    progress: @escaping @Sendable (InterchangeProgress) -> Void = { _ in },
    isStopped: @escaping @Sendable () -> Bool
  ) {
    self.progress = progress
    self.isStopped = isStopped
  }

  /// Reports that rows of a source have been read.
  /// - Throws: ``ImportError`` `stopped` if the import is to end.
  func read(_ rows: Int, of source: ImportSource, fraction: Double?) throws(ImportError) {
    progress(
      InterchangeProgress(phase: .reading, file: source.name, count: rows, fraction: fraction))
    if isStopped() {
      throw ImportError(.stopped, "interrupted; nothing of \(source.name) has been imported")
    }
  }
}

/// The plan of an import: what a file will become, known before anything is written.
package protocol ImportPlan: Sendable {
  /// The name of the units that are counted, such as `line` or `row`.
  var unit: String { get }

  /// How the file is read as a table; nil if it is none.
  var reading: TableReading? { get }

  /// The number of steps in each event; nil if the user chooses it.
  var stepsPerEvent: Int? { get }

  /// Returns the file's steps.
  /// - Parameter firstLine: The first line to import; earlier lines are skipped.
  func feed(from firstLine: Int) throws -> any ImportFeed

  /// The number of timestamps that will be kept only to the millisecond, as far as it is known.
  var finerTimestamps: Int { get }

  /// Removes the plan's temporary files.
  func end()
}

extension ImportPlan {
  package var reading: TableReading? { nil }
  package var stepsPerEvent: Int? { nil }
  package var finerTimestamps: Int { 0 }
  package func end() {}
}

/// The plan of an interchange file, whose lines say what they become.
struct LinePlan: ImportPlan {
  let source: ImportSource
  let unit = "line"

  func feed(from firstLine: Int) -> any ImportFeed { LineFeed(source, from: firstLine) }
}
