import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookLocks
import HTTPTypes
package import Hummingbird
import NIOCore

/// The answers to all requests for the inspector: its page, and its API.
///
/// It knows no store: each request's token says which one it is for.
package struct InspectorResponder: Sendable {
  /// What the responder belongs to.
  package struct Place: Sendable {
    /// The path before those of the page, without a slash at its end.
    package var prefix: String
    /// The version of the program.
    package var version: String
    /// The most bytes of a request. The default has room for a value of 16 MiB with escapes.
    package var bodyBytesMax = 40 << 20
    /// Returns whether a request may name a host, given without its port.
    package var isAllowedHost: @Sendable (Substring) -> Bool
    /// Returns what a token gives access to; nil if it is not known, or not any more.
    package var find: @Sendable (_ token: String) async throws -> Inspection?

    package init(
      prefix: String, version: String, isAllowedHost: @escaping @Sendable (Substring) -> Bool,
      find: @escaping @Sendable (_ token: String) async throws -> Inspection?
    ) {
      self.prefix = prefix
      self.version = version
      self.isAllowedHost = isAllowedHost
      self.find = find
    }
  }

  private let place: Place
  /// The interval of signs of life in streams.
  private static let heartbeat = Duration.seconds(10)

  package init(_ place: Place) { self.place = place }

  package func respond(to request: Request) async -> Response {
    let response: Response
    do { response = try await answer(request) } catch {
      response = Self.refusal(APIFailure(error))
    }
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ request: Request) async throws -> Response {
    let source = RequestSource(request.head)
    try source.requireHost(place.isAllowedHost)
    let parts = (request.head.path ?? "/").parts(between: "?")
    guard let path = parts[0].rest(after: place.prefix), path.isEmpty || path.begins(with: "/")
    else { throw APIFailure(404, "notFound", "there is nothing at this address") }
    guard let file = path.rest(after: "/") else {
      return Response(status: .permanentRedirect, headers: [.location: place.prefix + "/"])
    }
    guard let call = file.rest(after: "api/") else {
      return try page(String(file), request.method)
    }
    try source.requireSameOrigin()
    if call == "openapi.json" {
      return Self.json(OpenAPI.json(version: place.version))
    }
    let method = request.method == .head ? "GET" : request.method.rawValue
    let route = try APIRoute.find(method, String(call))
    guard let token = source.token else {
      throw APIFailure(
        401, "noToken", "the request has no token", cure: "Open the address with its token")
    }
    guard let inspection = try await place.find(token) else {
      throw APIFailure(
        401, "unknownToken", "the token is not known here, or not any more",
        cure: "Open the address that the inspector has printed last")
    }
    if route.effect != .reads { try inspection.requireWritable() }
    let arguments =
      route.method == .get
      ? try RequestArguments.query(parts.dropFirst().first ?? "", of: route)
      : try RequestArguments.body(try await body(request), of: route)
    return try await answer(request, route, inspection, arguments, token)
  }

  private func answer(
    _ request: Request, _ route: APIRoute, _ inspection: Inspection, _ arguments: CallArguments,
    _ token: String
  ) async throws -> Response {
    switch route.answer {
    case .object(let run):
      return Self.json(.object(try await run(inspection, arguments)))
    case .file(let run):
      let file = try await run(inspection, arguments)
      // What cannot be sent at all is refused while there still is a status.
      let first = try await file.next()
      var headers = Self.headers(file.type)
      headers[.contentDisposition] = "attachment; filename=\"\(file.name)\""
      return Response(
        status: .ok, headers: headers,
        body: .init { writer in
          var piece = first
          while let bytes = piece {
            try await writer.write(ByteBuffer(bytes: bytes))
            piece = try await file.next()
          }
          try await writer.finish(nil)
        })
    case .events(let run):
      return stream(request, inspection, token) { try await run(inspection, arguments, $0) }
    }
  }

  /// Sends the events of `run`, until that ends, the client is gone, or its token is taken back.
  private func stream(
    _ request: Request, _ inspection: Inspection, _ token: String,
    _ run: @escaping @Sendable (EventStream) async throws -> Void
  ) -> Response {
    let events = EventStream()
    let find = place.find
    let work = Task {
      do { try await run(events) } catch {
        if !Task.isCancelled {
          let failure = APIFailure(error)
          events.send(
            "failure",
            [
              ("code", .text(failure.code)), ("message", .text(failure.message)),
              ("cure", failure.cure.map { .text($0) } ?? .null),
            ])
        }
      }
      events.end()
    }
    let heart = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: Self.heartbeat)
        guard let found = try? await find(token), found === inspection else {
          events.send("revoked", [])
          work.cancel()
          events.end()
          return
        }
        events.beat()
      }
    }
    var headers = Self.headers("text/event-stream")
    headers[.connection] = "close"
    return Response(
      status: .ok, headers: headers,
      body: .init { writer in
        defer {
          work.cancel()
          heart.cancel()
        }
        var own = writer
        try await own.write(ByteBuffer(string: "retry: 2000\n\n"))
        for await bytes in events.bytes { try await own.write(ByteBuffer(bytes: bytes)) }
        try await own.finish(nil)
      })
  }

  private func page(_ path: String, _ method: HTTPRequest.Method) throws(APIFailure) -> Response {
    guard method == .get || method == .head else {
      var failure = APIFailure(405, "wrongMethod", "this address takes GET only")
      failure.allowed = ["GET"]
      throw failure
    }
    guard let file = PageFile.find(path) else {
      throw APIFailure(404, "notFound", "there is nothing at this address")
    }
    return Response(
      status: .ok, headers: Self.headers(file.type),
      body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  private func body(_ request: Request) async throws -> [UInt8] {
    let bodyBytesMax = place.bodyBytesMax
    let type = request.headers[.contentType]?.parts(between: ";")[0]
    guard type == "application/json" else {
      throw APIFailure(
        415, "wrongType", "a request is application/json", cure: "Set its Content-Type")
    }
    var bytes = ByteBuffer()
    for try await piece in request.body {
      guard bytes.readableBytes + piece.readableBytes <= bodyBytesMax else {
        throw APIFailure(413, "tooLarge", "a request has at most \(bodyBytesMax >> 20) MiB")
      }
      bytes.writeImmutableBuffer(piece)
    }
    return Array(bytes.readableBytesView)
  }

  // MARK: - Responses

  /// The headers of every response. The page may load nothing but its own files, and nobody may
  /// embed it.
  private static func headers(_ type: String) -> HTTPFields {
    [
      .contentType: type, .cacheControl: "no-store",
      .contentSecurityPolicy:
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'",
      .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
      .openerPolicy: "same-origin", .resourcePolicy: "same-origin",
      .permissionsPolicy: "camera=(), geolocation=(), microphone=(), usb=()",
    ]
  }

  private static func json(_ value: JSONValue) -> Response {
    var writer = JSONWriter()
    writer.value(value)
    return Response(
      status: .ok, headers: headers("application/json"),
      body: .init(byteBuffer: ByteBuffer(bytes: writer.bytes)))
  }

  private static func refusal(_ failure: APIFailure) -> Response {
    var headers = headers("application/json")
    if failure.status == 401 { headers[.wwwAuthenticate] = "Bearer" }
    if !failure.allowed.isEmpty { headers[.allow] = failure.allowed.joined(separator: ", ") }
    if failure.status == 413 { headers[.connection] = "close" }
    return Response(
      status: .init(code: failure.status), headers: headers,
      body: .init(byteBuffer: ByteBuffer(bytes: failure.json)))
  }
}

extension HTTPField.Name {
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  fileprivate static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
  fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
  fileprivate static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
}
