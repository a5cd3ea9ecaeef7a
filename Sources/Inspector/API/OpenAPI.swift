import DaybookAnswers
import DaybookEventCore
import DaybookJSON

/// The description of the API in OpenAPI 3.1, made from the routes.
enum OpenAPI {
  static func json(version: String) -> JSONValue {
    let paths = APIRoute.all.reduce(into: [(key: String, value: JSONValue)]()) { paths, route in
      let operation = (key: method(route), value: operation(route))
      if let place = paths.firstIndex(where: { $0.key == "/api/\(route.path)" }),
        case .object(let others) = paths[place].value
      {
        paths[place].value = .object(others + [operation])
      } else {
        paths.append(("/api/\(route.path)", .object([operation])))
      }
    }
    return .object([
      ("openapi", .text("3.1.0")),
      (
        "info",
        .object([
          ("title", .text("Daybook's inspector")), ("version", .text(version)),
          ("description", .text("The API of `evtool inspect`; docs/http-api.md explains it.")),
        ])
      ),
      ("security", .array([.object([("token", .array([]))])])),
      ("paths", .object(paths)),
      (
        "components",
        .object([
          (
            "securitySchemes",
            .object([
              (
                "token",
                .object([("type", .text("http")), ("scheme", .text("bearer"))])
              )
            ])
          ),
          ("schemas", .object([("Failure", failure)])),
        ])
      ),
    ])
  }

  private static func method(_ route: APIRoute) -> String {
    switch route.method {
    case .get: "get"
    case .post: "post"
    }
  }

  private static func operation(_ route: APIRoute) -> JSONValue {
    var members: Members = [
      ("operationId", .text(identifier(route))), ("summary", .text(route.title)),
    ]
    switch route.method {
    case .get:
      members.append(
        (
          "parameters",
          .array(
            route.parameters.map { parameter in
              .object([
                ("name", .text(parameter.name)), ("in", .text("query")),
                ("required", .boolean(parameter.isRequired)),
                ("description", .text(parameter.description)), ("schema", parameter.schema),
              ])
            })
        ))
    case .post:
      members.append(
        (
          "requestBody",
          .object([
            ("required", .boolean(route.parameters.contains(where: \.isRequired))),
            ("content", content("application/json", body(route.parameters))),
          ])
        ))
    }
    let failed = JSONValue.object([
      ("description", .text("What happened, and what to do next")),
      (
        "content",
        content(
          "application/json", .object([("$ref", .text("#/components/schemas/Failure"))]))
      ),
    ])
    members.append(
      ("responses", .object([("200", answer(route)), ("default", failed)])))
    return .object(members)
  }

  /// `conflicts/settle` by `POST` is `postConflictsSettle`.
  private static func identifier(_ route: APIRoute) -> String {
    route.path.parts(between: "/").reduce(method(route)) { name, part in
      name + part.prefix(1).uppercased() + part.dropFirst()
    }
  }

  private static func content(_ type: String, _ schema: JSONValue) -> JSONValue {
    .object([(type, .object([("schema", schema)]))])
  }

  private static func body(_ parameters: [CallParameter]) -> JSONValue {
    .object([
      ("type", .text("object")),
      ("properties", .object(parameters.map { ($0.name, $0.schema) })),
      (
        "required",
        .array(parameters.filter(\.isRequired).map { .text($0.name) })
      ),
      ("additionalProperties", .boolean(false)),
    ])
  }

  private static func answer(_ route: APIRoute) -> JSONValue {
    switch route.answer {
    case .object:
      .object([
        ("description", .text(route.title)),
        (
          "content",
          content(
            "application/json",
            .object([
              ("type", .text("object")),
              (
                "properties",
                .object(
                  route.results.map { result in
                    (
                      result.name,
                      .object([
                        ("type", result.type), ("description", .text(result.description)),
                      ])
                    )
                  })
              ),
              ("required", .array(route.results.map { .text($0.name) })),
            ]))
        ),
      ])
    case .events:
      .object([
        (
          "description",
          .text(
            "Server-sent events: "
              + route.results.map { "`\($0.name)`: \($0.description)" }.joined(separator: " "))
        ),
        ("content", content("text/event-stream", .object([("type", .text("string"))]))),
      ])
    case .file:
      .object([
        ("description", .text(route.title)),
        ("content", content("application/octet-stream", .object([("type", .text("string"))]))),
      ])
    }
  }

  private static let failure = JSONValue.object([
    ("type", .text("object")),
    (
      "properties",
      .object([
        ("code", .object([("type", .text("string"))])),
        ("message", .object([("type", .text("string"))])),
        ("cure", .object([("type", .array([.text("string"), .text("null")]))])),
      ])
    ),
    ("required", .array([.text("code"), .text("message"), .text("cure")])),
  ])
}
