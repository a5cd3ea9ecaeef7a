import DaybookEngine
import DaybookLocks

/// The values of a read: now, and after every change; see ``Store/observe(_:value:)``.
///
/// A loop ends when its task is cancelled or the store is closed. It also ends with the error of a
/// read, and a new loop reads from the beginning.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error

  /// Reads the value and a mark. Two reads with equal marks count as unchanged.
  typealias Fetch = @Sendable (Store) async throws -> (value: Value, mark: ValueMark)

  private enum Source: Sendable {
    case store(Store, ChangeFeed.Scope, Fetch)
    case given(@Sendable () -> AsyncThrowingStream<Value, any Error>)
  }

  private let source: Source

  init(store: Store, scope: ChangeFeed.Scope, fetch: @escaping Fetch) {
    source = .store(store, scope, fetch)
  }

  /// Makes values that come from no store, for a preview, or for a test with a ``Repository`` of
  /// its own. Each loop gets all of them, and then its end.
  public init(of values: Value...) {
    self.init(from: {
      AsyncThrowingStream { continuation in
        for value in values { continuation.yield(value) }
        continuation.finish()
      }
    })
  }

  /// Makes values that come from no store, for a preview, or for a test that decides when each
  /// comes.
  /// - Parameter stream: returns the values of a loop, for each loop that begins.
  public init(from stream: @escaping @Sendable () -> AsyncThrowingStream<Value, any Error>) {
    source = .given(stream)
  }

  /// Returns live values that are made of these, one of each. One that equals the one before is not
  /// delivered. Values that come from no store end with an error.
  package func making<Other: Equatable & Sendable>(
    _ make: @escaping @Sendable (Store, Value) async throws -> Other
  ) -> LiveValues<Other> {
    guard case .store(let store, let scope, let fetch) = source else {
      return LiveValues<Other>(from: {
        AsyncThrowingStream {
          $0.finish(throwing: StoreError(.other, "the values come from no store"))
        }
      })
    }
    return LiveValues<Other>(store: store, scope: scope) { store in
      let made = try await make(store, fetch(store).value)
      return (made, ValueMark(made))
    }
  }

  public func makeAsyncIterator() -> Iterator {
    switch source {
    case .store(let store, let scope, let fetch):
      Iterator(.store(fetch, ChangeListener(store, scope)))
    case .given(let stream): Iterator(.given(StreamReader(stream())))
    }
  }

  /// A loop over the values.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate enum State {
      case store(Fetch, ChangeListener)
      /// The values come from no store.
      case given(StreamReader<AsyncThrowingStream<Value, any Error>.Iterator>)
      case ended
    }

    private var state: State
    private var last: ValueMark?

    fileprivate init(_ state: State) { self.state = state }

    /// Waits for the next value, and returns it; nil if the task is cancelled or the store closed.
    /// - Throws: what the read throws, ``StoreError`` among others.
    public mutating func next() async throws -> Value? {
      switch state {
      case .store(let fetch, let listener):
        do {
          while await listener.nextChange() {
            let (value, mark) = try await fetch(listener.store)
            guard mark != last else { continue }
            last = mark
            return value
          }
        } catch {
          let isEnd = Task.isCancelled || listener.isEnded
          state = .ended
          if isEnd { return nil }
          throw error
        }
        state = .ended
        return nil
      case .given(let values): return try await values.next()
      case .ended: return nil
      }
    }
  }
}

/// What tells values from each other, of any type.
struct ValueMark: Equatable, Sendable {
  private let value: any Equatable & Sendable

  init(_ value: some Equatable & Sendable) { self.value = value }

  static func == (a: ValueMark, b: ValueMark) -> Bool {
    func isEqual<T: Equatable>(_ value: T) -> Bool { b.value as? T == value }
    return isEqual(a.value)
  }
}

/// The listener of one loop over live values or texts.
///
/// It listens from its beginning, so that the first read misses nothing.
final class ChangeListener: Sendable {
  let store: Store
  private let token: Int
  private let changes: StreamReader<AsyncStream<Void>.Iterator>
  private let ended: Flag

  private final class Flag: Sendable {
    let isSet = Mutex(false)
  }

  init(_ store: Store, _ scope: ChangeFeed.Scope) {
    self.store = store
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ended = Flag()
    self.ended = ended
    changes = StreamReader(stream)
    // The first value is read at once.
    continuation.yield()
    token = store.core.listen(
      to: scope, { continuation.yield() },
      end: {
        ended.isSet.withLock { $0 = true }
        continuation.finish()
      })
  }

  deinit { store.core.changes.forget(token) }

  var isEnded: Bool { ended.isSet.withLock { $0 } }

  /// Waits for a change; false if the task is cancelled or the store closed.
  func nextChange() async -> Bool {
    (try? await changes.next()) != nil && !isEnded
  }
}
