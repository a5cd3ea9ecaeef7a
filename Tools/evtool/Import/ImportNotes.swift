import Daybook
import Projections

/// What there is to say about an import beside how much it was.
enum ImportNotes {
  static func finer(_ count: Int) -> String {
    count == 1
      ? "1 timestamp is finer than a millisecond, and is kept to the millisecond"
      : "\(Text.grouped(count)) timestamps are finer than a millisecond, and are kept to the "
        + "millisecond"
  }

  /// Says that `search` finds nothing, where no field is searchable.
  static func showSearchable(_ store: Store) async throws {
    let schema = try await store.schema()
    guard let hint = unsearchable(schema) else { return }
    StandardError.line("evtool: note: no field is searchable, so `evtool search` finds nothing")
    StandardError.line("  \(hint)")
  }

  /// How to make a field searchable, where none is; nil where one is, or where there is no text.
  static func unsearchable(_ schema: Schema) -> String? {
    guard schema.sorted.allSatisfy(\.searchable.isEmpty) else { return nil }
    for collection in schema.sorted {
      guard let field = Entities.titleField(collection) else { continue }
      let line =
        #"{"op":"define","collection":"\#(collection.name)","fields":[{"name":"\#(field.name)","search":true}]}"#
      return "Import a line that makes one so, such as \(line)"
    }
    return nil
  }
}
