import Synchronization

/// The values of a read: now, and after every change; see ``Store/observe(_:value:)``.
///
/// A loop ends when its task is cancelled or the store is closed. It also ends with the error of a
/// read, and a new loop reads from the beginning.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = any Error

  /// Reads a value. The second part tells it from others: values of which it is equal are the same.
  typealias Fetch = @Sendable (Store) async throws -> (value: Value, mark: ValueMark)

  let store: Store
  let scope: ChangeFeed.Scope
  let fetch: Fetch

  /// Returns live values that are made of these, one of each. One that equals the one before is not
  /// delivered.
  package func making<Other: Equatable & Sendable>(
    _ make: @escaping @Sendable (Store, Value) async throws -> Other
  ) -> LiveValues<Other> {
    let fetch = fetch
    return LiveValues<Other>(store: store, scope: scope) { store in
      let made = try await make(store, fetch(store).value)
      return (made, ValueMark(made))
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(fetch: fetch, listener: ChangeListener(store, scope))
  }

  /// A loop over the values.
  public struct Iterator: AsyncIteratorProtocol {
    private let fetch: Fetch
    /// Nil after the end.
    private var listener: ChangeListener?
    private var last: ValueMark?

    fileprivate init(fetch: @escaping Fetch, listener: ChangeListener) {
      self.fetch = fetch
      self.listener = listener
    }

    /// Waits for the next value, and returns it; nil if the task is cancelled or the store closed.
    /// - Throws: what the read throws, ``StoreError`` among others.
    public mutating func next() async throws -> Value? {
      guard let listener else { return nil }
      do {
        while await listener.nextChange() {
          let (value, mark) = try await fetch(listener.store)
          guard mark != last else { continue }
          last = mark
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
