import DaybookEventCore
import DaybookInspector
import DaybookProjections
import HTTPTypes
import Hummingbird

/// The check whether a request is allowed.
struct AccessCheck {
  let book: TokenBook
  let isInsecureLocal: Bool

  /// Returns the request's token; nil if none is needed.
  /// - Throws: ``HTTPRefusal`` if the request is not allowed; ``HubError`` if the tokens cannot be
  ///   read.
  func admit(_ request: HTTPRequest, to route: Route) throws -> AccessToken? {
    // The inspector's page has no secrets, and its API looks at tokens itself.
    if route == .health || route == .inspector { return nil }
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
    case .health, .inspector: break
    }
    return token
  }

  /// Returns the token of a text if it is good now; nil if it is not.
  func good(_ text: String) throws -> AccessToken? {
    guard case .good(let token) = try book.token(text) else { return nil }
    return token
  }

  /// Checks that a token allows pushing.
  /// - Throws: ``HTTPRefusal`` if the token does not allow it.
  static func requirePush(_ token: AccessToken?) throws(HTTPRefusal) {
    guard let token, token.access != .write else { return }
    throw HTTPRefusal(.forbidden, "readOnly", "the token allows reading only, and events came")
  }

  private func token(_ request: HTTPRequest) throws -> AccessToken {
    // The scheme's case does not matter.
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

  /// Refuses requests that a page in a browser could send to a hub on this machine, under the
  /// machine's name or one of the page's own.
  ///
  /// Browsers identify a page's request by `Origin` or `Sec-Fetch-Site`; no other client does.
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
