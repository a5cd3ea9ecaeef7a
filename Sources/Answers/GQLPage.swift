package import Daybook
import DaybookEventCore
package import DaybookGQL
package import DaybookJSON
import DaybookLocks

/// A page of the rows of a caller's query in GQL.
package struct GQLPage: Sendable {
  package let columns: [String]
  package let budget: ResultBudget
  /// What may be a mistake in the query: names that nothing has.
  package let notes: [JSONValue]

  /// Runs one statement that only reads.
  /// - Parameters:
  ///   - store: the store, as it is or as it was.
  ///   - query: the statement.
  ///   - parameters: the values of its parameters, an object.
  ///   - seconds: the longest time that it may run.
  ///   - offset: the number of rows to pass over.
  ///   - budget: the size of the page.
  /// - Throws: ``CallFailure`` if the statement is wrong, writes, or takes too much.
  package init(
    _ store: Store, _ query: String, _ parameters: [(key: String, value: JSONValue)],
    seconds: Int, after offset: Int, _ budget: ResultBudget
  ) async throws {
    var options = GQLSession.Options()
    options.isReadOnly = true
    options.budget.time = .seconds(seconds)
    let given = Dictionary(parameters.map { ($0.key, GQLValue($0.value)) }) { $1 }
    let page = Mutex((budget: budget, passed: 0))
    let session = GQLSession(store, options: options)
    do {
      columns = try await session.forEachRow(query, given) { row in
        page.withLock { page in
          page.passed += 1
          guard page.passed > offset else { return true }
          return page.budget.add(.array(row.map(AnswerJSON.value)))
        }
      }
      notes = try await session.notes(on: query).map { .text($0.description) }
    } catch let error as GQLError { throw CallFailure(error) }
    self.budget = page.withLock { $0.budget }
  }

  /// Returns the steps of a query's plan; none for one on the past.
  package static func plan(of query: String, _ store: Store) async throws -> [JSONValue] {
    let session = GQLSession(store)
    guard let steps = try? await session.run("EXPLAIN \(query)") else { return [] }
    return steps.rows.map { AnswerJSON.value($0[0]) }
  }
}

extension CallFailure {
  /// Makes the failure of a query in GQL.
  package init(_ error: GQLError) {
    var bare = error
    bare.hint = nil
    let cure = error.code == .readOnly ? "Write with the calls that write" : error.hint
    self.init("GQL: \(bare)", cure: cure)
  }
}

extension AnswerJSON {
  /// Returns a value of a query. A node has `collection`, `id`, `labels` and `properties`, a
  /// relationship also `type`, `source` and `target`; dates and times are texts.
  package static func value(_ value: GQLValue) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): integer(number)
    case .float(let number): number.isFinite ? .real(number) : .text("\(number)")
    case .string(let text): .text(text)
    case .list(let elements): .array(elements.map { self.value($0) })
    case .map(let map): properties(map)
    case .node(let node):
      .object(
        id(node.id) + [
          ("labels", .array(node.labels.map { .text($0) })),
          ("properties", properties(node.properties)),
        ])
    case .relationship(let one):
      .object(
        id(one.id) + [
          ("type", .text(one.type)), ("source", .object(id(one.source))),
          ("target", .object(id(one.target))), ("properties", properties(one.properties)),
        ])
    case .path(let path):
      .object([
        ("nodes", .array(path.nodes.map { self.value(.node($0)) })),
        ("relationships", .array(path.relationships.map { self.value(.relationship($0)) })),
      ])
    case .date, .localTime, .time, .localDateTime, .dateTime, .duration: .text(value.text)
    }
  }

  private static func id(_ id: GQLElementID) -> [(key: String, value: JSONValue)] {
    [("collection", .text(id.collection)), ("id", .text(id.id))]
  }

  private static func properties(_ map: GQLMap) -> JSONValue {
    .object(map.entries.map { ($0.key, value($0.value)) })
  }
}
