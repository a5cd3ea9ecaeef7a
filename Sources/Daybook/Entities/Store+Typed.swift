import EventCore
public import Foundation
public import Projections
import Synchronization

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
    let store = try await openOrCreate(at: url, options)
    do {
      if options.isReadOnly {
        try await store.require(schema)
      } else {
        try await store.prepare(schema, migrations)
      }
    } catch {
      try? await store.close()
      throw error
    }
    return store
  }

  /// Opens a store, and makes it if there is none.
  ///
  /// Of several that come together, one makes the store, and the others wait for it.
  private static func openOrCreate(at url: URL, _ options: Options) async throws -> Store {
    let files = StoreFiles(folder: url)
    while true {
      if try await Blocking.surfacing({ try files.exists || options.isReadOnly }) {
        return try await open(at: url, options: options)
      }
      do { return try await create(at: url, options: options) } catch let error as StoreError
        where error.code == .alreadyExists
      {
        let mayGoOn = try await Blocking.surfacing {
          // Whoever makes a store there has this until the store is made.
          let gate = StoreGate(files, timeout: options.lockTimeout)
          try gate.share()
          defer { gate.release() }
          return try files.exists || files.isEmpty
        }
        guard mayGoOn else { throw error }
      }
    }
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
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = try await Blocking.surfacing { try DiskPath.isWritable(memory.path()) }
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appending(path: "daybook-\(UUID().uuidString)")
    let store = try await open(at: folder, schema: schema, options: options)
    store.shutdown.isTemporary.store(true, ordering: .relaxed)
    return store
  }

  /// Checks that a read-only store has the collections and fields of the types, as they are
  /// declared.
  /// - Throws: ``StoreError`` that names each contradiction, or each missing collection and field.
  private func require(_ types: [any Entity.Type]) async throws {
    let schema = try await schema()
    let check = DefinitionCheck(schema, .standard, .opening) { _, _, _ in nil }
    var errors: [StoreError] = []
    var missing: [String] = []
    for definition in types.map({ $0.layoutDefinition }) {
      do { _ = try check.missing(definition) } catch { errors.append(error) }
      let known = schema[definition.collection]
      if known == nil { missing.append(definition.collection) }
      for field in definition.fields where known != nil && known?[identity: field.name] == nil {
        missing.append("\(definition.collection).\(field.shownName)")
      }
    }
    try Self.report(errors)
    guard missing.isEmpty else {
      throw StoreError(
        .contradiction, "the store is read-only and lacks \(missing.joined(separator: ", "))",
        hint: "Open it for writing once, which defines them")
    }
    AppTypes(types).compare(with: schema)
  }

  /// Throws one error that names all of these; returns if there are none.
  private static func report(_ errors: [StoreError]) throws {
    guard var first = errors.first else { return }
    if errors.count > 1 {
      first.message = errors.map(\.description).joined(separator: "; ")
      first.hint = "Make the types and the store agree"
    }
    throw first
  }

  /// Defines what the types declare and the store lacks, and runs the migrations that it has not
  /// run.
  ///
  /// All of it is tried first, so an error leaves the store as it was. One transaction cannot write
  /// to shared collections and to local ones, and each migration is an event of its own.
  /// - Throws: ``StoreError`` that names each contradiction, or the migration that has failed.
  func prepare(_ types: [any Entity.Type], _ migrations: [Migration]) async throws {
    let definitions = types.map { $0.layoutDefinition }
    let shared = definitions.filter { !$0.isLocal }
    let local = definitions.filter(\.isLocal)
    let app = AppTypes(types)
    try await onCommitThread { $0.types = app }
    let pending = try await pending(migrations)
    var errors = DefinitionCheck.danglingReferences(from: shared, to: local)
    let ofLocal = local.isEmpty ? Trial() : try await attempt(local, isTrial: true)
    errors += ofLocal.errors
    // A migration may change the data that stand against a rule.
    let first = pending.isEmpty ? shared : shared.map(\.withoutRules)
    // A transaction is all or nothing, so a single one needs no trial.
    let isSingle = errors.isEmpty && pending.isEmpty
    let ofShared = try await attempt(first, isTrial: !isSingle)
    errors += ofShared.errors
    try Self.report(errors)
    if !pending.isEmpty {
      let whole = try await attempt(first, pending, then: shared, isTrial: true)
      try Self.report(whole.errors)
    }
    if !isSingle, ofShared.isWriting { _ = try await attempt(first, isTrial: false) }
    if ofLocal.isWriting { _ = try await attempt(local, isTrial: false) }
    for migration in pending {
      try await write(label: "migration \(migration.number)") { try $0.run(migration) }
    }
    if !pending.isEmpty { _ = try await attempt(shared, isTrial: false) }
  }

  /// Defines all of these and runs migrations, or writes nothing if the store contradicts one.
  /// - Parameters:
  ///   - definitions: what is defined at first.
  ///   - migrations: what runs then.
  ///   - last: what is defined at last.
  ///   - isTrial: whether to write nothing in any case.
  private func attempt(
    _ definitions: [Definition], _ migrations: [Migration] = [], then last: [Definition] = [],
    isTrial: Bool
  ) async throws -> Trial {
    guard !definitions.isEmpty || !migrations.isEmpty else { return Trial() }
    do {
      return try await write(label: "schema") { tx in
        var trial = Trial()
        func define(_ definitions: [Definition]) throws {
          for definition in definitions {
            do { try tx.define(definition, .opening) } catch let error as StoreError {
              if error.isAboutTheStore { throw error }
              trial.errors.append(error)
            }
          }
        }
        try define(definitions)
        trial.isWriting = !tx.isEmpty
        if trial.errors.isEmpty {
          for migration in migrations { try tx.run(migration) }
          try define(last)
        }
        if isTrial || !trial.errors.isEmpty { throw trial }
        return trial
      }
    } catch let trial as Trial {
      return trial
    }
  }

  /// Returns a live entity; nil if there is none.
  ///
  /// It is found also if it is parked, because another entity has one of its unique values.
  public func fetch<E: Entity>(_ id: EntityID<E>) async throws -> E? {
    let statement = EntityLayout<E>.shared.byID(id)
    let found = try await readShortly { try EntityRows<E>($0, statement).all() }
    if let entity = found.first { return entity }
    do {
      return try await fetch(E.collection, id.rawValue).map {
        EntityLayout<E>.shared.model($0).model
      }
    } catch let error as StoreError where error.code == .unknownName {
      // Another version of the app has dropped the collection, which the statement above knows.
      return nil
    }
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

  static func compareLayout(with schema: CollectionSchema) {
    EntityLayout<Self>.shared.compare(with: schema)
  }
}

extension Definition {
  /// The definition without the rules that entities may break.
  fileprivate var withoutRules: Definition {
    var copy = self
    copy.attributes = attributes.filter { !$0.key.begins(with: IndexSchema.uniqueAttribute) }
    for index in fields.indices {
      copy.fields[index].attributes["unique"] = nil
      copy.fields[index].attributes["tree"] = nil
    }
    return copy
  }
}

extension StoreError {
  /// Whether the error is about the store as a whole, and not about one definition.
  fileprivate var isAboutTheStore: Bool {
    switch code {
    case .contradiction, .wrongType, .invalidName, .unknownName, .overLimit, .fixedKey,
      .valueTaken, .wouldLoop:
      false
    default: true
    }
  }
}

/// What definitions have come to; thrown out of a transaction so that nothing is defined.
private struct Trial: Error {
  /// The contradictions.
  var errors: [StoreError] = []
  /// Whether the store lacks something of the definitions.
  var isWriting = false
}
