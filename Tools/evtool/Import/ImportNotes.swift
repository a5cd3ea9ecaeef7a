import Daybook
import DaybookProjections

/// The notes about an import.
enum ImportNotes {
  static func finer(_ count: Int) -> String {
    count == 1
      ? "1 timestamp is finer than a millisecond, and is kept to the millisecond"
      : "\(Text.grouped(count)) timestamps are finer than a millisecond, and are kept to the "
        + "millisecond"
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
