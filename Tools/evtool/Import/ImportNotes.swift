import Daybook
import DaybookInterchange
import DaybookProjections

/// The notes about an import.
enum ImportNotes {
  static func finer(_ count: Int) -> String {
    count == 1
      ? "1 timestamp is finer than a millisecond, and is kept to the millisecond"
      : "\(Text.grouped(count)) timestamps are finer than a millisecond, and are kept to the "
        + "millisecond"
  }

  /// Returns how much of a file is in the store, as in `lines 1 to 5 are`.
  static func inStore(_ lastLine: Int, _ unit: String) -> String {
    guard lastLine > 0 else { return "no \(unit) is" }
    return lastLine == 1 ? "\(unit) 1 is" : "\(unit)s 1 to \(Text.grouped(lastLine)) are"
  }

  /// Returns the failure for the error of an import: the place, what is in the store, and by which
  /// option the import goes on.
  static func failure(_ error: ImportError, isDryRun: Bool) -> Failure {
    var failure = error.underlying.map { Failure($0) } ?? Failure(.usage, "")
    failure.message = error.message
    failure.hint = hint(error) ?? error.hint
    if error.code == .stopped {
      failure.status = .interrupted
      if isDryRun { failure.message += ", as --dry-run asks" }
      return failure
    }
    let inStore = inStore(error.lastLine, error.unit)
    if let place = error.place {
      let hint = failure.hint.map { "; \($0.prefix(1).lowercased() + $0.dropFirst())" } ?? ""
      failure.message = "\(place): \(failure.message)\(hint)"
      let remedy =
        error.lastLine > 0 && !error.isAtRow
        ? "Correct the \(error.unit) and go on with --from \(error.lastLine + 1)."
        : "Correct the \(error.unit) and import the file again."
      failure.hint = "Of \(error.file) \(inStore) in the store. \(remedy)"
    } else if error.code == .refused {
      failure.message += "; \(inStore) in the store"
      if error.lastLine > 0 {
        failure.hint = (failure.hint.map { "\($0). " } ?? "") + "--resume goes on behind them"
      }
    }
    return failure
  }

  private static func hint(_ error: ImportError) -> String? {
    switch error.remedy {
    case nil: nil
    case .collection: "Say --collection NAME"
    case .delimiter(let other):
      (error.hint ?? "") + ", and need an option such as " + TableOptions.delimiter(other)
    case .again(let isTable):
      "--resume goes on behind that line; --again imports all of it once more"
        + (isTable ? ", and with other options it is another import" : "")
    }
  }

  /// Prints a note that a table was imported before, and read in another way, so that what came of
  /// it is in the same collection.
  static func showOtherReading(_ source: ImportSource, _ table: TableReading?) {
    guard let collection = table?.collection else { return }
    StandardError.line(
      "evtool: note: \(Text.oneLine(source.name)) was imported into \(collection) before, and read "
        + "in another way; what came of that is still there")
    StandardError.line(
      "  To be rid of that, import into another collection, and then the line "
        + #"{"op":"drop","collection":"\#(collection)"}"#)
  }

  /// Prints a note if no field is searchable, as `search` then finds nothing.
  static func showSearchable(_ store: Store) async throws {
    let schema = try await store.schema()
    guard let hint = unsearchable(schema) else { return }
    StandardError.line("evtool: note: no field is searchable, so `evtool search` finds nothing")
    StandardError.line("  \(hint)")
  }

  /// Returns how to make a field searchable; nil if a field is searchable, or no collection has a
  /// text field.
  static func unsearchable(_ schema: StoreSchema) -> String? {
    guard schema.sorted.allSatisfy(\.searchable.isEmpty) else { return nil }
    for collection in schema.sorted {
      guard let field = Entities.titleField(collection) else { continue }
      let line =
        #"{"op":"define","collection":"\#(collection.name)","fields":["#
        + #"{"name":"\#(field.name)","search":true}]}"#
      return "Import a line that makes one so, such as \(line)"
    }
    return nil
  }
}
