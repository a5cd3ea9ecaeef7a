import DaybookLocks

/// The tokens as a running hub knows them, read again when the file changes.
final class TokenBook: Sendable {
  private struct State {
    var version: TokenFile.Version?
    var tokens: [String: AccessToken] = [:]
    var isRead = false
  }

  private let file: TokenFile
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates a book of the tokens in a file, which is read at the first use.
  /// - Parameter now: Returns the time in milliseconds since 1970.
  init(_ file: TokenFile, now: @escaping @Sendable () -> Int64) {
    self.file = file
    self.now = now
  }

  /// Looks up the token of a text.
  /// - Throws: ``HubError`` if the file cannot be read or parsed. Every token is refused then.
  func token(_ text: some StringProtocol) throws(HubError) -> Verdict {
    guard let text = TokenText(text), let token = try tokens()[text.id],
      token.matches(text.secret)
    else { return .unknown }
    return token.isExpired(at: now()) ? .expired(token) : .good(token)
  }

  enum Verdict {
    case good(AccessToken)
    case expired(AccessToken)
    case unknown
  }

  /// Returns whether a token that was good still is.
  func isGood(_ token: AccessToken) -> Bool {
    guard let known = try? tokens()[token.id] else { return false }
    return known == token && !known.isExpired(at: now())
  }

  /// Reads the file again, even if it looks unchanged.
  /// - Throws: ``HubError`` if the file cannot be read or parsed.
  func reload() throws(HubError) {
    state.withLock { $0.isRead = false }
    _ = try tokens()
  }

  private func tokens() throws(HubError) -> [String: AccessToken] {
    try state.withLock { state throws(HubError) in
      let version = file.version
      if !state.isRead || version != state.version {
        // Without a valid file, no token is good.
        state.isRead = false
        state.tokens = [:]
        let read = try file.read()
        for token in read { state.tokens[token.id] = token }
        state.version = version
        state.isRead = true
      }
      return state.tokens
    }
  }
}
