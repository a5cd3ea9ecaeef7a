import DaybookEventCore
import DaybookHubZone
import HTTPTypes

/// The resource that a request is for.
enum Route: Equatable {
  case exchange(ZoneName)
  case changes(ZoneName)
  case health
  case metrics
  /// The page about a zone, and its API.
  case inspector

  /// Finds the route of a request.
  /// - Throws: ``HTTPRefusal`` with code `notFound`, `badZoneName` or `wrongMethod`.
  init(method: HTTPRequest.Method, path: String) throws(HTTPRefusal) {
    let path = path.parts(between: "?")[0]
    switch path {
    case "/healthz": self = .health
    case "/metrics": self = .metrics
    case "/inspect": self = .inspector
    case _ where path.begins(with: "/inspect/"): self = .inspector
    default: self = try Self.zone(path)
    }
    guard methods.contains(method) else {
      let names = methods.map(\.rawValue).joined(separator: " and ")
      var refusal = HTTPRefusal(
        .methodNotAllowed, "wrongMethod", "this address takes \(names) only")
      refusal.allowed = methods
      throw refusal
    }
  }

  private static func zone(_ path: Substring) throws(HTTPRefusal) -> Route {
    let start = "/v1/zones/"
    // Everything in between is the name, including slashes, and is refused if it is not valid.
    for (end, make) in [("/exchange", Route.exchange), ("/changes", Route.changes)] {
      guard let text = path.rest(after: start)?.rest(before: end) else { continue }
      guard let name = ZoneName(text) else {
        throw HTTPRefusal(.badRequest, "badZoneName", "the address names no zone")
      }
      return make(name)
    }
    throw HTTPRefusal(.notFound, "notFound", "there is nothing at this address")
  }

  /// The methods that the route takes. `HEAD` is a `GET` whose answer has no body, so that it says
  /// nothing about a stream.
  var methods: [HTTPRequest.Method] {
    switch self {
    case .exchange: [.post]
    case .changes: [.get]
    case .health, .metrics: [.get, .head]
    case .inspector: [.get, .head, .post]
    }
  }

  var zone: ZoneName? {
    switch self {
    case .exchange(let zone), .changes(let zone): zone
    case .health, .metrics, .inspector: nil
    }
  }

  /// The name of the route in metrics and logs.
  var label: String {
    switch self {
    case .exchange: "exchange"
    case .changes: "changes"
    case .health: "healthz"
    case .metrics: "metrics"
    case .inspector: "inspect"
    }
  }
}
