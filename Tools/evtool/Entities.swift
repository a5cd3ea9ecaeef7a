import Daybook
import DaybookEventCore
import DaybookProjections
import GRDB

/// Entities in output.
enum Entities {
  static func requireCollection(_ name: String, _ store: Store) async throws {
    try requireCollection(name, try await store.schema())
  }

  static func requireCollection(_ name: String, _ schema: StoreSchema) throws(Failure) {
    guard schema[name] == nil else { return }
    throw Failure(
      .usage, "there is no collection \(name.quotedForMessage)",
      hint: NameSuggestion.hint(
        for: name, among: schema.sorted.map(\.name), none: "Nothing is defined yet"))
  }

  /// Returns the text that names an entity best: its first searchable text field, else its first
  /// text.
  static func title(_ entity: StoredEntity, _ schema: StoreSchema) -> String? {
    guard let field = schema[entity.collection].flatMap(titleField),
      case .text(let text) = entity[field.name], !text.isEmpty
    else { return nil }
    return Text.brief(text, titleWidth)
  }

  static func titleField(_ collection: StoreSchema.Collection) -> StoreSchema.Field? {
    let texts = collection.fields.filter {
      $0.type == .text && $0.name != "source" && $0.name != "target"
    }
    return texts.first { $0.searchWeight != nil } ?? texts.first
  }

  /// The most columns of a title.
  private static let titleWidth = 100
}
