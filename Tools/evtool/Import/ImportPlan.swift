import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import DaybookRDF
import Foundation

/// The plan of an import: what a file will become, known before anything is written.
protocol ImportPlan: Sendable {
  /// The name of the units that are counted, such as `line` or `row`.
  var unit: String { get }

  /// How the file is read as a table; nil if it is none.
  var reading: TableReading? { get }

  /// The number of steps in each event; nil if the user chooses it.
  var stepsPerEvent: Int? { get }

  /// Returns the file's steps.
  /// - Parameter firstLine: The first line to import; earlier lines are skipped.
  func feed(from firstLine: Int) throws -> any ImportFeed

  /// Prints the plan on the error stream, if it involves choices.
  func show()

  /// Adds the plan to a report in JSON.
  func write(to writer: inout JSONWriter)

  /// The number of timestamps that will be kept only to the millisecond, as far as it is known.
  var finerTimestamps: Int { get }

  /// The parts of the file that are not imported, in words; nil if all of it is.
  var leftOut: String? { get }

  /// Removes the plan's temporary files.
  func end()
}

extension ImportPlan {
  var reading: TableReading? { nil }
  var stepsPerEvent: Int? { nil }
  var finerTimestamps: Int { 0 }
  var leftOut: String? { nil }
  func end() {}
}

/// The plan of an interchange file, whose lines say what they become.
struct LinePlan: ImportPlan {
  let source: ImportSource
  let unit = "line"

  func feed(from firstLine: Int) -> any ImportFeed { LineFeed(source, from: firstLine) }
  func show() {}
  func write(to writer: inout JSONWriter) {}
}

/// The formats of files to import.
enum ImportFormat: String, CaseIterable {
  case ndjson, csv, tsv, sqlite, events, turtle, trig, ntriples, nquads

  /// Detects the format by the beginning of the content, then by the ending of the name.
  init(of source: ImportSource) {
    if SQLitePlace.isDatabase(source.descriptor) {
      self = .sqlite
      return
    }
    switch source.ending {
    case "db", "sqlite", "sqlite3": self = .sqlite
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    default:
      let rdf = RDFFormat(fileEnding: source.ending)
      self = rdf.flatMap { ImportFormat(rawValue: $0.rawValue) } ?? .ndjson
    }
  }

  /// The format of RDF; nil if it is none.
  var rdf: RDFFormat? { RDFFormat(rawValue: rawValue) }

  var isTable: Bool { self == .csv || self == .tsv }
}

extension ImportSource {
  /// The last part of the path.
  var fileName: String { name.parts(between: "/").last { !$0.isEmpty }.map(String.init) ?? name }

  /// The text after the name's last dot, in lower case; empty if there is none.
  var ending: String {
    let parts = fileName.parts(between: ".")
    return parts.count > 1 ? Names.folded(String(parts[parts.count - 1])) : ""
  }
}
