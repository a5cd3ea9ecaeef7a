import DaybookEventCore
import Foundation
import GRDB

@testable import DaybookProjections

/// A read model made from operations of one author, to ask questions of.
struct QueryFixture {
  let folder: ProjectionFolder
  let probe: ReadModelProbe

  /// - Parameters:
  ///   - operations: what the author writes, each in an event of its own.
  ///   - last: what the author writes afterwards in one event.
  init(
    _ operations: [DaybookEventCore.Operation], thenTogether last: [DaybookEventCore.Operation] = []
  ) throws {
    var history = TestHistory()
    for (index, operation) in operations.enumerated() {
      history.write("ann", at: Int64(index + 1), operation)
    }
    if !last.isEmpty { history.write("ann", at: Int64(operations.count + 1), last) }
    folder = try ProjectionFolder()
    let source = ArrayEventSource(history)
    source.deliverAll()
    probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
  }

  /// What readers use, on the read model as it has grown or on one that is made now.
  func view<T>(isRebuilt: Bool, _ body: (ReadModelView, Database) throws -> T) throws -> T {
    guard isRebuilt else { return try probe.view(body) }
    let path = folder.url.appending(path: "rebuilt.sqlite").path
    _ = try Rebuild(source: probe.source).run(into: path)
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { db in
      let view = try ReadModelView(db, source: probe.source)
      defer { view.close() }
      return try body(view, db)
    }
  }

  func graph<T>(
    via: [String]? = nil, where fields: [String: Value] = [:], _ body: (GraphQueries) throws -> T
  ) throws -> T {
    try probe.view { view, _ in try body(view.graph(via: via, where: fields)) }
  }

  func search(
    _ text: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int = 100,
    markers: (open: String, close: String) = ("[", "]")
  ) throws -> [SearchHit] {
    let request = SearchRequest(text, in: collection, match: match, limit: limit, markers: markers)
    return try probe.view { view, _ in try view.search(request) }
  }
}
