import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookLocks

/// The moments of the past that are built as read models of their own: the last few that pages
/// have asked for.
actor PastShelf {
  private struct Item {
    var vector: VersionVector
    var building: Task<Store, any Error>
  }

  private let store: Store
  private var items: [Item] = []
  private static let countMax = 3

  init(_ store: Store) { self.store = store }

  /// Returns a moment, built now if it is not there yet.
  /// - Throws: what building it throws; `StoreError` `noSpace` among others.
  func build(_ vector: VersionVector) async throws -> Store {
    if let place = items.firstIndex(where: { $0.vector == vector }) {
      let item = items.remove(at: place)
      items.append(item)
      return try await item.building.value
    }
    let store = store
    let building = Task { try await store.at(exactly: vector).open() }
    items.append(Item(vector: vector, building: building))
    // A store that nothing uses any more closes itself, so a request that reads it goes on.
    if items.count > Self.countMax { items.removeFirst() }
    do { return try await building.value } catch {
      items.removeAll { $0.vector == vector }
      throw error
    }
  }

  /// Returns a moment if it is built or being built; else nil.
  func built(_ vector: VersionVector) async -> Store? {
    guard let item = items.first(where: { $0.vector == vector }) else { return nil }
    return try? await item.building.value
  }

  /// Closes all of them.
  func empty() async {
    let all = items
    items = []
    for item in all { try? await item.building.value.close() }
  }
}
