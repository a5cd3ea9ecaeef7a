import Daybook
import DaybookEventCore
import DaybookJSON

/// How a file is read as a table: into which collection, in which dialect, with which ids.
///
/// An import notes it in its events. To read a file in another way is another import, so a second
/// try is possible after a wrong one.
package struct TableReading: Sendable {
  package let collection: String
  package let dialect: CSVDialect
  /// The column of the ids, if the user has named one.
  let id: String?
  /// Whether the content of the file has shown the delimiter, and it is not the format's usual one.
  package let isDelimiterFound: Bool

  init(
    _ source: ImportSource, _ format: ImportFormat, _ options: ImportOptions.Tables
  ) throws(ImportError) {
    collection = try Self.collection(options, source)
    id = options.id
    let usual: Unicode.Scalar = format == .tsv ? "\t" : ","
    let delimiter =
      options.delimiter ?? Self.delimiter(source, format, hasQuotes: options.hasQuotes)
    isDelimiterFound = options.delimiter == nil && delimiter != usual
    dialect = CSVDialect(
      delimiter: delimiter, hasQuotes: options.hasQuotes,
      hasDecimalComma: options.hasDecimalComma)
  }

  /// Returns the collection that was requested, or one named after the file.
  private static func collection(_ options: ImportOptions.Tables, _ source: ImportSource)
    throws(ImportError) -> String
  {
    if let collection = options.collection { return collection }
    guard source.name != "stdin" else {
      throw ImportError(
        .nameless, "the standard input has no name that a collection could have",
        hint: "Name the collection", remedy: .collection)
    }
    let stem =
      source.fileName.parts(between: ".").first { !$0.isEmpty }.map(String.init) ?? source.fileName
    return NameMapping.collections([stem])[0]
  }

  /// The most bytes in which a delimiter is looked for. They hold the header and some rows.
  private static let beginningBytes = 1 << 20

  private static func delimiter(_ source: ImportSource, _ format: ImportFormat, hasQuotes: Bool)
    -> Unicode.Scalar
  {
    let beginning = source.beginning(beginningBytes)
    guard format != .tsv else { return CSVDialect.namedDelimiter(in: beginning) ?? "\t" }
    return CSVDialect.delimiter(
      in: beginning, isWhole: beginning.count < beginningBytes, hasQuotes: hasQuotes)
  }

  package var delimiterInWords: String {
    dialect.delimiter == "\t" ? "tabs" : "'\(dialect.delimiter)'"
  }

  /// Another delimiter: the most usual one that this is not.
  package var otherDelimiter: Unicode.Scalar { dialect.delimiter == "," ? ";" : "," }

  /// The reading as the annotation of an event.
  var annotation: String {
    var writer = JSONWriter()
    writer.object {
      $0.member("collection", collection)
      $0.member("delimiter", String(dialect.delimiter))
      $0.member("quotes", dialect.hasQuotes)
      $0.member("decimalComma", dialect.hasDecimalComma)
      $0.key("id")
      if let id { $0.text(id) } else { $0.null() }
    }
    return writer.string
  }

  /// Returns the collection that an annotation names; nil if it is no annotation of this form.
  static func collection(of annotation: String) -> String? {
    guard let json = try? JSONParser.parse(Array(annotation.utf8)),
      case .text(let collection)? = json["collection"]
    else { return nil }
    return collection
  }
}
