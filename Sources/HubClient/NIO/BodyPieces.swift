#if NIOClient && os(Linux)
  import NIOCore

  /// A request's body in pieces, each taken when the one before is on its way.
  struct BodyPieces: AsyncSequence, Sendable {
    let body: ByteBuffer
    /// The most bytes of a piece.
    let bytes: Int

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: ByteBuffer
      let bytes: Int

      mutating func next() async -> ByteBuffer? {
        guard rest.readableBytes > 0 else { return nil }
        return rest.readSlice(length: Swift.min(bytes, rest.readableBytes))
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: body, bytes: bytes) }
  }
#endif
