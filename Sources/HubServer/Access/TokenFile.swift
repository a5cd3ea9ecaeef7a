import Daybook
import DaybookEngine
import DaybookEventCore
import Foundation

/// The file `tokens`, with one line for each token.
///
/// ```
/// daybook tokens 1
/// <id> <zone or *> read|write|metrics <created> <expires or -> <salt> <hash>
/// ```
/// Times are in milliseconds since 1970. A change replaces the file, so a running hub reads either
/// the old state or the new one.
public struct TokenFile: Sendable {
  private let folder: HubFolder

  public init(_ folder: HubFolder) { self.folder = folder }

  private static let firstLine = "daybook tokens 1"

  /// Reads all tokens, in order of creation; none if there is no file.
  /// - Throws: ``HubError`` `.damaged`, `.ioFailed`.
  public func read() throws(HubError) -> [AccessToken] {
    let data: Data?
    do { data = try DiskPath.read(folder.tokensPath) } catch {
      throw HubError(
        .ioFailed, "the hub's tokens cannot be read",
        hint: "Check the file's owner and permissions", cause: error.message)
    }
    guard let data else { return [] }
    return try Self.parse(String(decoding: data, as: UTF8.self))
  }

  static func parse(_ text: String) throws(HubError) -> [AccessToken] {
    let lines = text.parts(between: "\n").filter { !$0.isEmpty }
    guard lines.first ?? "" == firstLine else {
      throw damaged("its first line is not “\(firstLine)”")
    }
    var tokens: [AccessToken] = []
    for (number, line) in lines.enumerated().dropFirst() {
      guard let token = token(line) else { throw damaged("line \(number + 1) is no token") }
      tokens.append(token)
    }
    return tokens
  }

  private static func token(_ line: Substring) -> AccessToken? {
    let words = line.parts(between: " ")
    guard words.count == 7, Hex.decode(words[0])?.count == 8,
      let access = AccessToken.Access(rawValue: String(words[2])), let created = Int64(words[3]),
      let salt = Hex.decode(words[5]), salt.count == 16,
      let hash = Hex.decode(words[6]), hash.count == 32
    else { return nil }
    let zone = ZoneName(words[1])
    let expires = Int64(words[4])
    guard (zone == nil) == (access == .metrics), zone != nil || words[1] == "*",
      expires != nil || words[4] == "-"
    else { return nil }
    return AccessToken(
      id: String(words[0]), zone: zone, access: access, created: created, expires: expires,
      salt: salt, hash: hash)
  }

  static func text(_ tokens: [AccessToken]) -> String {
    tokens.reduce(firstLine + "\n") { text, token in
      let expires = token.expires.map { "\($0)" } ?? "-"
      return text + "\(token.id) \(token.zone?.description ?? "*") \(token.access.rawValue) "
        + "\(token.created) \(expires) \(Hex.encode(token.salt)) \(Hex.encode(token.hash))\n"
    }
  }

  private static func damaged(_ what: String) -> HubError {
    HubError(
      .damaged, "the hub's file “tokens” cannot be used: \(what)",
      hint: "Put it right by hand, or move it away and make new tokens")
  }

  // MARK: - Changing

  /// Adds a token.
  /// - Throws: ``HubError``, with `.badArgument` for a token that could not be read back;
  ///   `StoreError` if the file cannot be written.
  public func add(_ token: AccessToken) throws {
    guard (try? Self.parse(Self.text([token]))) == [token] else {
      throw HubError(
        .badArgument,
        "a token has 16 hexadecimal digits as its id, and a zone unless it is for metrics",
        hint: "Make it with `AccessToken.make`, and leave it as it is")
    }
    try folder.changing {
      try write(try read() + [token])
    }
  }

  /// Removes a token. A running hub refuses it from the next request on.
  /// - Returns: The removed token.
  /// - Throws: ``HubError`` `.notFound`.
  @discardableResult
  public func revoke(_ id: String) throws -> AccessToken {
    try folder.changing {
      var tokens = try read()
      guard let place = tokens.firstIndex(where: { $0.id == id }) else {
        throw HubError(
          .notFound, "there is no token \(id)", hint: "`evtool token list` shows those there are")
      }
      let token = tokens.remove(at: place)
      try write(tokens)
      return token
    }
  }

  private func write(_ tokens: [AccessToken]) throws {
    try DurableFile.write(Self.text(tokens), to: folder.tokensPath, mode: 0o600)
  }

  // MARK: - Detecting changes

  /// A version of the file, which differs after each change.
  struct Version: Hashable {
    var inode: UInt64
    var seconds: Int64
    var nanoseconds: Int64
    var size: Int64
  }

  /// The file's current version; nil if there is no file.
  var version: Version? {
    var facts = stat()
    guard stat(folder.tokensPath, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    return Version(
      inode: UInt64(facts.st_ino), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec),
      size: Int64(facts.st_size))
  }
}
