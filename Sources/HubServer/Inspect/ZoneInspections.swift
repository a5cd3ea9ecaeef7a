import Daybook
import DaybookEngine
import DaybookInspector
import DaybookPeers
import Foundation

/// The inspectors of a hub's zones.
///
/// A zone has no read model, and its own events are stamps. So an inspector reads and writes a
/// store of its own, in the hub's folder `inspect`, that syncs with the zone. It is made when
/// somebody first looks at the zone, and closed when nobody has looked for a while.
actor ZoneInspections {
  private struct Item {
    var store: Store
    var engine: SyncEngine
    /// By the token of who looks.
    var inspections: [String: Inspection] = [:]
    var lastUse = ContinuousClock.now
  }

  private enum Slot {
    case opening(Task<Item, any Error>)
    case open(Item)
  }

  /// The version of the API.
  private static let version = "1"
  /// The most bytes of a request, which does not count against the hub's other bodies.
  private static let bodyBytesMax = 2 << 20

  private let folder: HubFolder
  private let peer: @Sendable (ZoneName) -> InspectedZone
  private let idle: Duration
  private var slots: [ZoneName: Slot] = [:]
  private var isClosed = false

  init(_ folder: HubFolder, _ pool: ZonePool, _ gate: Gate, _ limits: HubOptions.Limits) {
    self.folder = folder
    idle = limits.zoneIdle
    peer = {
      InspectedZone(zone: $0, pool: pool, gate: gate, answerBytes: limits.answerBytes)
    }
  }

  /// Returns the answers to requests for the page and its API.
  nonisolated func responder(_ access: AccessCheck) -> InspectorResponder {
    var place = InspectorResponder.Place(
      prefix: "/inspect", version: Self.version,
      // The hub may have any name. A page of another site does not know the token.
      isAllowedHost: { _ in true },
      find: { [self] text in
        guard let token = try access.good(text) else { return nil }
        return try await find(token)
      })
    place.bodyBytesMax = Self.bodyBytesMax
    return InspectorResponder(place)
  }

  /// Returns the inspector of a token's zone; nil if the token is for none.
  /// - Throws: `StoreError` if the store cannot be opened.
  func find(_ token: AccessToken) async throws -> Inspection? {
    guard let zone = token.zone else { return nil }
    while true {
      guard !isClosed else { throw PoolRefusal.stopping }
      switch slots[zone] {
      case .open(var item):
        item.lastUse = .now
        let known = item.inspections[token.id]
        let inspection = known ?? Inspection(item.store, options(token, zone))
        if known == nil { inspection.follow(item.engine) }
        item.inspections[token.id] = inspection
        slots[zone] = .open(item)
        return inspection
      case .opening(let task): _ = try await task.value
      case nil:
        let (url, peer) = (folder.inspectorFolder(of: zone), peer(zone))
        let task = Task {
          do {
            let item = try await Self.open(url, peer)
            slots[zone] = .open(item)
            return item
          } catch {
            slots[zone] = nil
            throw error
          }
        }
        slots[zone] = .opening(task)
      }
    }
  }

  private func options(_ token: AccessToken, _ zone: ZoneName) -> Inspection.Options {
    var options = Inspection.Options(
      name: zone.description, actor: "token \(token.id)", isReadOnly: token.access != .write,
      version: Self.version)
    options.allowsBackups = false
    // The hub's other clients come first.
    options.queriesMax = 1
    return options
  }

  private static func open(_ url: URL, _ peer: InspectedZone) async throws -> Item {
    try await Blocking.run {
      _ = try DiskPath.makeFolder(url.deletingLastPathComponent().path(percentEncoded: false))
    }
    let path = url.path(percentEncoded: false)
    let store =
      try await Blocking.run { try DiskPath.exists(path) }
      ? try await Store.open(at: url) : try await Store.create(at: url)
    let engine = SyncEngine(store)
    engine.add(peer)
    return Item(store: store, engine: engine)
  }

  /// Closes the stores that nobody has looked at for a while.
  func closeIdle() async {
    for (zone, slot) in slots {
      guard case .open(let item) = slot, item.lastUse.advanced(by: idle) < .now else { continue }
      slots[zone] = nil
      await Self.close(item)
    }
  }

  /// Closes all stores, for good.
  func closeAll() async {
    isClosed = true
    let all = slots.values
    slots = [:]
    for slot in all {
      switch slot {
      case .open(let item): await Self.close(item)
      case .opening(let task): if let item = try? await task.value { await Self.close(item) }
      }
    }
  }

  private static func close(_ item: Item) async {
    for inspection in item.inspections.values { await inspection.end() }
    await item.engine.stop()
    try? await item.store.close()
  }
}
