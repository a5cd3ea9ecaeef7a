import AsyncHTTPClient
import Daybook
import EventCore
import JSON
import NIOCore
import NIOHTTP1
import NIOSSL
import Replication

/// The head of a hub's response.
struct HubReply {
  var status: Int
  var contentType: String
  var checksum: String?

  init(_ response: HTTPClientResponse) {
    status = Int(response.status.code)
    contentType = response.headers.first(name: "content-type") ?? ""
    checksum = response.headers.first(name: BodyChecksum.field)
  }

  /// Whether the body is a response of the protocol, even if it refuses some ranges.
  var isAnswer: Bool {
    contentType == "application/octet-stream" && [200, 422, 507].contains(status)
  }

  var isEventStream: Bool { status == 200 && contentType.begins(with: "text/event-stream") }
}

/// A hub's refusal or silence, mapped to a sync error with its cure.
struct HubFailure {
  private let status: Int
  private let code: String
  private let message: String
  private let hub: HubAddress
  /// The versions of the protocol that the hub knows, if it has refused another.
  let versions: ClosedRange<UInt8>?

  init(_ reply: HubReply, _ body: ByteBuffer, _ hub: HubAddress) {
    status = reply.status
    let parsed = try? JSONParser.parse(Array(body.readableBytesView))
    if case .text(let text)? = parsed?["code"] { code = text } else { code = "" }
    if case .text(let text)? = parsed?["message"] { message = text } else { message = "" }
    self.hub = hub
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
    let said = message.isEmpty ? "status \(status)" : message
    return switch (status, code) {
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
    case (408, _), (429, _), (500..., _):
      SyncError(
        .unavailable, "the hub cannot do it now", hint: "Try again later", cause: said)
    default:
      SyncError(
        .badMessage, "\(hub.url) refused the request",
        hint: "Is that the address of a hub, of a version that fits?", cause: said)
    }
  }

  /// Returns whether the connection was closed before a response began.
  static func wasHungUp(_ error: any Error) -> Bool {
    (error as? HTTPClientError) == .remoteConnectionClosed
      || (error as? ChannelError) == .ioOnClosedChannel
  }

  /// Maps the error of a request without a response.
  static func unreached(_ error: any Error, _ hub: HubAddress) -> SyncError {
    switch error {
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      SyncError(
        .unreachable, "\(hub.url) cannot prove who it is",
        hint: "Name its certificate as one to trust, with --trust, if you do",
        cause: ConnectionCause.words(error))
    case let error as HTTPClientError where error == .readTimeout || error == .deadlineExceeded:
      SyncError(
        .unavailable, "\(hub.url) did not answer in time", hint: "Try again later")
    case is NIOTooManyBytesError:
      SyncError(
        .badMessage, "what \(hub.url) answers is larger than any message",
        hint: "Is that the address of a hub?")
    default:
      SyncError(
        .unreachable, "\(hub.url) cannot be reached",
        hint: "Check the address, and whether the hub runs and this machine is online",
        cause: ConnectionCause.words(error))
    }
  }
}
