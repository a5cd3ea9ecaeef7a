/// How a CSV file is spelled.
package struct CSVDialect: Hashable, Sendable {
  /// What stands between cells.
  package var delimiter: Unicode.Scalar
  /// Whether double quotes enclose cells; if false, they are ordinary characters.
  package var hasQuotes: Bool
  /// Whether numbers have a comma before their decimals, and no point.
  package var hasDecimalComma: Bool

  package init(
    delimiter: Unicode.Scalar = ",", hasQuotes: Bool = true, hasDecimalComma: Bool = false
  ) {
    self.delimiter = delimiter
    self.hasQuotes = hasQuotes
    self.hasDecimalComma = hasDecimalComma
  }

  // MARK: - Finding the delimiter

  /// What programs put between cells, the usual one first.
  private static let delimiters: [Unicode.Scalar] = [",", ";", "\t", "|"]
  /// How many rows are tried with each delimiter.
  private static let rowsTried = 100

  /// Returns the delimiter of a file: the one that a first line such as `sep=;` names; else the one
  /// that makes rows as wide as the header, and if several do, the one that makes most cells. If
  /// none does, it is the comma, if the header has one.
  ///
  /// - Parameters:
  ///   - beginning: the first bytes of the file, with at least the header.
  ///   - isWhole: whether that is all of the file.
  package static func delimiter(in beginning: [UInt8], isWhole: Bool, hasQuotes: Bool)
    -> Unicode.Scalar
  {
    if let named = namedDelimiter(in: beginning) { return named }
    let trials = delimiters.map { Trial($0, beginning, isWhole: isWhole, hasQuotes: hasQuotes) }
    let fitting = trials.filter { $0.width > 1 && $0.isEven }
    if let best = Trial.widest(fitting) { return best.delimiter }
    if trials[0].width > 1 { return "," }
    return Trial.widest(trials.filter { $0.width > 1 })?.delimiter ?? ","
  }

  /// Returns the delimiter that a first line such as `sep=;` names; nil if there is no such line.
  package static func namedDelimiter(in beginning: [UInt8]) -> Unicode.Scalar? {
    CSVReader.separatorLine(beginning)?.delimiter
  }

  /// The first rows of a file, as a delimiter divides them.
  private struct Trial {
    let delimiter: Unicode.Scalar
    /// The number of cells in the header; 0 if it cannot be read.
    private(set) var width = 0
    /// Whether all rows that were read are as wide as the header.
    private(set) var isEven = true

    init(_ delimiter: Unicode.Scalar, _ beginning: [UInt8], isWhole: Bool, hasQuotes: Bool) {
      self.delimiter = delimiter
      var reader = CSVReader(delimiter: delimiter, hasQuotes: hasQuotes)
      reader.feed(beginning)
      if isWhole { reader.finish() }
      do throws(CSVError) {
        width = try reader.next()?.cells.count ?? 0
        for _ in 0..<CSVDialect.rowsTried {
          guard let record = try reader.next() else { return }
          isEven = isEven && record.cells.count == width
        }
      } catch { isEven = false }
    }

    /// The trial with the widest header, of equal ones the first.
    static func widest(_ trials: [Trial]) -> Trial? {
      trials.reduce(nil) { best, trial in trial.width > best?.width ?? 0 ? trial : best }
    }
  }
}
