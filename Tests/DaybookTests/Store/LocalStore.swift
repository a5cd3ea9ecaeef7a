import DaybookEventCore
import Foundation

@testable import Daybook
@testable import DaybookEngine

/// A store with a shared and a local collection, and an entity in each.
enum LocalStore {
  static let settings = Definition(
    "settings",
    [
      .text("value").searchable(),
      .text("note").references("notes"),
    ]
  ).local()

  static func make(_ folder: TemporaryStore, _ options: Store.Options = .init()) async throws
    -> Store
  {
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: options)
    try await store.write { try $0.define(StoreTests.notes) }
    try await store.write { try $0.define(settings) }
    try await store.write { try $0.insert("notes", "n1", ["title": .text("shared words")]) }
    try await store.write { try $0.insert("settings", "s1", ["value": .text("local words")]) }
    return store
  }

  static func isSound(_ folder: TemporaryStore) async throws -> Bool {
    let verification = try await Store.verify(at: folder.url)
    return verification.isSound && verification.isCompared
  }

  struct Seen {
    var id: EventID
    var seen: VersionVector
  }

  /// Every event, with the origins that its context names for the first time.
  static func events(_ store: Store) async throws -> [Seen] {
    let found = Collected<Seen>()
    try await store.forEachEvent { logged in
      var seen = VersionVector()
      for advance in logged.event.envelope.context.advances {
        if case .new(let origin) = advance.origin { seen[origin] = advance.by }
      }
      found.append(contentsOf: [Seen(id: logged.event.id, seen: seen)])
      return true
    }
    return found.all
  }
}
