import DaybookEventCore

/// The address on which a hub listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Hashable {
  var host: String
  var port: Int

  /// Parses an address.
  /// - Throws: ``HubError`` `.badArgument` if the text is not an address.
  init(_ text: String) throws(HubError) {
    let colon = text.unicodeScalars.lastIndex(of: ":")
    let host = colon.map { text[..<$0] } ?? ""
    let port = colon.flatMap { Int(text[text.unicodeScalars.index(after: $0)...]) }
    let bare = host.rest(after: "[")?.rest(before: "]")
    guard let port, (0...65_535).contains(port), !(bare ?? host).isEmpty,
      bare != nil || !host.unicodeScalars.contains(where: { ":[]/".unicodeScalars.contains($0) })
    else {
      throw HubError(
        .badArgument, "“\(text)” is no address to listen on", hint: "Say it as 127.0.0.1:8080")
    }
    self.host = String(bare ?? host)
    self.port = port
  }

  /// Whether only this machine can reach the address.
  var isLoopback: Bool { Self.isLoopback(host) }

  static func isLoopback(_ host: some StringProtocol) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.parts(between: ".")
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns the host of a `Host` header, without its port and brackets.
  static func host(ofAuthority authority: String) -> Substring {
    if let address = authority.rest(after: "["),
      let end = address.unicodeScalars.firstIndex(of: "]")
    {
      return address[..<end]
    }
    return authority.parts(between: ":")[0]
  }
}
