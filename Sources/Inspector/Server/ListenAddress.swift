import DaybookEventCore

/// The address on which a server listens: `HOST:PORT`, with an IPv6 address in brackets.
package struct ListenAddress: Hashable {
  package var host: String
  package var port: Int

  /// Parses an address; nil if the text is none.
  package init?(_ text: String) {
    let colon = text.unicodeScalars.lastIndex(of: ":")
    let host = colon.map { text[..<$0] } ?? ""
    let port = colon.flatMap { Int(text[text.unicodeScalars.index(after: $0)...]) }
    let bare = host.rest(after: "[")?.rest(before: "]")
    guard let port, (0...65_535).contains(port), !(bare ?? host).isEmpty,
      bare != nil || !host.unicodeScalars.contains(where: { ":[]/".unicodeScalars.contains($0) })
    else { return nil }
    self.host = String(bare ?? host)
    self.port = port
  }

  /// Whether only this machine can reach the address.
  package var isLoopback: Bool { Self.isLoopback(host) }

  package static func isLoopback(_ host: some StringProtocol) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.parts(between: ".")
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns the host of a `Host` header, without its port and brackets.
  package static func host(ofAuthority authority: String) -> Substring {
    if let address = authority.rest(after: "["),
      let end = address.unicodeScalars.firstIndex(of: "]")
    {
      return address[..<end]
    }
    return authority.parts(between: ":")[0]
  }
}
