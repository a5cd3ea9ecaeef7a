import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import Foundation

/// What an agent can read by an address, beside its tools: the schema, and each entity.
///
/// The address of an entity is `daybook://entity/COLLECTION/ID`, with the bytes of both escaped as
/// in any URI.
struct AgentResources: Sendable {
  let session: AgentSession

  private static let schemaURI = "daybook://schema"
  private static let entityPrefix = "daybook://entity/"

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
    ])
  ])

  /// Returns the contents of a resource.
  /// - Throws: ``ProtocolError`` if there is no such resource.
  func read(_ uri: String) async throws -> JSONValue {
    if uri.isSame(as: Self.schemaURI) {
      let schema = try await session.store.schema()
      let lines = schema.sorted.map(AgentTool.line).joined(separator: "\n")
      return Self.contents(uri, "text/plain", lines)
    }
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
