import EventCore
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads a request's body: not too much, not too slowly, and not more than there is room for.
struct BodyReader {
  let limits: HubOptions.Limits
  let budget: ByteBudget
  /// Whose request it is; nil if everybody is let in.
  let token: AccessToken?
  /// Who has to make do with a part of the budget.
  let owner: String

  /// A body, and the room that it takes: hold the share for as long as the bytes.
  struct Read {
    var bytes: ByteBuffer
    var share: ByteBudget.Share
  }

  private static let bytesPerSecond = 16 << 10
  /// What a report of what is held can need; more than that brings events.
  private static let reportBytesMax = 8 << 20

  /// - Throws: ``HTTPRefusal``; what the connection throws.
  func read(_ request: Request) async throws -> Read {
    guard request.headers[.contentType] == "application/octet-stream" else {
      throw HTTPRefusal(
        .unsupportedMediaType, "wrongType", "a request is application/octet-stream")
    }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }) { try check(length) }
    let share = ByteBudget.Share(budget, owner: owner)
    let began = ContinuousClock.now
    var bytes = ByteBuffer()
    for try await chunk in request.body {
      try check(bytes.readableBytes + chunk.readableBytes)
      guard share.grow(by: chunk.readableBytes) else { throw HTTPRefusal.busy }
      bytes.writeImmutableBuffer(chunk)
      let allowed =
        limits.bodyTimeout + .seconds(bytes.readableBytes / Self.bytesPerSecond)
      guard began.advanced(by: allowed) > .now else {
        throw HTTPRefusal(.requestTimeout, "tooSlow", "the request took too long to arrive")
      }
    }
    try Checksum.check(bytes, request.headers)
    return Read(bytes: bytes, share: share)
  }

  private func check(_ bytes: Int) throws(HTTPRefusal) {
    if bytes > Self.reportBytesMax { try AccessCheck.requirePush(token) }
    guard bytes <= limits.requestBytesMax else {
      throw HTTPRefusal(
        .contentTooLarge, "tooLarge",
        "a request has at most \(limits.requestBytesMax) bytes")
    }
  }
}

/// `Daybook-CRC32C`: eight hexadecimal digits over the body. Signatures protect events; this finds what
/// a broken proxy does to the rest.
enum Checksum {
  static let field = HTTPField.Name("Daybook-CRC32C")!

  static func text(_ bytes: ByteBuffer) -> String {
    let checksum = bytes.withUnsafeReadableBytes { CRC32C.checksum($0) }
    return Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }

  /// - Throws: ``HTTPRefusal`` where the body is not what was sent. A body without one passes.
  static func check(_ bytes: ByteBuffer, _ headers: HTTPFields) throws(HTTPRefusal) {
    guard let told = headers[field], told.lowercased() != text(bytes) else { return }
    throw HTTPRefusal(
      .badRequest, "damagedBody", "the body's checksum does not match: it was damaged on its way")
  }
}
