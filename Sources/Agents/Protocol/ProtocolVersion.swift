import DaybookJSON

/// The versions of the Model Context Protocol that the server speaks.
///
/// Source: the specification of each version at modelcontextprotocol.io.
enum ProtocolVersion: String, CaseIterable {
  /// A session begins with `initialize`.
  case session = "2025-11-25"
  /// Each request says its version; there is no session.
  case stateless = "2026-07-28"

  static var supported: JSONValue {
    .array(allCases.reversed().map { .text($0.rawValue) })
  }

  /// The key of a request's `_meta` that says the version.
  static let key = "io.modelcontextprotocol/protocolVersion"
  /// The key of a result's `_meta` that names the server.
  static let serverKey = "io.modelcontextprotocol/serverInfo"
}
