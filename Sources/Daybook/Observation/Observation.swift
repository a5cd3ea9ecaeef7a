import Synchronization

/// The values of a read: now, and after every change; see ``Store/observe(_:value:)``.
///
/// A loop ends when its task is cancelled or the store is closed. It also ends with the error of a
/// read, and a new loop begins anew.
public struct Observation<Value: Sendable & Equatable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error

  let store: Store
  let scope: ChangeFeed.Scope
  let fetch: @Sendable (Store) async throws -> Value

  public func makeAsyncIterator() -> Iterator {
    Iterator(fetch: fetch, listener: Listener(store, scope))
  }

  /// A loop over the values.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let fetch: @Sendable (Store) async throws -> Value
    /// Nil after the end.
    fileprivate var listener: Listener?
    private var last: Value?

    fileprivate init(
      fetch: @escaping @Sendable (Store) async throws -> Value, listener: Listener
    ) {
      self.fetch = fetch
      self.listener = listener
    }

    /// Waits for the next value, and returns it; nil if the task is cancelled or the store closed.
    /// - Throws: what the read throws, ``StoreError`` among others.
    public mutating func next() async throws -> Value? {
      guard let listener else { return nil }
      do {
        while await listener.nextChange() {
          let value = try await fetch(listener.store)
          guard value != last else { continue }
          last = value
          return value
        }
      } catch {
        let isEnd = Task.isCancelled || listener.isEnded
        self.listener = nil
        if isEnd { return nil }
        throw error
      }
      self.listener = nil
      return nil
    }
  }
}

/// The listener of one loop over an observation.
///
/// It listens from its beginning, so that the first read misses nothing.
private final class Listener: Sendable {
  let store: Store
  private let token: Int
  private let changes: Changes
  private let ended: Flag

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// A single loop asks for changes, one after the other.
  private final class Changes: @unchecked Sendable {
    var iterator: AsyncStream<Void>.Iterator
    init(_ stream: AsyncStream<Void>) { iterator = stream.makeAsyncIterator() }
  }

  init(_ store: Store, _ scope: ChangeFeed.Scope) {
    self.store = store
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ended = Flag()
    self.ended = ended
    changes = Changes(stream)
    // The first value is read at once.
    continuation.yield()
    token = store.listen(
      to: scope, { continuation.yield() },
      end: {
        ended.isSet.store(true, ordering: .relaxed)
        continuation.finish()
      })
  }

  deinit { store.changes.forget(token) }

  var isEnded: Bool { ended.isSet.load(ordering: .relaxed) }

  /// Waits for a change; false if the task is cancelled or the store closed.
  func nextChange() async -> Bool {
    await changes.iterator.next() != nil && !isEnded
  }
}
