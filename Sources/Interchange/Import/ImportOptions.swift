public import Daybook
import DaybookEventCore
import DaybookProjections

/// The formats of files that can be imported.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// Interchange: one operation a line, as JSON; or an array of such operations.
  case ndjson
  /// A table with a heading, whose cells are separated by commas, semicolons, tabs or bars.
  case csv
  /// A table with a heading, whose cells are separated by tabs.
  case tsv
  /// A database of SQLite. It is read and never written.
  case sqlite
  /// Events, as ``Daybook/Store/exportEvents(to:until:includesLocal:)`` writes them. Each becomes
  /// one event again.
  case events

  /// Detects the format by the beginning of the content, then by the ending of the name.
  package init(of source: ImportSource) {
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

  package var isTable: Bool { self == .csv || self == .tsv }
}

/// How a file is imported.
public struct ImportOptions: Sendable {
  /// Where an import begins, if the store knows the content of the file.
  public enum Start: Hashable, Sendable {
    /// At the beginning. A file that the store has, or has a part of, is an error.
    case new
    /// Behind the last line that the store has.
    case resuming
    /// At the beginning, whatever the store has.
    case again
    /// At this line, from 1; of a file that is an array, at this element. Not for databases.
    case line(Int)
  }

  /// How rows become entities; see ``ImportOptions/tables``.
  public struct Tables: Sendable {
    /// The collection of the rows of a file of CSV or TSV; nil for the file's name.
    public var collection: String?
    /// The column of the ids, of CSV and TSV; nil for the column `id`. If there is none, ids are
    /// made of the file's hash and the row's line.
    public var id: String?
    /// The types of fields whose type is not to be inferred, by field or column, of CSV and TSV.
    public var types: [String: FieldType] = [:]
    /// Whether the rows of a file of CSV or TSV are relationships, with the columns `source` and
    /// `target`.
    public var isRelationship = false
    /// Whether the collection of a file of CSV or TSV never leaves this replica.
    public var isLocal = false
    /// What separates the cells of CSV and TSV; nil for what the file shows.
    public var delimiter: Unicode.Scalar?
    /// Whether double quotes enclose cells of CSV and TSV.
    public var hasQuotes = true
    /// Whether the numbers of CSV and TSV have a comma before their decimals, and no point.
    public var hasDecimalComma = false
    /// Which fields become searchable.
    public var search = SearchableFields.automatic
    /// The tables of a database to import; empty for all.
    public var only: [String] = []
    /// The tables of a database to leave out.
    public var except: [String] = []
    /// Whether rows whose ids are in the store change what is there. Else they are errors.
    public var replaces = false

    /// Makes the usual options.
    public init() {}
  }

  /// The format; nil to detect it by the content, then by the ending of the name.
  public var format: ImportFormat?
  /// The most operations in one event, at least 1. An event has fewer if they would exceed 8 MiB.
  public var operationsPerEvent = 1000
  /// Where the import begins.
  public var start = Start.new
  /// What the events are for, in words; nil for `import` and the file's name.
  public var label: String?
  /// How tables are read: CSV, TSV and databases.
  public var tables = Tables()

  /// Makes the usual options.
  public init() {}
}

/// How far an import or an export is.
public struct InterchangeProgress: Sendable {
  /// What is done.
  public enum Phase: String, Sendable {
    /// A table or a database is read, before anything is written.
    case reading
    /// Operations are tried, and nothing is written.
    case trying
    /// Operations are written to the store.
    case importing
    /// Entities or events are written to a file.
    case exporting
  }

  /// What is done.
  public var phase: Phase
  /// The name of the file.
  public var file: String
  /// The number of rows read, operations written, or entities exported.
  public var count: Int
  /// The part that is done, from 0 to 1; nil if it is unknown.
  public var fraction: Double?
}

/// What an import has done.
public struct ImportReport: Sendable {
  /// The number of operations.
  public internal(set) var operations = 0
  /// The number of events that they became. A batch that changes nothing becomes none.
  public internal(set) var events = 0
  /// The last line of the file, row of its tables or element of its array that is in the store,
  /// from this import or an earlier one.
  public internal(set) var lastLine = 0
  /// Whether the import was stopped before the end of the file.
  package internal(set) var isInterrupted = false
  /// The number of timestamps of lines that were kept only to the millisecond.
  public internal(set) var finerTimestamps = 0
}
