/// The place of a single loop in a stream, which the loop moves on with one call after the other.
///
/// A stream's own iterator keeps its caller's actor only on newer systems than the oldest that
/// Daybook runs on. Here the caller goes on on its actor with what it got, on all of them.
package final class StreamReader<Place: AsyncIteratorProtocol>: @unchecked Sendable {
  private var place: Place

  /// Begins to read a stream.
  package init<Stream: AsyncSequence>(_ stream: Stream) where Stream.AsyncIterator == Place {
    place = stream.makeAsyncIterator()
  }

  /// Waits for the next element, and returns it; nil at the end.
  /// - Throws: what ends the stream.
  package func next() async throws -> Place.Element? { try await place.next() }
}
