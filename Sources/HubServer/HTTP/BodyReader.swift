import DaybookReplication
import HTTPTypes
import Hummingbird
import NIOCore

/// A reader of request bodies, with limits on size, time and memory.
struct BodyReader {
  let limits: HubOptions.Limits
  let budget: ByteBudget
  /// The request's token; nil if no token is needed.
  let token: AccessToken?
  /// The owner whose part of the budget the body counts against.
  let owner: String

  /// A body, and its share of the budget. Keep the share as long as the bytes.
  struct Read {
    var bytes: ByteBuffer
    var share: ByteBudget.Share
  }

  private static let bytesPerSecond = 1 << 10
  /// The most bytes that a report of knowledge needs. A larger request contains events.
  private static let reportBytesMax = 8 << 20

  /// Reads a request's body.
  /// - Throws: ``HTTPRefusal``; any error of the connection.
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
      guard began.advanced(by: allowed) > .now else { throw HTTPRefusal.tooSlow }
    }
    try BodyChecksum.check(bytes, request.headers)
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

extension HTTPField.Name {
  /// The header with the checksum of a body; see `BodyChecksum`.
  static let bodyChecksum = Self(BodyChecksum.field)!
}

extension BodyChecksum {
  /// Checks a body against the header, if there is one.
  /// - Throws: ``HTTPRefusal`` if the checksum does not match.
  static func check(_ body: ByteBuffer, _ headers: HTTPFields) throws(HTTPRefusal) {
    let told = headers[.bodyChecksum]
    guard !body.withUnsafeReadableBytes({ matches($0, told) }) else { return }
    throw HTTPRefusal(
      .badRequest, "damagedBody", "the body's checksum does not match: it was damaged on its way")
  }
}
