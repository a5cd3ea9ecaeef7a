public import Daybook
import DaybookOpenGraph

/// Live results.
extension GQLSession {
  /// Returns the rows of a query as values of a type: now, and after every change.
  ///
  /// ```swift
  /// let names = session.observe("MATCH (p:Person) RETURN p.name", as: String.self)
  /// for try await names in names { show(names) }
  /// ```
  /// The query runs on the session's present graph. Changes that follow closely are delivered as
  /// one, and rows that are those before are not delivered again. Each loop reads for itself, when
  /// it asks for the next value; the query runs again after each change of the store, whichever
  /// collection it is of.
  ///
  /// A loop ends with ``GQLError`` if the query is wrong, or writes.
  /// - Parameters:
  ///   - text: the query.
  ///   - parameters: the values of its parameters, by name without `$`.
  ///   - type: what a row is; see ``GQLResult/decode(_:)``.
  public func observe<T: Decodable & Sendable>(
    _ text: String, _ parameters: [String: GQLValue] = [:], as type: T.Type = T.self
  ) -> LiveValues<[T]> {
    observe(text, parameters) { try $0.decode(type) }
  }

  /// Returns the result of a query: now, and after every change; see
  /// ``observe(_:_:as:)``.
  public func observe(_ text: String, _ parameters: [String: GQLValue] = [:]) -> LiveValues<
    GQLResult
  > {
    observe(text, parameters) { $0 }
  }

  private func observe<Value: Sendable>(
    _ text: String, _ parameters: [String: GQLValue],
    _ value: @escaping @Sendable (GQLResult) throws -> Value
  ) -> LiveValues<Value> {
    let query = Result { try readingQuery(text) }
    let searches = (try? query.get().plan.searches) ?? false
    return store.observeAll(searches: searches) { db, view in
      let (plan, graph) = try query.get()
      let result = try self.result(of: plan, GQLMap(parameters), graph, db, view)
      var mark: [UInt8] = []
      for row in result.rows { for cell in row { cell.appendKey(to: &mark, isWhole: true) } }
      return (try value(result), mark)
    }
  }

  /// Returns the plan of a query that only reads the present, and its graph.
  private func readingQuery(_ text: String) throws -> (plan: PreparedQuery, graph: GraphName) {
    guard case .query(let plan) = try plans.entry(text), options.position == nil else {
      throw GQLError(
        .argument, "InvalidArgumentValue", "only a query of the present can be observed",
        hint: "Run it once instead")
    }
    guard !plan.writes else {
      throw GQLError(
        .readOnly, "ReadOnly", "the statement writes, so it cannot be observed",
        hint: "Run it once, and observe a query that reads")
    }
    return (plan, try currentGraph())
  }
}

extension Store {
  /// Returns the rows of a query in GQL on the main graph, as values of a type: now, and after
  /// every change; see ``GQLSession/observe(_:_:as:)``.
  ///
  /// In a view, a ``LiveQuery`` holds the newest rows, whether they are loading, and the error:
  /// ```swift
  /// @State private var people = LiveQuery(
  ///   store.observe(gql: "MATCH (p:Person) RETURN p", as: Person.self), initially: [])
  /// ```
  public func observe<T: Decodable & Sendable>(
    gql text: String, _ parameters: [String: GQLValue] = [:], as type: T.Type = T.self
  ) -> LiveValues<[T]> {
    GQLSession(self).observe(text, parameters, as: type)
  }
}
