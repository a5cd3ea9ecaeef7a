import EventCore
import HTTPTypes
import Hummingbird
import Projections

/// Who may do what.
struct AccessCheck {
  let book: TokenBook
  let isInsecureLocal: Bool

  /// Who asks: the token; nil where none is needed.
  /// - Throws: ``HTTPRefusal``; ``HubError`` where the tokens cannot be read.
  func admit(_ request: HTTPRequest, to route: Route) throws -> AccessToken? {
    if route == .health { return nil }
    if isInsecureLocal {
      try requireLocalHost(request)
      return nil
    }
    let token = try token(request)
    switch route {
    case .metrics:
      guard token.access == .metrics else {
        throw HTTPRefusal(
          .forbidden, "forbidden", "the token is for a zone, not for the hub's figures")
      }
    case .exchange(let zone), .changes(let zone):
      guard token.zone == zone else {
        throw HTTPRefusal(.forbidden, "otherZone", "the token is not for zone \(zone)")
      }
    case .health: break
    }
    return token
  }

  /// - Throws: ``HTTPRefusal`` where the token allows no pushing.
  static func requirePush(_ token: AccessToken?) throws(HTTPRefusal) {
    guard let token, token.access != .write else { return }
    throw HTTPRefusal(.forbidden, "readOnly", "the token allows reading only, and events came")
  }

  private func token(_ request: HTTPRequest) throws -> AccessToken {
    // A scheme may be spelled in capitals.
    let scheme = "bearer "
    guard let header = request.headerFields[.authorization],
      Names.folded(header).begins(with: scheme)
    else {
      throw HTTPRefusal(.unauthorized, "noToken", "the request has no token")
    }
    switch try book.token(
      header[header.utf8.index(header.startIndex, offsetBy: scheme.utf8.count)...])
    {
    case .good(let token): return token
    case .expired: throw HTTPRefusal(.unauthorized, "expired", "the token has expired")
    case .unknown: throw HTTPRefusal(.unauthorized, "unknownToken", "the token is not known here")
    }
  }

  /// A page in a browser could be made to ask a hub of the machine itself, under its name or under one of the
  /// page's own. Browsers say where a request comes from, in `Origin` or `Sec-Fetch-Site`; no other client does.
  private func requireLocalHost(_ request: HTTPRequest) throws(HTTPRefusal) {
    guard request.headerFields[.origin] == nil, request.headerFields[.secFetchSite] == nil else {
      throw HTTPRefusal(
        .forbidden, "fromBrowser", "a hub without tokens answers no pages in a browser")
    }
    let host = ListenAddress.host(ofAuthority: request.authority ?? "")
    guard ListenAddress.isLoopback(host) else {
      throw HTTPRefusal(
        .forbidden, "foreignHost", "a hub without tokens answers to names of this machine only")
    }
  }
}

extension HTTPField.Name {
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
