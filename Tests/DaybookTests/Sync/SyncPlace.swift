import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import Foundation
import GRDB

@testable import Daybook
@testable import DaybookEngine

/// A folder for the stores and zones of one test.
struct SyncPlace {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "daybook-sync-\(UUID().uuidString)")

  static let notes = Definition("notes", [.text("title").searchable()])

  static let authority = Array(repeating: UInt8(1), count: 32)

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func store(_ name: String) async throws -> Store {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try await Store.create(at: folder.appending(path: name))
  }

  func zone(_ name: String, id: ZoneID? = nil, authority: Identity? = nil) throws -> Zone {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let authority = try authority ?? Identity(seed: Self.authority)
    return try Zone.open(at: folder.appending(path: name), authority: authority, id: id)
  }

  func close(_ stores: [Store]) async throws { for store in stores { try await store.close() } }

  func titles(_ store: Store) async throws -> [String] {
    try await store.read { try String.fetchAll($0, sql: "SELECT title FROM notes ORDER BY id") }
  }

  /// The stamps that a zone's hub has given, in the order of its events.
  func stamps(_ zone: Zone) throws -> [Stamp] {
    let snapshot = zone.log.snapshot()
    var stamps: [Stamp] = []
    let end = snapshot.vector[zone.replica]
    guard end > 0 else { return [] }
    try snapshot.forEachEvent(of: zone.replica, in: 1...end) { _, event in
      let envelope = try Envelope(decoding: event.envelope)
      for case .stamp(let stamp) in try Body(decoding: event.body, codec: envelope.bodyCodec)
        .operations
      { stamps.append(stamp) }
    }
    return stamps
  }
}

extension Store {
  /// Defines types in an open store, as an opening does.
  func prepare(_ types: [any Entity.Type], _ migrations: [Migration]) async throws {
    let opening = AppOpening(store: self, types: types, migrations: migrations)
    try await Blocking.run { try opening.prepare() }
  }
}
