public import EventCore
public import Foundation
public import Projections
import Synchronization

extension Store {
  /// Opens a store with the types of an app, and makes it if there is none.
  ///
  /// What the types declare and the store lacks is defined: as one event, and as another for local
  /// collections. What the store has and the types do not mention stays. A read-only store is
  /// opened as it is.
  /// - Parameters:
  ///   - url: the folder of the store.
  ///   - schema: the types of all entities and relationships.
  ///   - migrations: changes of data that are made once; a read-only store makes none.
  ///   - options: how the store is opened.
  /// - Throws: what ``open(at:options:)`` and ``create(at:options:)`` throw; ``StoreError`` with
  ///   the code of the first contradiction between the types and the store, and a message that
  ///   names all of them.
  public static func open(
    at url: URL, schema: [any Entity.Type], migrations: [Migration] = [],
    options: Options = Options()
  ) async throws -> Store {
    let files = StoreFiles(folder: url)
    let isNew = try await Blocking.surfacing { try !files.exists }
    let store: Store =
      if isNew, !options.isReadOnly {
        try await create(at: url, options: options)
      } else {
        try await open(at: url, options: options)
      }
    do {
      if options.isReadOnly {
        try await store.require(schema)
      } else {
        try await store.define(schema)
        try await store.migrate(migrations)
      }
    } catch {
      try? await store.close()
      throw error
    }
    return store
  }

  /// Makes a store with the types of an app that is gone when it is closed: for previews and tests.
  ///
  /// It is the same engine, on files in memory. On systems without a file system in memory, the
  /// files are in the folder for temporary files.
  /// - Parameters:
  ///   - schema: the types of all entities and relationships.
  ///   - options: as for any store.
  public static func inMemory(
    schema: [any Entity.Type] = [], options: Options = Options()
  ) async throws -> Store {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = try await Blocking.surfacing { try DiskPath.isWritable(memory.path()) }
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appending(path: "daybook-\(UUID().uuidString)")
    let store = try await open(at: folder, schema: schema, options: options)
    store.isTemporary.store(true, ordering: .relaxed)
    return store
  }

  /// Checks that a read-only store has what the types declare.
  /// - Throws: ``StoreError`` `contradiction` that names what is missing.
  private func require(_ types: [any Entity.Type]) async throws {
    let schema = try await schema()
    var missing: [String] = []
    for definition in types.map({ $0.layoutDefinition }) {
      let known = schema[definition.collection]
      if known == nil { missing.append(definition.collection) }
      for field in definition.fields where known != nil && known?[field: field.shownName] == nil {
        missing.append("\(definition.collection).\(field.shownName)")
      }
    }
    guard missing.isEmpty else {
      throw StoreError(
        .contradiction, "the store is read-only and lacks \(missing.joined(separator: ", "))",
        hint: "Open it for writing once, which defines them")
    }
  }

  /// Defines what the types declare and the store lacks.
  /// - Throws: ``StoreError`` that names each contradiction.
  func define(_ types: [any Entity.Type]) async throws {
    let definitions = types.map { $0.layoutDefinition }
    // One transaction cannot write to shared collections and to local ones.
    var errors: [StoreError] = []
    for isLocal in [false, true] {
      errors += try await contradictions(definitions.filter { $0.isLocal == isLocal })
    }
    guard var first = errors.first else { return }
    if errors.count > 1 {
      first.message = errors.map(\.description).joined(separator: "; ")
      first.hint = "Make the types and the store agree"
    }
    throw first
  }

  /// Defines all of these, or none if the store contradicts one of them.
  /// - Returns: the contradictions.
  private func contradictions(_ definitions: [Definition]) async throws -> [StoreError] {
    guard !definitions.isEmpty else { return [] }
    do {
      try await write(label: "schema") { tx in
        var errors: [StoreError] = []
        for definition in definitions {
          do { try tx.define(definition) } catch let error as StoreError {
            if error.isAboutTheStore { throw error }
            errors.append(error)
          }
        }
        if !errors.isEmpty { throw Contradictions(errors: errors) }
      }
      return []
    } catch let refused as Contradictions {
      return refused.errors
    }
  }

  /// Returns a live entity; nil if there is none.
  ///
  /// It is found also if it is parked, because another entity has one of its unique values.
  public func fetch<E: Entity>(_ id: EntityID<E>) async throws -> E? {
    let statement = SQLFragment(
      EntityLayout<E>.shared.byID, .text(id.rawValue), reading: E.collection)
    if let found = try await read({ try EntityRows<E>($0, statement).all() }).first { return found }
    return try await fetch(E.collection, id.rawValue).map { EntityLayout<E>.shared.model($0).model }
  }

  /// Returns every write to an entity, in the total order.
  public func history<E: Entity>(of id: EntityID<E>) async throws -> [HistoryItem] {
    try await history(of: E.collection, id.rawValue)
  }

  /// Returns the open conflicts of a type's entities.
  /// - Parameters:
  ///   - type: the type.
  ///   - id: the only entity; nil for all.
  ///   - actor: the actor of one of the writes; nil for any.
  public func conflicts<E: Entity>(
    in type: E.Type, id: EntityID<E>? = nil, by actor: String? = nil
  ) -> Listing<Conflict> {
    conflicts(in: E.collection, id: id?.rawValue, by: actor)
  }

  /// Returns the open conflicts of a type's entities as they are now, all at once.
  ///
  /// A loop over them can settle each of them, and meets those of its beginning only. Cost: that of
  /// a loop over the list, and memory for all of it.
  /// - Parameters:
  ///   - type: the type.
  ///   - id: the only entity; nil for all.
  ///   - actor: the actor of one of the writes; nil for any.
  @_disfavoredOverload
  public func conflicts<E: Entity>(
    in type: E.Type, id: EntityID<E>? = nil, by actor: String? = nil
  ) async throws -> [Conflict] {
    let list: Listing<Conflict> = conflicts(in: E.self, id: id, by: actor)
    return try await list.all()
  }

  /// Returns the deleted entities of a type, the newest deletion first.
  /// - Parameters:
  ///   - type: the type.
  ///   - actor: the actor who deleted them; nil for any.
  ///   - after: only deletions that this position does not select, for example `.time(lastWeek)`.
  ///   - until: only deletions that this position selects.
  ///   - words: words between white space; nil for any texts.
  public func deleted<E: Entity>(
    in type: E.Type, by actor: String? = nil, after: Position? = nil, until: Position? = nil,
    matching words: String? = nil
  ) -> Listing<DeletedEntity> {
    deleted(in: E.collection, by: actor, after: after, until: until, matching: words)
  }
}

extension PastStore {
  /// Returns an entity as it was; nil if it was not live.
  public func fetch<E: Entity>(_ id: EntityID<E>) async throws -> E? {
    try await fetch(E.collection, id.rawValue).map { EntityLayout<E>.shared.model($0).model }
  }
}

extension Entity {
  /// The definition of the collection that the type declares.
  static var layoutDefinition: Definition { EntityLayout<Self>.shared.definition }
}

extension StoreError {
  /// Whether the error is about the store as a whole, and not about one definition.
  fileprivate var isAboutTheStore: Bool {
    switch code {
    case .contradiction, .wrongType, .invalidName, .unknownName, .overLimit, .fixedKey: false
    default: true
    }
  }
}

/// Thrown out of a transaction, so that nothing is defined.
private struct Contradictions: Error { let errors: [StoreError] }
