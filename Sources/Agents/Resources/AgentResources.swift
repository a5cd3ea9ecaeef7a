import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import Foundation

/// What an agent can read by an address, beside its tools: the schema, each entity, and each note
/// as Markdown.
///
/// The address of an entity is `daybook://entity/COLLECTION/ID`, with the bytes of both escaped as
/// in any URI. A note is a live entity of the collection `notes` that has a text `body`, as the
/// library of notes keeps it; its address is `daybook://note/ID`.
struct AgentResources: Sendable {
  let session: AgentSession

  private static let schemaURI = "daybook://schema"
  private static let entityPrefix = "daybook://entity/"
  private static let notePrefix = "daybook://note/"

  static let list = JSONValue.array([
    .object([
      ("uri", .text(schemaURI)), ("name", .text("schema")), ("title", .text("Schema")),
      ("description", .text("The collections of the store, one line each.")),
      ("mimeType", .text("text/plain")),
    ])
  ])

  static let templates = JSONValue.array([
    .object([
      ("uriTemplate", .text(entityPrefix + "{collection}/{id}")), ("name", .text("entity")),
      ("title", .text("An entity")),
      ("description", .text("A live entity of the store, such as a note, with its fields.")),
      ("mimeType", .text("application/json")),
    ]),
    .object([
      ("uriTemplate", .text(notePrefix + "{id}")), ("name", .text("note")),
      ("title", .text("A note")),
      ("description", .text("A note as Markdown, with its title as a heading.")),
      ("mimeType", .text("text/markdown")),
    ]),
  ])

  /// Returns the contents of a resource.
  /// - Throws: ``ProtocolError`` if there is no such resource.
  func read(_ uri: String) async throws -> JSONValue {
    if uri.isSame(as: Self.schemaURI) {
      let schema = try await session.store.schema()
      let lines = schema.sorted.map(AgentTool.line).joined(separator: "\n")
      return Self.contents(uri, "text/plain", lines)
    }
    if let id = uri.rest(after: Self.notePrefix) { return try await note(String(id), uri) }
    guard let rest = uri.rest(after: Self.entityPrefix) else { throw Self.unknown(uri) }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let collection = parts[0].removingPercentEncoding,
      let id = parts[1].removingPercentEncoding,
      try await session.store.schema()[collection] != nil,
      let entity = try await session.store.fetch(collection, id)
    else { throw Self.unknown(uri) }
    var writer = JSONWriter()
    writer.value(AnswerJSON.entity(entity))
    return Self.contents(uri, "application/json", writer.string)
  }

  private func note(_ escaped: String, _ uri: String) async throws -> JSONValue {
    let collection = "notes"
    guard !escaped.utf8.contains(UInt8(ascii: "/")), let id = escaped.removingPercentEncoding,
      try await session.store.schema()[collection] != nil,
      let note = try await session.store.fetch(collection, id),
      case .text(let body) = note.fields["body"]
    else { throw Self.unknown(uri) }
    var text = body
    if case .text(let title) = note.fields["title"], !title.isEmpty {
      // A heading is one line.
      text = "# " + title.replacing("\r", with: " ").replacing("\n", with: " ") + "\n\n" + body
    }
    return Self.contents(uri, "text/markdown", text)
  }

  private static func contents(_ uri: String, _ type: String, _ text: String) -> JSONValue {
    .array([
      .object([("uri", .text(uri)), ("mimeType", .text(type)), ("text", .text(text))])
    ])
  }

  private static func unknown(_ uri: String) -> ProtocolError {
    ProtocolError(
      .invalidParams, "there is no resource “\(uri.prefix(200))”",
      data: .object([("uri", .text(String(uri.prefix(200))))]))
  }
}
