import Daybook
import DaybookEventCore
import DaybookFrames
import DaybookJSON
import DaybookLogEngine
import DaybookReplication
import HTTPTypes
import Hummingbird
import NIOCore

/// A refusal of a request: a status, a code for programs, and a sentence for people.
struct HTTPRefusal: Error {
  var status: HTTPResponse.Status
  var code: String
  var message: String
  /// The seconds after which the client may retry.
  var retryAfter: Int?
  /// The methods that the address takes, if the request had another.
  var allowed: [HTTPRequest.Method] = []
  /// The versions of the protocol that the hub knows, if the request had another.
  var versions: ClosedRange<UInt8>?

  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The body of the response: code and message.
  var json: ByteBuffer {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("code")
      writer.text(code)
      writer.key("message")
      writer.text(message)
      if let versions {
        writer.key("oldest")
        writer.integer(Int64(versions.lowerBound))
        writer.key("newest")
        writer.integer(Int64(versions.upperBound))
      }
    }
    return ByteBuffer(bytes: writer.bytes)
  }

  /// Returns the response for this refusal.
  /// - Parameter closes: Whether the connection cannot be used afterwards.
  func response(closes: Bool) -> Response {
    var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
    if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
    if !allowed.isEmpty { headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
    if closes { headers[.connection] = "close" }
    return Response(status: status, headers: headers, body: .init(byteBuffer: json))
  }

  /// Maps an internal error to a refusal; nil if the client must not see it.
  init?(_ error: any Error) {
    switch error {
    case let refusal as HTTPRefusal: self = refusal
    case let error as PoolRefusal: self.init(error)
    case let error as SyncError: self.init(error)
    case let error as LogError where error.code == .noSpace: self = .noSpace
    case let error as StoreError where error.code == .noSpace: self = .noSpace
    case is LogError, is FrameError, is StoreError: self = .zoneFailed
    default: return nil
    }
  }

  private init(_ error: PoolRefusal) {
    switch error {
    case .stopping:
      self.init(.serviceUnavailable, "stopping", "the hub is stopping", retryAfter: 2)
    case .tooManyZones:
      self.init(.serviceUnavailable, "busy", "too many zones are in use at once", retryAfter: 5)
    case .failed: self = .zoneFailed
    }
  }

  private init(_ error: SyncError) {
    switch error.code {
    case .wrongZone: self.init(.conflict, "wrongZone", error.message)
    case .tooLarge: self.init(.insufficientStorage, "zoneFull", error.message)
    default: self.init(.badRequest, error.code.rawValue, error.message)
    }
  }

  /// Maps an error in a message's bytes to a refusal.
  init(_ error: EventError) {
    switch error.code {
    case .tooLarge: self.init(.contentTooLarge, "tooLarge", error.description)
    case .unknownVersion:
      self.init(.badRequest, "otherVersion", error.description)
      versions = SyncProtocol.versions
    default: self.init(.badRequest, "badMessage", error.description)
    }
  }

  static let noSpace = HTTPRefusal(
    .insufficientStorage, "noSpace", "the hub's disk is full", retryAfter: 60)
  static let zoneFailed = HTTPRefusal(
    .serviceUnavailable, "zoneFailed", "the zone cannot be used now; the hub's log says why",
    retryAfter: 5)
  /// The refusal of a token whose exchanges have taken all the time that the hub allows.
  /// - Parameter wait: the time until it has some again.
  static func timeSpent(_ wait: Duration) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyRequests, "timeSpent",
      "the exchanges of this token have taken all the time that the hub allows in an hour",
      retryAfter: Int(saturating: wait / .seconds(1)) + 1)
  }

  static let tooSlow = HTTPRefusal(
    .requestTimeout, "tooSlow", "the request took too long to arrive")
  static let busy = HTTPRefusal(
    .serviceUnavailable, "busy", "the hub has too much to do", retryAfter: 2)
}

extension HTTPResponse.Status {
  static let insufficientStorage = HTTPResponse.Status(
    code: 507, reasonPhrase: "Insufficient Storage")
}
