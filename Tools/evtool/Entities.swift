import Daybook
import EventCore
import GRDB
import Projections

/// Entities as output shows them.
enum Entities {
  static func requireCollection(_ name: String, _ store: Store) async throws {
    try requireCollection(name, try await store.schema())
  }

  static func requireCollection(_ name: String, _ schema: Schema) throws(Failure) {
    guard schema[name] == nil else { return }
    let known = schema.sorted.map(\.name).joined(separator: ", ")
    throw Failure(
      .usage, "there is no collection \(name.quotedForMessage)",
      hint: known.isEmpty ? "Nothing is defined yet" : "Known are: \(known)")
  }

  /// The text that names an entity best: its first searchable field, else its first text.
  static func title(_ entity: Entity, _ schema: Schema) -> String? {
    guard let fields = schema[entity.collection]?.fields else { return nil }
    let texts = fields.filter { $0.type == .text && $0.name != "source" && $0.name != "target" }
    let field = texts.first { $0.searchWeight != nil } ?? texts.first
    guard let field, case .text(let text) = entity[field.name], !text.isEmpty else { return nil }
    return Text.oneLine(text)
  }

  static func json(_ entity: Entity, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("collection")
      writer.text(entity.collection)
      writer.key("id")
      writer.text(entity.id)
      writer.key("version")
      writer.text(entity.version.description)
      writer.key("fields")
      writer.object {
        for name in entity.fields.keys.sorted(by: utf8Less) {
          $0.key(name)
          $0.value(entity.fields[name] ?? .null)
        }
      }
    }
  }

  /// What a person calls the vertices of a graph: the title of each, where it has one.
  static func titles(_ ids: [String], _ store: Store) async throws -> [String: String] {
    let schema = try await store.schema()
    var titles: [String: String] = [:]
    for id in ids {
      for collection in schema.sorted where !collection.isRelationship {
        guard let entity = try await store.fetch(collection.name, id) else { continue }
        titles[id] = title(entity, schema)
        break
      }
    }
    return titles
  }

  /// `id`, or `id “title”` where that says more.
  static func name(_ id: String, _ titles: [String: String]) -> String {
    let shown = Text.oneLine(id)
    guard let title = titles[id], title != shown else { return shown }
    return "\(shown) \(Terminal.dim("“\(Text.cut(title, 40))”"))"
  }
}
