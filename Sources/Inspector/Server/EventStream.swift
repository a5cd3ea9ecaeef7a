import DaybookJSON

/// Server-sent events for one page.
final class EventStream: Sendable {
  let bytes: AsyncStream<[UInt8]>
  private let continuation: AsyncStream<[UInt8]>.Continuation

  init() { (bytes, continuation) = AsyncStream<[UInt8]>.makeStream() }

  /// Sends an event with one line of data.
  func send(_ event: String, _ members: Members) {
    var writer = JSONWriter()
    writer.value(.object(members))
    continuation.yield(Array("event: \(event)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8))
  }

  /// Sends a comment, by which either side notices that the other is gone.
  func beat() { continuation.yield(Array(": here\n\n".utf8)) }

  func end() { continuation.finish() }
}

/// A file that is sent piece by piece, as fast as the client takes it.
struct StreamedFile: Sendable {
  var name: String
  var type: String
  /// Returns the next piece; nil at the end.
  var next: @Sendable () async throws -> [UInt8]?
}
