import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections
import Foundation
import GRDB

/// The opening of a store with the types of an app.
struct AppOpening {
  let store: Store
  let types: [any Entity.Type]
  let migrations: [Migration]

  /// The highest number of the migrations; nil if there are none.
  private var lastMigration: Int64? { migrations.map { Int64($0.number) }.max() }

  /// Opens a store, makes it if there is none, and defines what the types declare.
  ///
  /// Blocks the thread.
  static func open(
    at url: URL, _ types: [any Entity.Type], _ migrations: [Migration], _ options: Store.Options
  ) throws -> Store {
    let store = try openOrCreate(at: url, options)
    let opening = AppOpening(store: store, types: types, migrations: migrations)
    do {
      if options.isReadOnly { try opening.require() } else { try opening.prepare() }
    } catch {
      try? store.core.close()
      throw error
    }
    return store
  }

  /// Makes a store with the types of an app that is gone when nothing uses it any more.
  ///
  /// Blocks the thread.
  static func openInMemory(_ types: [any Entity.Type], _ options: Store.Options) throws -> Store {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = try StoreError.surfacing { try DiskPath.isWritable(memory.path()) }
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appending(path: "daybook-\(UUID().uuidString)")
    let store = try open(at: folder, types, [], options)
    store.core.makeTemporary()
    return store
  }

  /// Opens a store, and makes it if there is none.
  ///
  /// Of several that come together, one makes the store, and the others wait for it.
  private static func openOrCreate(at url: URL, _ options: Store.Options) throws -> Store {
    let files = StoreFiles(folder: url)
    while true {
      if try StoreError.surfacing({ try files.exists || options.isReadOnly }) {
        return try Store(openingAt: url, options)
      }
      do { return try Store(creatingAt: url, options) } catch let error
        as StoreError where error.code == .alreadyExists
      {
        let mayGoOn = try StoreError.surfacing {
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

  /// Checks that a read-only store has the collections and fields of the types, as they are
  /// declared.
  /// - Throws: ``StoreError`` that names each contradiction, or each missing collection and field.
  private func require() throws {
    let schema = try store.core.reads.blocking { try $0.view.schema }
    let check = DefinitionCheck(schema, .standard, .opening(after: nil)) { _, _, _ in nil }
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
  func prepare() throws {
    let definitions = types.map { $0.layoutDefinition }
    let shared = definitions.filter { !$0.isLocal }
    let local = definitions.filter(\.isLocal)
    let app = AppTypes(types)
    try store.core.waitOnCommitThread { $0.types = app }
    let due = try dueMigrations()
    var errors = DefinitionCheck.danglingReferences(from: shared, to: local)
    let ofLocal =
      local.isEmpty ? Trial() : try attempt(local, after: lastMigration, isTrial: true)
    errors += ofLocal.errors
    // A migration may change the data that stand against a rule.
    let first = due.isEmpty ? shared : shared.map(\.withoutRules)
    // A transaction is all or nothing, so a single one needs no trial.
    let isSingle = errors.isEmpty && due.isEmpty
    // What the app's own migrations define counts before what it says now.
    let before = due.isEmpty ? lastMigration : nil
    let ofShared = try attempt(first, after: before, isTrial: !isSingle)
    errors += ofShared.errors
    try Self.report(errors)
    if !due.isEmpty {
      let whole = try attempt(
        first, after: before, due, then: shared, isTrial: true)
      try Self.report(whole.errors)
    }
    if !isSingle, ofShared.isWriting { _ = try attempt(first, after: before, isTrial: false) }
    if ofLocal.isWriting {
      _ = try attempt(local, after: lastMigration, isTrial: false)
    }
    for migration in due {
      try store.blocking.write(label: "migration \(migration.number)") { try $0.run(migration) }
    }
    if !due.isEmpty {
      _ = try attempt(shared, after: lastMigration, isTrial: false)
    }
  }

  /// Defines all of these and runs migrations, or writes nothing if the store contradicts one.
  /// - Parameters:
  ///   - definitions: what is defined at first.
  ///   - number: the highest number of the migrations that have run before; nil if there is none.
  ///   - migrations: what runs then.
  ///   - last: what is defined at last.
  ///   - isTrial: whether to write nothing in any case.
  private func attempt(
    _ definitions: [Definition], after number: Int64?, _ migrations: [Migration] = [],
    then last: [Definition] = [], isTrial: Bool
  ) throws -> Trial {
    guard !definitions.isEmpty || !migrations.isEmpty else { return Trial() }
    do {
      return try store.blocking.write(label: "schema") { tx in
        var trial = Trial()
        func define(_ definitions: [Definition], after number: Int64?) throws {
          for definition in definitions {
            do { try tx.define(definition, .opening(after: number)) } catch let error as StoreError
            {
              if error.isAboutTheStore { throw error }
              trial.errors.append(error)
            }
          }
        }
        try define(definitions, after: number)
        trial.isWriting = !tx.isEmpty
        if trial.errors.isEmpty {
          for migration in migrations { try tx.run(migration) }
          try define(last, after: lastMigration)
        }
        if isTrial || !trial.errors.isEmpty { throw trial }
        return trial
      }
    } catch let trial as Trial {
      return trial
    }
  }

  /// Returns the migrations that this store has not run, in the order of their numbers.
  /// - Throws: ``StoreError`` `invalidQuery` if two have the same number, or one is less than 1.
  private func dueMigrations() throws -> [Migration] {
    guard !migrations.isEmpty else { return [] }
    let numbers = migrations.map(\.number)
    guard Set(numbers).count == numbers.count, numbers.allSatisfy({ $0 > 0 }) else {
      throw StoreError(
        .invalidQuery, "the migrations have the numbers \(numbers)",
        hint: "Give each a number of its own, from 1")
    }
    let replica = "\(store.replica)"
    let done: Set<Int> = try store.core.reads.blocking { snapshot in
      let view = try snapshot.view
      guard view.schema[Migration.collection] != nil else { return [] }
      let sql = "SELECT number FROM \(Migration.collection) WHERE replica = ?"
      return try Int.fetchSet(snapshot.database, sql: sql, arguments: [replica])
    }
    return migrations.filter { !done.contains($0.number) }.sorted { $0.number < $1.number }
  }
}

extension Definition {
  /// The definition without the rules that entities may break.
  fileprivate var withoutRules: Definition {
    var copy = self
    copy.attributes = attributes.filter { !$0.key.begins(with: StoreSchema.Index.uniqueAttribute) }
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
