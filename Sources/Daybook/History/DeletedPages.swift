import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// The pages of a list of deleted entities, which remember what a pass over all of them has found.
final class DeletedPages: Sendable {
  private struct Memory: Sendable {
    var filter: DeletedFilter?
    var scan: DeletedScan?
  }

  private let collection: String?
  private let actor: String?
  private let after: Position?
  private let until: Position?
  private let words: String?
  private let memory = Mutex(Memory())

  /// The bytes of values from which on a page has enough entities.
  private static let bytesMax = 4 << 20

  init(
    _ collection: String?, _ actor: String?, _ after: Position?, _ until: Position?,
    _ words: String?
  ) {
    self.collection = collection
    self.actor = actor
    self.after = after
    self.until = until
    self.words = words
  }

  func part(of view: ReadModelView, after key: [Cell]?, limit: Int) throws
    -> ListReader<Store.DeletedEntity>.Part
  {
    var memory = memory.withLock { $0 }
    let filter = try memory.filter ?? makeFilter(view)
    memory.filter = filter
    let page = try view.deleted(
      filter, &memory.scan, after: key, limit: limit, bytesMax: Self.bytesMax)
    self.memory.withLock { [memory] in $0 = memory }
    return (page.found, page.isAll)
  }

  private func makeFilter(_ view: ReadModelView) throws -> DeletedFilter {
    let after = try after?.selection(in: view)
    let until = try until?.selection(in: view)
    return DeletedFilter(collection: collection, actor: actor, matching: words) { event, times in
      until?.contains(event, times) ?? true && !(after?.contains(event, times) ?? false)
    }
  }
}
