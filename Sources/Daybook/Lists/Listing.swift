import Projections

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

  /// Reads elements behind a key, as many as asked for or fewer, and says whether these are all.
  typealias Fetch =
    @Sendable (_ key: [Cell]?, _ limit: Int) async throws -> (found: [Listed<Element>], isAll: Bool)

  /// Makes a reader of pages, which may remember something from one page to the next.
  private let reader: @Sendable () -> Fetch
  private let limit: Int

  /// - Parameters:
  ///   - limit: the most elements of the list; nil for all.
  ///   - reader: makes a reader of pages.
  init(limit: Int? = nil, reader: @escaping @Sendable () -> Fetch) {
    self.limit = limit ?? .max
    self.reader = reader
  }

  /// Returns the elements behind a place.
  /// - Parameters:
  ///   - limit: the most elements, at least 1.
  ///   - cursor: ``Page/next`` of the page before; nil for the first page.
  /// - Throws: ``StoreError`` `invalidQuery` if the limit is less than 1; what the method that
  ///   returned the list says.
  public func page(limit: Int, after cursor: Cursor? = nil) async throws -> Page {
    guard limit > 0 else {
      throw StoreError(
        .invalidQuery, "a limit of \(limit) makes no sense", hint: "Give a number of at least 1")
    }
    let wanted = Swift.min(limit, self.limit)
    guard wanted > 0 else { return Page(items: [], next: nil) }
    let fetch = reader()
    var found: [Listed<Element>] = []
    var isAll = false
    // One more than wanted tells whether there is a next page.
    while !isAll, found.count <= wanted {
      try Task.checkCancellation()
      let missing = wanted - found.count
      let (more, ended) = try await fetch(
        found.last?.key ?? cursor?.key, missing == .max ? .max : missing + 1)
      found += more
      isAll = ended
    }
    let items = found.prefix(wanted)
    return Page(
      items: items.map(\.item),
      next: found.count > wanted ? items.last.map { Cursor(key: $0.key) } : nil)
  }

  /// Returns all elements.
  ///
  /// Cost: memory for all of them.
  /// - Throws: what the method that returned the list says.
  public func all() async throws -> [Element] {
    var all: [Element] = []
    for try await element in self { all.append(element) }
    return all
  }

  public func makeAsyncIterator() -> Iterator { Iterator(fetch: reader(), left: limit) }

  /// A loop over a list.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let fetch: Fetch
    private var key: [Cell]?
    /// The rest of the page, in reverse.
    private var page: [Element] = []
    private var left: Int
    private var isAll = false

    /// The most elements of a page.
    private static var pageMax: Int { 512 }

    fileprivate init(fetch: @escaping Fetch, left: Int) {
      self.fetch = fetch
      self.left = left
    }

    /// Returns the next element; nil if there is none.
    /// - Throws: what the method that returned the list says. The list ends with the error.
    public mutating func next() async throws -> Element? {
      while page.isEmpty {
        guard !isAll, left > 0 else { return nil }
        do {
          try Task.checkCancellation()
          let (found, isAll) = try await fetch(key, Swift.min(left, Self.pageMax))
          self.isAll = isAll
          left -= found.count
          key = found.last?.key ?? key
          page = found.reversed().map(\.item)
        } catch {
          isAll = true
          throw error
        }
      }
      return page.popLast()
    }
  }
}
