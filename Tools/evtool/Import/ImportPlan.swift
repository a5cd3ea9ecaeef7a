import Daybook
import EventCore
import Foundation
import Projections

/// What a file is going to become, known before anything of it is written.
protocol ImportPlan: Sendable {
  /// What lines are called: a database has rows instead.
  var unit: String { get }

  /// How many steps become one event; nil where that is for the user to say.
  var stepsPerEvent: Int? { get }

  /// - Parameter firstLine: what lies before it is passed over.
  func feed(from firstLine: Int) throws -> any ImportFeed

  /// Says it on the error stream, where there is anything to decide.
  func show()

  /// Adds it to a report for programs.
  func write(to writer: inout JSONWriter)

  /// How many timestamps are going to be kept to the millisecond only, as far as that is known.
  var finerTimestamps: Int { get }

  /// What of the file is not imported, in words; nil where all of it is.
  var leftOut: String? { get }

  /// Takes away what the plan needed.
  func end()
}

extension ImportPlan {
  var stepsPerEvent: Int? { nil }
  var finerTimestamps: Int { 0 }
  var leftOut: String? { nil }
  func end() {}
}

/// A file of interchange says itself what it becomes.
struct LinePlan: ImportPlan {
  let source: ImportSource
  let unit = "line"

  func feed(from firstLine: Int) -> any ImportFeed { LineFeed(source, from: firstLine) }
  func show() {}
  func write(to writer: inout JSONWriter) {}
}

/// The formats that files to import may have.
enum ImportFormat: String, CaseIterable {
  case ndjson, csv, tsv, sqlite, events

  /// By the beginning of the content, then by the ending of the name.
  init(of source: ImportSource) {
    if SQLitePlace.isDatabase(source.descriptor) {
      self = .sqlite
      return
    }
    switch source.ending {
    case "db", "sqlite", "sqlite3": self = .sqlite
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    default: self = .ndjson
    }
  }

  var isTable: Bool { self == .csv || self == .tsv }
}

extension ImportSource {
  /// The last part of the name.
  var fileName: String { name.parts(between: "/").last { !$0.isEmpty }.map(String.init) ?? name }

  /// What stands behind the name's last point, in lower case; empty where there is none.
  var ending: String {
    let parts = fileName.parts(between: ".")
    return parts.count > 1 ? Names.folded(String(parts[parts.count - 1])) : ""
  }
}
