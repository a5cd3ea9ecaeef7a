/// Where a hub listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Hashable {
  var host: String
  var port: Int

  /// - Throws: ``HubError`` `badArgument`.
  init(_ text: String) throws(HubError) {
    let colon = text.lastIndex(of: ":")
    let host = colon.map { text[..<$0] } ?? ""
    let port = colon.flatMap { Int(text[text.index(after: $0)...]) }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
    guard let port, (0...65_535).contains(port), !host.isEmpty,
      isBracketed || !host.contains(where: { ":[]/".contains($0) })
    else {
      throw HubError(
        .badArgument, "“\(text)” is no address to listen on", hint: "Say it as 127.0.0.1:8080")
    }
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
    self.port = port
  }

  /// Whether only this machine can reach it.
  var isLoopback: Bool { Self.isLoopback(host) }

  static func isLoopback(_ host: some StringProtocol) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The host of an `Host` header, without its port and brackets.
  static func host(ofAuthority authority: String) -> Substring {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      return authority[authority.index(after: authority.startIndex)..<end]
    }
    return authority.prefix { $0 != ":" }
  }
}
