import DaybookEngine
import DaybookProjections
public import Foundation
import GRDB

extension Store {
  /// Opens a store with the types of an app, and makes it if there is none.
  ///
  /// What the types declare and nobody has defined so far is defined: as one event, and as another
  /// for local collections. What the store has and the types do not mention stays, and so does what
  /// another version of the app has said; see ``WriteTransaction/define(_:)-(E.Type)``. Everything
  /// is checked and tried before anything is written, so after an error the store is as it was. A
  /// read-only store is opened as it is.
  /// - Parameters:
  ///   - url: the folder of the store.
  ///   - schema: the types of all entities and relationships.
  ///   - migrations: changes of data that are made once; a read-only store makes none.
  ///   - options: how the store is opened.
  /// - Throws: what ``open(at:options:)`` and ``create(at:options:)`` throw; ``StoreError`` with
  ///   the code of the first contradiction between the types and the store, and a message that
  ///   names all of them; `migrationFailed` with what a migration throws as its cause.
  public static func open(
    at url: URL, schema: [any Entity.Type], migrations: [Migration] = [],
    options: Options = Options()
  ) async throws -> Store {
    try await Blocking.run { try AppOpening.open(at: url, schema, migrations, options) }
  }

  /// Makes a store with the types of an app that is gone when it is closed, or when nothing uses it
  /// any more: for previews and tests.
  ///
  /// It is the same engine, on files in memory. On systems without a file system in memory, the
  /// files are in the folder for temporary files.
  /// - Parameters:
  ///   - schema: the types of all entities and relationships.
  ///   - options: as for any store.
  public static func inMemory(
    schema: [any Entity.Type] = [], options: Options = Options()
  ) async throws -> Store {
    try await Blocking.run { try AppOpening.openInMemory(schema, options) }
  }

  /// Returns a live entity; nil if there is none.
  ///
  /// It is found also if it is parked, because another entity has one of its unique values.
  public func fetch<E: Entity>(_ id: EntityID<E>) async throws -> E? {
    let statement = EntityLayout<E>.shared.byID(id)
    let found = try await core.reads.quickly(isSingle: true) {
      try EntityRows<E>($0.database, statement).all()
    }
    if let entity = found.first { return entity }
    return try await core.reads.quickly { try Self.unlisted(id, in: $0.view) }
  }

  /// Returns a live entity; nil if there is none.
  static func entity<E: Entity>(_ id: EntityID<E>, _ view: ReadModelView, _ db: Database) throws
    -> E?
  {
    let found = try EntityRows<E>(db, EntityLayout<E>.shared.byID(id)).all()
    return try found.first ?? unlisted(id, in: view)
  }

  /// Returns a live entity that has no row; nil if there is none.
  private static func unlisted<E: Entity>(_ id: EntityID<E>, in view: ReadModelView) throws -> E? {
    // Another version of the app may have dropped the collection.
    guard view.schema[E.collection] != nil else { return nil }
    return try view.entity(E.collection, id.rawValue).map {
      EntityLayout<E>.shared.model($0).model
    }
  }
}

extension Entity {
  /// The definition of the collection that the type declares.
  static var layoutDefinition: Definition { EntityLayout<Self>.shared.definition }

  static func compareLayout(with schema: StoreSchema.Collection) {
    EntityLayout<Self>.shared.compare(with: schema)
  }
}
