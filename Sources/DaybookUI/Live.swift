#if canImport(SwiftUI)
  public import Daybook
  public import SwiftUI

  /// A property of a view that is what a query finds in the environment's store, now and after
  /// every change.
  ///
  /// ```swift
  /// struct NoteList: View {
  ///   @Live(Note.where { $0.pinned }.order(by: \.title)) private var notes
  ///   @Live(Note.all.count(), initially: 0) private var count
  ///
  ///   var body: some View {
  ///     List(notes) { note in Text(note.title) }
  ///     if let error = $notes.error { Text(error.localizedDescription) }
  ///   }
  /// }
  /// ```
  /// The store is set by `View.store(_:)`. SwiftUI draws the view again when the value
  /// changes. If the view gets another query, the property follows that.
  @propertyWrapper public struct Live<Value: Sendable>: DynamicProperty, Sendable {
    @Environment(\.store) private var store
    @State private var place = LivePlace<Value>()

    private let first: Value
    private let request: LiveRequest<Value>

    init(_ request: LiveRequest<Value>, initially first: Value) {
      self.request = request
      self.first = first
    }

    /// The newest value.
    @MainActor public var wrappedValue: Value { place.query?.value ?? first }

    /// Whether the value is still on its way, and what has ended it.
    @MainActor public var projectedValue: LiveState<Value> {
      LiveState(query: place.query, hasStore: store != nil)
    }

    /// Follows the environment's store and the query; SwiftUI calls it before it draws the view.
    public func update() {
      MainActor.assumeIsolated { place.follow(request, in: store, initially: first) }
    }
  }

  extension Live {
    /// The entities of a query.
    public init<E: Entity>(_ query: EntityQuery<E>) where Value == [E] {
      self.init(
        LiveRequest(query) { $0.observe(query) }, initially: [])
    }

    /// An entity; nil while there is none.
    public init<E: Entity>(_ id: EntityID<E>) where Value == E? {
      self.init(
        LiveRequest(id) { $0.observe(id) }, initially: nil)
    }

    /// A value about the entities of a query, such as their number.
    /// - Parameters:
    ///   - aggregate: what to compute.
    ///   - first: the value until the first one is read.
    public init(_ aggregate: EntityAggregate<Value>, initially first: Value)
    where Value: Equatable {
      self.init(
        LiveRequest(aggregate) { $0.observe(aggregate) }, initially: first)
    }

    /// What any of the methods `observe` of a store returns: of SQL, or of a query language.
    ///
    /// ```swift
    /// @Live("names", initially: [], of: { store in
    ///   store.observe(gql: "MATCH (p:Person) RETURN p.name", as: String.self)
    /// }) private var names
    /// ```
    /// - Parameters:
    ///   - id: what tells the values from others. If it changes, the property follows the new ones.
    ///   - first: the value until the first one is read.
    ///   - values: returns the values of a store.
    public init(
      _ id: some Hashable & Sendable, initially first: Value,
      of values: @escaping @Sendable (Store) -> LiveValues<Value>
    ) {
      self.init(LiveRequest(id, values), initially: first)
    }

    /// The hits of a search for what a person has typed.
    /// - Parameters:
    ///   - type: the type of the entities; it has searched fields.
    ///   - text: what was typed.
    ///   - words: whether each word may be the beginning of a longer one.
    ///   - limit: the most hits, at least 0.
    public init<E: Entity>(
      search type: E.Type, for text: String, matching words: Store.WordMatch = .beginnings,
      limit: Int = 20
    ) where Value == [EntityHit<E>] {
      self.init(
        LiveRequest([text, "\(words) \(limit)"]) {
          $0.observe(search: type, for: text, matching: words, limit: limit)
        }, initially: [])
    }
  }

  /// How a live property is doing.
  @MainActor public struct LiveState<Value: Sendable> {
    private let query: LiveQuery<Value>?
    private let hasStore: Bool

    init(query: LiveQuery<Value>?, hasStore: Bool) {
      self.query = query
      self.hasStore = hasStore
    }

    /// Whether the first value is still on its way.
    public var isLoading: Bool { query?.isLoading ?? false }

    /// What has ended the values; nil if nothing has.
    public var error: (any Error)? { hasStore ? query?.error : LiveError.noStore }

    /// Reads the value again, also after an error.
    public func refresh() { query?.refresh() }
  }

  /// A mistake in the use of ``Live``.
  public enum LiveError: LocalizedError {
    /// No store has been set in the environment of the view.
    case noStore

    public var errorDescription: String? {
      "the view has no store: set it by .store(_:) on this view or one around it"
    }
  }

  /// What to observe, and what tells it from other requests.
  struct LiveRequest<Value: Sendable>: Sendable {
    private let question: any Hashable & Sendable
    let values: @Sendable (Store) -> LiveValues<Value>

    init(
      _ question: some Hashable & Sendable,
      _ values: @escaping @Sendable (Store) -> LiveValues<Value>
    ) {
      self.question = question
      self.values = values
    }

    func isSame(as other: LiveRequest) -> Bool {
      AnyHashable(question) == AnyHashable(other.question)
    }
  }

  /// The query that a view follows, for as long as the view is there.
  @MainActor @Observable final class LivePlace<Value: Sendable> {
    private(set) var query: LiveQuery<Value>?
    @ObservationIgnored private var request: LiveRequest<Value>?
    @ObservationIgnored private weak var store: Store?

    nonisolated init() {}

    func follow(_ request: LiveRequest<Value>, in store: Store?, initially first: Value) {
      let isSame = self.request.map { $0.isSame(as: request) } ?? false
      guard store !== self.store || !isSame else { return }
      (self.store, self.request) = (store, request)
      query = store.map {
        // The last value stays until the new query has one, so that a view does not flicker.
        LiveQuery(request.values($0), initially: query?.value ?? first)
      }
    }
  }
#endif
