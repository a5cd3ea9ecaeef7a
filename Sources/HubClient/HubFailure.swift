import DaybookEventCore
import DaybookJSON
import DaybookReplication
import Foundation

/// The head of a hub's response.
struct HubReply {
  var status: Int
  var contentType: String
  var checksum: String?
  /// The pause that the hub, or a proxy, asks for.
  var retryAfter: Duration?
  /// Where a redirection leads.
  var location: String?

  /// Creates a head.
  /// - Parameters:
  ///   - status: The status.
  ///   - header: Returns the header of a name, in small letters.
  init(status: Int, _ header: (String) -> String?) {
    self.status = status
    contentType = header("content-type") ?? ""
    checksum = header(BodyChecksum.field)
    retryAfter = header("retry-after").flatMap { UInt32($0) }.map { .seconds(Int64($0)) }
    location = header("location")
  }

  /// Whether the body is a response of the protocol, even if it refuses some ranges.
  var isAnswer: Bool {
    contentType == "application/octet-stream" && [200, 422, 507].contains(status)
  }

  /// Whether this is a page for people, as a network shows that wants a sign-in.
  var isPage: Bool { contentType.lowercased().begins(with: "text/html") }

  var isEventStream: Bool { status == 200 && contentType.begins(with: "text/event-stream") }
}

/// A hub's refusal or silence, mapped to a sync error with its cure.
struct HubFailure {
  private let status: Int
  private let code: String
  private let message: String
  private let hub: HubAddress
  private let reply: HubReply
  /// The versions of the protocol that the hub knows, if it has refused another.
  let versions: ClosedRange<UInt8>?

  init(_ reply: HubReply, _ body: Data, _ hub: HubAddress) {
    status = reply.status
    let parsed = try? JSONParser.parse(Array(body))
    if case .text(let text)? = parsed?["code"] { code = text } else { code = "" }
    if case .text(let text)? = parsed?["message"] { message = text } else { message = "" }
    self.hub = hub
    self.reply = reply
    versions = code == "otherVersion" ? Self.versions(parsed) : nil
  }

  private static func versions(_ body: JSONValue?) -> ClosedRange<UInt8>? {
    guard case .integer(let oldest)? = body?["oldest"], let oldest = UInt8(exactly: oldest),
      case .integer(let newest)? = body?["newest"], let newest = UInt8(exactly: newest),
      oldest <= newest
    else { return nil }
    return oldest...newest
  }

  var error: SyncError {
    var error = refusal
    error.retryAfter = reply.retryAfter
    return error
  }

  private var refusal: SyncError {
    let said = message.isEmpty ? "status \(status)" : message
    return switch (status, code) {
    case (301, _), (308, _): moved
    case (300..<400, _), (511, _): signIn("leads elsewhere, to \(target)")
    case (200..<300, _) where reply.isPage: signIn("shows a web page instead of answering")
    case (400, "otherVersion"):
      SyncError(
        .otherVersion, "the hub speaks another version of the protocol",
        hint: "Update this software, or the hub's", cause: said)
    case (400, "damagedBody"):
      SyncError(.unavailable, "the request was damaged on its way", hint: "Try again")
    case (401, "expired"):
      SyncError(.unauthorized, "the token has expired", hint: "Ask who runs the hub for a new one")
    case (401, _):
      SyncError(
        .unauthorized, "\(hub.url) accepts only requests with a token that it knows",
        hint: "Give a token with --token or $DAYBOOK_TOKEN; `evtool token create` makes one",
        cause: said)
    case (403, "readOnly"):
      SyncError(
        .readOnly, "the token allows reading only",
        hint: "Ask who runs the hub for a token that allows writing")
    case (403, _):
      SyncError(
        .unauthorized, said.isEmpty ? "the token does not allow it" : said,
        hint: "Ask who runs the hub for a token that allows it")
    case (404, "unknownZone"):
      SyncError(
        .wrongZone, "the hub has no zone \(hub.zone)",
        hint: "Check the name, or make the zone with `evtool token create` at the hub")
    case (409, _):
      SyncError(
        .wrongZone, said,
        hint: "Sync with a zone of the same id, or give a hub set up anew the old one (--zone-id)")
    case (413, _):
      SyncError(
        .tooLarge, said, hint: "Ask who runs the hub to take larger requests")
    case (507, _):
      SyncError(.tooLarge, said, hint: "Ask who runs the hub for more room")
    case (503, "zoneFailed"):
      SyncError(
        .unavailable, "the hub cannot use the zone now",
        hint: "Try again later; if that does not help, ask who runs the hub: its log says why")
    case (408, _):
      SyncError(
        .interrupted, "the request took too long to arrive at the hub", hint: "Try again",
        cause: said)
    case (429, _), (500..., _):
      SyncError(
        .unavailable, "the hub cannot do it now", hint: "Try again later", cause: said)
    default:
      SyncError(
        .badMessage, "\(hub.url) refused the request",
        hint: "Is that the address of a hub, of a version that fits?", cause: said)
    }
  }

  /// The error of an address that has another one now.
  private var moved: SyncError {
    SyncError(
      .unreachable, "\(hub.url) has moved to \(target)",
      hint: "Sync with the new address, if you trust it")
  }

  /// The error of a network, or a server, that lets nobody through to the hub.
  private func signIn(_ what: String) -> SyncError {
    SyncError(
      .unreachable, "\(hub.url) \(what): this is no hub",
      hint:
        "If this network wants a sign-in, open a page in a browser first; otherwise check the "
        + "address",
      cause: "status \(status)")
  }

  /// Where a redirection leads, as an address of the zone if it is one.
  private var target: String {
    guard let location = reply.location else { return "an address that it does not say" }
    let path = "/v1/zones/\(hub.zone)/exchange"
    let place = location.rest(before: path).map { "\($0)/\(hub.zone)" } ?? location
    // Whoever answers may send anything, and a terminal shows it.
    return String(
      String.UnicodeScalarView(
        place.unicodeScalars.prefix(200).filter { (0x21...0x7E).contains($0.value) }))
  }

  /// Maps the error of a request without a whole response.
  /// - Parameters:
  ///   - error: The error of the connection.
  ///   - hub: The hub's address.
  ///   - isOnItsWay: Whether a message with events may have been on its way.
  static func unreached(_ error: any Error, _ hub: HubAddress, isOnItsWay: Bool) -> SyncError {
    let failure = error as? TransportFailure
    let cause = failure?.cause ?? "\(error)"
    return switch failure?.kind {
    case .hungUp where isOnItsWay, .broken where isOnItsWay, .silent where isOnItsWay:
      SyncError(
        .interrupted, "the connection to \(hub.url) broke while events were on their way",
        hint: "Try again: what has arrived counts, and less is sent at a time", cause: cause)
    case .untrusted:
      SyncError(
        .unreachable, "\(hub.url) cannot prove who it is",
        hint: "Name its certificate as one to trust, with --trust, if you do", cause: cause)
    case .silent:
      SyncError(
        .unavailable, "\(hub.url) did not answer in time", hint: "Try again later")
    case .unreached, .hungUp, .broken, nil:
      SyncError(
        .unreachable, "\(hub.url) cannot be reached",
        hint: "Check the address, and whether the hub runs and this machine is online",
        cause: cause)
    }
  }
}
