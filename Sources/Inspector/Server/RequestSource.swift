import HTTPTypes

/// Where a request comes from: which host it names, and which page in a browser has sent it.
struct RequestSource {
  private let request: HTTPRequest

  init(_ request: HTTPRequest) { self.request = request }

  /// Refuses a host that is not the server's.
  ///
  /// A page of another site can make its own name lead to this machine, and its browser then sends
  /// that name.
  /// - Parameter isAllowed: returns whether a host, without its port, is the server's.
  func requireHost(_ isAllowed: (Substring) -> Bool) throws(APIFailure) {
    let host = ListenAddress.host(ofAuthority: request.authority ?? "")
    guard isAllowed(host) else {
      throw APIFailure(
        421, "foreignHost", "the inspector does not answer to the name “\(host.prefix(80))”",
        cure: "Open the address that the inspector has printed")
    }
  }

  /// Refuses requests that a page of another origin has sent.
  ///
  /// Browsers say so by `Origin` or `Sec-Fetch-Site`; no other client does.
  func requireSameOrigin() throws(APIFailure) {
    let own = request.authority ?? ""
    if let origin = request.headerFields[.origin] {
      guard origin == "http://\(own)" || origin == "https://\(own)" else {
        throw Self.otherOrigin
      }
    }
    if let site = request.headerFields[.secFetchSite] {
      guard site == "same-origin" || site == "none" else { throw Self.otherOrigin }
    }
  }

  private static let otherOrigin = APIFailure(
    403, "otherOrigin", "the request comes from a page of another origin")

  /// The token of the request; nil if it has none.
  var token: String? {
    let scheme = "bearer "
    guard let header = request.headerFields[.authorization],
      header.utf8.count > scheme.utf8.count,
      header.prefix(scheme.utf8.count).lowercased() == scheme
    else { return nil }
    return String(header.dropFirst(scheme.utf8.count))
  }
}

extension HTTPField.Name {
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
