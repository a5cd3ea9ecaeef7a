import DaybookEventCore
public import DaybookReplication
import Foundation

/// The address of a zone: a hub's `http://HOST:PORT` and a name.
public struct HubAddress: Hashable, Sendable, CustomStringConvertible {
  /// The hub's address, without a slash at its end.
  public let url: String
  /// The name of the zone at the hub.
  public let zone: String

  /// Creates an address from its parts.
  /// - Parameters:
  ///   - url: `http://` or `https://` and a host. A port, and a path that a proxy gives the hub,
  ///     are optional.
  ///   - zone: 1 to 64 of `a`–`z`, `0`–`9`, `.`, `_`, `-`. No dot at the beginning, and no two dots
  ///     in a row.
  /// - Throws: `SyncError` `.unreachable` if the address is not valid.
  public init(url: String, zone: String) throws(SyncError) {
    let trimmed = url.rest(before: "/").map(String.init) ?? url
    guard let parsed = URLComponents(string: trimmed), let scheme = parsed.scheme?.lowercased(),
      scheme == "http" || scheme == "https", parsed.host?.isEmpty == false,
      parsed.query == nil, parsed.fragment == nil
    else { throw Self.malformed(url) }
    // Logs would show the password.
    guard parsed.user == nil, parsed.password == nil else {
      throw SyncError(
        .unreachable, "the hub's address names a user or a password",
        hint: "Hand the token over by itself, as $DAYBOOK_TOKEN")
    }
    guard (1...64).contains(zone.utf8.count), zone.utf8.allSatisfy(Self.isOfName),
      zone.utf8.first != 0x2E, !zone.contains("..")
    else {
      throw SyncError(
        .unreachable, "“\(zone)” is no name of a zone",
        hint: "Say the address as http://HOST:PORT/ZONE")
    }
    self.url = trimmed
    self.zone = zone
  }

  /// Parses an address.
  /// - Parameter text: `http://HOST:PORT/ZONE`.
  /// - Throws: `SyncError` `.unreachable` if the address is not valid.
  public init(_ text: String) throws(SyncError) {
    let trimmed = text.rest(before: "/") ?? text[...]
    let parts = trimmed.parts(between: "/")
    guard parts.count > 1, let zone = parts.last, !parts[parts.count - 2].isEmpty,
      let url = trimmed.rest(before: "/\(zone)")
    else { throw Self.malformed(text) }
    try self.init(url: String(url), zone: String(zone))
  }

  public var description: String { "\(url)/\(zone)" }

  var exchange: String { "\(url)/v1/zones/\(zone)/exchange" }
  /// Returns the address of the zone's changes. A hub that has no news in that version sends
  /// `change` only.
  /// - Parameters:
  ///   - replica: The listener, which does not need its own events; nil if it is unknown.
  ///   - version: The version of the sync protocol.
  func changes(_ replica: ReplicaID?, version: UInt8) -> String {
    "\(url)/v1/zones/\(zone)/changes?news=\(version)" + (replica.map { "&replica=\($0)" } ?? "")
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      || [0x2E, 0x5F, 0x2D].contains(byte)
  }

  private static func malformed(_ text: String) -> SyncError {
    SyncError(
      .unreachable, "“\(text)” is no hub's address", hint: "Say it as http://HOST:PORT/ZONE")
  }
}
