import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookProjections

/// The options for importing tables without a schema as collections.
struct TableOptions: ParsableArguments {
  @Option(
    help: "The collection for the rows of a table (csv, tsv). Default: the file's name.")
  var collection: String?
  @Option(
    help: "The column with the ids (csv, tsv). Default: the column id, else the ids are made.")
  var id: String?
  @Option(help: "FIELD=TYPE if the type is not to be inferred; may be given several times.")
  var type: [TypeChoice] = []
  @Flag(help: "The table holds relationships, with the columns source and target.")
  var relationship = false
  @Flag(help: "The table's collection is local: it never leaves this replica (csv, tsv).")
  var local = false
  @Option(help: "What stands between cells (csv, tsv). Default: as the file shows, for tsv a tab.")
  var delimiter: DelimiterChoice?
  @Flag(help: "Double quotes are characters like all others (csv, tsv).")
  var noQuotes = false
  @Flag(help: "Numbers have a comma before their decimals, and no point (csv, tsv).")
  var decimalComma = false
  @Option(
    help: """
      FIELD,…: these become searchable, or TABLE.FIELD,… Default: texts with words in them, of \
      collections that are new.
      """)
  var search: [String] = []
  @Flag(help: "No field becomes searchable.")
  var noSearch = false
  @Option(help: "TABLE,…: import these tables only (sqlite).")
  var only: [String] = []
  @Option(help: "TABLE,…: leave these tables out (sqlite).")
  var except: [String] = []
  @Flag(help: "Rows whose ids are in the store change what is there, instead of being errors.")
  var put = false

  /// Returns the first given option that does not apply to a format; nil if there is none.
  func foreign(to format: ImportFormat) -> String? {
    if format != .sqlite, !only.isEmpty || !except.isEmpty {
      return only.isEmpty ? "--except" : "--only"
    }
    if format.isTable { return nil }
    if let option = givenForFiles { return option }
    guard format != .sqlite else { return nil }
    if !search.isEmpty || noSearch { return search.isEmpty ? "--no-search" : "--search" }
    return put ? "--put" : nil
  }

  static func formats(of option: String) -> String {
    switch option {
    case "--only", "--except": "sqlite"
    case "--put", "--search", "--no-search": "csv, tsv and sqlite"
    default: "csv and tsv"
    }
  }

  /// The first given option that applies to csv and tsv only.
  private var givenForFiles: String? {
    if collection != nil { return "--collection" }
    if id != nil { return "--id" }
    if !type.isEmpty { return "--type" }
    if relationship { return "--relationship" }
    if local { return "--local" }
    if delimiter != nil { return "--delimiter" }
    if noQuotes { return "--no-quotes" }
    return decimalComma ? "--decimal-comma" : nil
  }

  /// The options as the library takes them.
  var tables: ImportOptions.Tables {
    var tables = ImportOptions.Tables()
    tables.collection = collection
    tables.id = id
    tables.types = Dictionary(
      type.map { ($0.column, $0.type) }, uniquingKeysWith: { first, _ in first })
    tables.isRelationship = relationship
    tables.isLocal = local
    tables.delimiter = delimiter?.scalar
    tables.hasQuotes = !noQuotes
    tables.hasDecimalComma = decimalComma
    tables.search =
      noSearch ? .none : search.isEmpty ? .automatic : .named(Self.names(search))
    tables.only = Self.names(only)
    tables.except = Self.names(except)
    tables.replaces = put
    return tables
  }

  /// The option for a delimiter.
  static func delimiter(_ scalar: Unicode.Scalar) -> String { "--delimiter '\(scalar)'" }

  /// Returns the names in comma-separated lists.
  static func names(_ lists: [String]) -> [String] {
    lists.flatMap { $0.parts(between: ",") }.map { String($0.withoutIndent) }.filter { !$0.isEmpty }
  }

  func validate() throws {
    if let collection, !Names.isValid(collection) {
      throw ValidationError(
        "--collection \(collection.quotedForMessage) is no name: a letter, then up to 62 letters, "
          + "digits or underscores (ASCII)")
    }
    if noSearch, !search.isEmpty {
      throw ValidationError("--search and --no-search exclude one another")
    }
    if !only.isEmpty, !except.isEmpty {
      throw ValidationError("--only and --except exclude one another")
    }
    var seen: Set<String> = []
    for choice in type where !seen.insert(choice.column).inserted {
      throw ValidationError("--type is given twice for \(choice.column.quotedForMessage)")
    }
  }
}

/// An argument `FIELD=TYPE`.
struct TypeChoice: ExpressibleByArgument, Sendable {
  var column: String
  var type: FieldType

  /// Splits the argument at the last equals sign, as a column's heading may contain some.
  init?(argument: String) {
    guard let equals = argument.unicodeScalars.lastIndex(of: "="), equals != argument.startIndex,
      let type = FieldType(
        rawValue: String(argument[argument.unicodeScalars.index(after: equals)...]))
    else { return nil }
    column = String(argument[..<equals])
    self.type = type
  }

  static var allValueStrings: [String] { [] }
}

/// An argument for a delimiter: one character, or `tab` or `\t`.
struct DelimiterChoice: ExpressibleByArgument, Sendable {
  var scalar: Unicode.Scalar

  init?(argument: String) {
    if argument == "tab" || argument == "\\t" {
      scalar = "\t"
      return
    }
    guard argument.unicodeScalars.count == 1, let scalar = argument.unicodeScalars.first,
      CSVReader.isDelimiter(scalar)
    else { return nil }
    self.scalar = scalar
  }
}
