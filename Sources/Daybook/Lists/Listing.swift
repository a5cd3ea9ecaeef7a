import DaybookEngine
import DaybookProjections

/// A list of a store's data that is read page by page.
///
/// ```swift
/// for try await conflict in store.conflicts(in: "notes") { … }
///
/// let first = try await store.deleted(in: "notes").page(limit: 20)
/// let second = try await store.deleted(in: "notes").page(limit: 20, after: first.next)
/// ```
/// Nothing is read before the first element is asked for. A loop holds one page in memory, however
/// long the list is.
///
/// Each page is of a snapshot of its own, so a slow loop holds up nothing. What does not change
/// meanwhile occurs once, in the order of the list. What comes, goes or moves meanwhile may occur
/// or not. For one snapshot, read one page.
///
/// Code that is not asynchronous reads a list by ``BlockingStore/page(of:limit:after:)`` and
/// ``BlockingStore/all(of:)``.
public struct Listing<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  /// A place in a list, behind one of its elements.
  ///
  /// It stays valid when that element is gone.
  public struct Cursor: Hashable, Sendable {
    let key: [Cell]
  }

  /// A part of a list.
  public struct Page: Sendable {
    /// The elements, in order.
    public var items: [Element]
    /// The place at which the next page begins; nil if there are no more elements.
    public var next: Cursor?
  }

  /// Makes a reader, which may remember something from one part to the next.
  private let reader: @Sendable () -> ListReader<Element>
  private let limit: Int

  /// The most elements that are read at once.
  private static var partMax: Int { 512 }
  /// The most elements that a loop reads before it returns the first of them.
  private let loopPartMax: Int

  /// - Parameters:
  ///   - store: the store that the list is read from.
  ///   - limit: the most elements of the list; nil for all.
  ///   - isFresh: whether a loop reads each element when it is asked for, so that its body may
  ///     change what the elements behind it are.
  ///   - source: makes the source of one page or loop.
  init(
    of store: Store, limit: Int? = nil, isFresh: Bool = false,
    source: @escaping @Sendable () -> ListReader<Element>.Source
  ) {
    self.limit = limit ?? .max
    loopPartMax = isFresh ? 1 : Self.partMax
    reader = { ListReader(store: store, source: source()) }
  }

  /// Returns the elements behind a place.
  /// - Parameters:
  ///   - limit: the most elements, at least 1.
  ///   - cursor: ``Page/next`` of the page before; nil for the first page.
  /// - Throws: ``StoreError`` `invalidQuery` if the limit is less than 1; what the method that
  ///   returned the list says.
  public func page(limit: Int, after cursor: Cursor? = nil) async throws -> Page {
    var progress = try progress(limit, cursor)
    let reader = reader()
    var found: [Listed<Element>] = []
    while let wanted = progress.wanted {
      let part = try await reader.part(after: progress.key, limit: wanted)
      progress.add(part)
      found += part.found
    }
    return page(limit, found)
  }

  /// Returns the elements behind a place, on the calling thread, which may block.
  func pageNow(limit: Int, after cursor: Cursor?) throws -> Page {
    var progress = try progress(limit, cursor)
    let reader = reader()
    var found: [Listed<Element>] = []
    while let wanted = progress.wanted {
      let part = try reader.partNow(after: progress.key, limit: wanted)
      progress.add(part)
      found += part.found
    }
    return page(limit, found)
  }

  /// Returns what to read for a page.
  private func progress(_ limit: Int, _ cursor: Cursor?) throws -> ListProgress {
    guard limit > 0 else {
      throw StoreError(
        .invalidQuery, "a limit of \(limit) makes no sense", hint: "Give a number of at least 1")
    }
    let count = Swift.min(limit, self.limit)
    // One more than the page has tells whether there is a next page.
    return ListProgress(
      after: cursor?.key, count: 1..<Int.max ~= count ? count + 1 : count)
  }

  private func page(_ limit: Int, _ found: [Listed<Element>]) -> Page {
    let items = found.prefix(Swift.max(0, Swift.min(limit, self.limit)))
    return Page(
      items: items.map(\.item),
      next: found.count > items.count ? items.last.map { Cursor(key: $0.key) } : nil)
  }

  /// Returns all elements.
  ///
  /// Cost: memory for all of them.
  /// - Throws: what the method that returned the list says.
  public func all() async throws -> [Element] {
    var all: [Element] = []
    var elements = iterator(partMax: Self.partMax)
    while let element = try await elements.next() { all.append(element) }
    return all
  }

  /// Returns all elements, on the calling thread, which may block.
  func allNow() throws -> [Element] {
    var progress = ListProgress(count: limit, partMax: Self.partMax)
    let reader = reader()
    var all: [Element] = []
    while let wanted = progress.wanted {
      let part = try reader.partNow(after: progress.key, limit: wanted)
      progress.add(part)
      all += part.found.map(\.item)
    }
    return all
  }

  public func makeAsyncIterator() -> Iterator { iterator(partMax: loopPartMax) }

  private func iterator(partMax: Int) -> Iterator {
    Iterator(reader: reader(), ListProgress(count: limit, partMax: partMax))
  }

  /// A loop over a list.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let reader: ListReader<Element>
    private var progress: ListProgress
    /// The rest of the part that was read last, in reverse.
    private var rest: [Element] = []

    fileprivate init(reader: ListReader<Element>, _ progress: ListProgress) {
      self.reader = reader
      self.progress = progress
    }

    /// Returns the next element; nil if there is none.
    /// - Throws: what the method that returned the list says. The list ends with the error.
    public mutating func next() async throws -> Element? {
      while rest.isEmpty {
        guard let wanted = progress.wanted else { return nil }
        do {
          let part = try await reader.part(after: progress.key, limit: wanted)
          progress.add(part)
          rest = part.found.reversed().map(\.item)
        } catch {
          progress.end()
          throw error
        }
      }
      return rest.popLast()
    }
  }
}
