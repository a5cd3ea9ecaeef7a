import DaybookEngine
import DaybookEventCore
public import DaybookProjections

extension Store {
  /// One write to an entity of a type, and what it changed.
  ///
  /// ```swift
  /// for write in try await store.history(of: milk.id) {
  ///   if let title = write.change(of: \.title) { print(write.actor, title.from, title.to) }
  /// }
  /// ```
  /// It has the properties of a ``HistoryItem``, such as `write.times` and `write.kind`.
  @dynamicMemberLookup
  public struct EntityWrite<Model: Entity>: Hashable, Identifiable, Sendable {
    /// What a write has changed in a property.
    public struct Change<V> {
      /// What the property showed before, in the total order.
      public var from: V
      /// What the write gave the property.
      public var to: V
      /// Whether the entity still shows this write.
      public var isCurrent: Bool
      /// Whether another author wrote another value, and neither had seen the other's write.
      public var isConflict: Bool
    }

    /// The write, with its fields by name.
    public let item: HistoryItem
    /// The first names of the fields that `item` names, in the same order.
    private let identities: [String]

    /// Makes a write from one that names fields as the type does, for a preview or a test.
    public init(_ item: HistoryItem) {
      let layout = EntityLayout<Model>.shared
      let first = Dictionary(zip(layout.names, layout.identities)) { first, _ in first }
      self.init(item, identities: item.changes.map { first[$0.field] ?? $0.field })
    }

    init(_ item: HistoryItem, identities: [String]) {
      self.item = item
      self.identities = identities
    }

    /// The write's event and its place there, which no other write has.
    public var id: StoredEntity.Version {
      StoredEntity.Version(event: item.event, operation: item.operation)
    }

    /// A property of the write.
    public subscript<T>(dynamicMember property: KeyPath<HistoryItem, T>) -> T {
      item[keyPath: property]
    }

    /// Returns what the write has changed in a property; nil if it has not written to it.
    ///
    /// A property shows its default for a value that it cannot hold, such as an unknown case.
    public func change<V>(of property: KeyPath<Model, V>) -> Change<V>? {
      let layout = EntityLayout<Model>.shared
      guard let place = layout.place(of: property),
        let index = identities.firstIndex(where: { $0 == layout.identities[place] })
      else { return nil }
      let change = item.changes[index]
      return Change(
        from: layout.shown(change.from, at: place, property),
        to: layout.shown(change.to, at: place, property),
        isCurrent: change.isCurrent, isConflict: change.isConflict)
    }
  }
}

extension Store.EntityWrite.Change: Sendable where V: Sendable {}
extension Store.EntityWrite.Change: Equatable where V: Equatable {}
extension Store.EntityWrite.Change: Hashable where V: Hashable {}

extension Store {
  /// Returns every write to an entity, in the total order: when, by which actor, and each
  /// property's old and new value.
  ///
  /// The list is empty if the entity was never written.
  public func history<E: Entity>(of id: EntityID<E>) async throws -> [Store.EntityWrite<E>] {
    try await core.reads.asynchronously { try Self.writes(to: id, in: $0.view) }
  }

  static func writes<E: Entity>(to id: EntityID<E>, in view: ReadModelView) throws
    -> [Store.EntityWrite<E>]
  {
    try view.history(of: id.rawValue, in: E.collection).map { item in
      Store.EntityWrite(
        view.schema.named(item, in: E.collection), identities: item.changes.map(\.field))
    }
  }
}

extension StoreSchema {
  /// Returns a write whose fields have their current names.
  package func named(_ item: HistoryItem, in collection: String) -> HistoryItem {
    guard let collection = self[collection] else { return item }
    var item = item
    for index in item.changes.indices {
      let field = item.changes[index].field
      item.changes[index].field = collection[field: field]?.name ?? field
    }
    return item
  }
}
