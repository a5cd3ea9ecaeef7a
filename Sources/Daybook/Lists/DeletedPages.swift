import EventCore
import Projections
import Synchronization

/// The pages of a list of deleted entities, which remember what a pass over all of them has found.
final class DeletedPages: Sendable {
  private struct Memory: Sendable {
    var filter: DeletedFilter?
    var scan: DeletedScan?
  }

  private let store: Store
  private let collection: String?
  private let actor: String?
  private let after: Position?
  private let until: Position?
  private let words: String?
  private let memory = Mutex(Memory())

  /// The bytes of values from which on a page has enough entities.
  private static let bytesMax = 4 << 20

  init(
    _ store: Store, _ collection: String?, _ actor: String?, _ after: Position?,
    _ until: Position?, _ words: String?
  ) {
    self.store = store
    self.collection = collection
    self.actor = actor
    self.after = after
    self.until = until
    self.words = words
  }

  func page(after key: [Cell]?, limit: Int) async throws -> (
    found: [Listed<DeletedEntity>], isAll: Bool
  ) {
    var memory = memory.withLock { $0 }
    let filter: DeletedFilter
    if let known = memory.filter { filter = known } else { filter = try await makeFilter() }
    let start = memory.scan
    let (found, isAll, scan) = try await store.view { view, _ in
      var scan = start
      let page = try view.deleted(
        filter, &scan, after: key, limit: limit, bytesMax: Self.bytesMax)
      return (page.found, page.isAll, scan)
    }
    memory = Memory(filter: filter, scan: scan)
    self.memory.withLock { [memory] in $0 = memory }
    return (found, isAll)
  }

  private func makeFilter() async throws -> DeletedFilter {
    let after = try await store.optionalSelection(after)
    let until = try await store.optionalSelection(until)
    return DeletedFilter(collection: collection, actor: actor, matching: words) { event, times in
      until?.contains(event, times) ?? true && !(after?.contains(event, times) ?? false)
    }
  }
}
