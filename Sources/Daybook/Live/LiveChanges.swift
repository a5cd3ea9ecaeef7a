/// The entities of a query, with what is different from before; see
/// ``Store/observeChanges(of:)``.
///
/// A loop ends when its task is cancelled or the store is closed. It also ends with the error of a
/// read, and a new loop reads from the beginning.
public struct LiveChanges<Model: Entity>: AsyncSequence, Sendable {
  public typealias Element = ListChange<Model>
  public typealias Failure = any Error

  let lists: LiveValues<HashedList<Model>>

  public func makeAsyncIterator() -> Iterator { Iterator(lists: lists.makeAsyncIterator()) }

  /// A loop over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var lists: LiveValues<HashedList<Model>>.Iterator
    private var last = HashedList<Model>(entities: [], hashes: [])

    fileprivate init(lists: LiveValues<HashedList<Model>>.Iterator) { self.lists = lists }

    /// Waits for the next change, and returns it; nil if the task is cancelled or the store closed.
    /// - Throws: what the read throws, ``StoreError`` among others.
    public mutating func next() async throws -> ListChange<Model>? {
      guard let list = try await lists.next() else { return nil }
      defer { last = list }
      return ListChange(from: last, to: list)
    }
  }
}

/// What is different in a list of entities from the list before it.
public struct ListChange<Model: Entity>: Sendable {
  /// The entities, in the query's order.
  public let entities: [Model]
  /// What came, went and moved, by id. An entity that moved is a removal and an insertion that name
  /// each other's offsets.
  public let difference: CollectionDifference<Model.ID>
  /// The ids of the entities that are in both lists and whose values have changed, in the query's
  /// order.
  public let updated: [Model.ID]

  init(from old: HashedList<Model>, to new: HashedList<Model>) {
    entities = new.entities
    let ids = (old: old.entities.map(\.id), new: new.entities.map(\.id))
    difference = ids.new.difference(from: ids.old).inferringMoves()
    let before = Dictionary(zip(ids.old, old.hashes)) { first, _ in first }
    updated = zip(ids.new, new.hashes).compactMap { id, hash in
      before[id].map { $0 != hash } ?? false ? id : nil
    }
  }
}

/// The entities of a query, and a hash of what each one's row holds.
struct HashedList<Model: Entity>: Sendable {
  var entities: [Model]
  var hashes: [RowHash]
}
