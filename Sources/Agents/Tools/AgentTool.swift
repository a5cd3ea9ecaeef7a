import DaybookAnswers
import DaybookJSON

/// A tool that an agent can call.
struct AgentTool: Sendable {
  /// What a tool does to the store.
  enum Effect: Sendable {
    case reads
    /// Adds something, or changes it in a way that `undo` takes back.
    case adds
    /// Takes away what others may have written; `undo` brings it back.
    case takesAway
  }

  var name: String
  var title: String
  var description: String
  var effect: Effect
  var parameters: [CallParameter]
  /// The members of the result: the name, the type in JSON, and what it is.
  var results: [(name: String, type: JSONValue, description: String)]
  /// Runs the tool.
  var run: @Sendable (AgentSession, CallArguments) async throws -> [(key: String, value: JSONValue)]

  /// The tool as `tools/list` shows it.
  var json: JSONValue {
    let required = parameters.filter(\.isRequired).map { JSONValue.text($0.name) }
    let outputs: [(key: String, value: JSONValue)] = results.map { result in
      (
        result.name,
        .object([("type", result.type), ("description", .text(result.description))])
      )
    }
    return .object([
      ("name", .text(name)), ("title", .text(title)), ("description", .text(description)),
      (
        "inputSchema",
        .object([
          ("type", .text("object")),
          ("properties", .object(parameters.map { ($0.name, $0.schema) })),
          ("required", .array(required)), ("additionalProperties", .boolean(false)),
        ])
      ),
      (
        "outputSchema",
        .object([
          ("type", .text("object")), ("properties", .object(outputs)),
          ("required", .array(results.map { .text($0.name) })),
        ])
      ),
      (
        "annotations",
        .object([
          ("title", .text(title)), ("readOnlyHint", .boolean(effect == .reads)),
          ("destructiveHint", .boolean(effect == .takesAway)),
          ("idempotentHint", .boolean(effect == .reads)), ("openWorldHint", .boolean(false)),
        ])
      ),
    ])
  }
}
