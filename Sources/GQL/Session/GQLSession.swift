public import Daybook
import DaybookEventCore
import DaybookLocks
import DaybookOpenGraph
import DaybookProjections
import Foundation
import GRDB

/// A session of queries on a store: a schema and a graph that are chosen, and what its statements
/// may use.
///
/// ```swift
/// let session = GQLSession(store, actor: "ann")
/// try await session.run("CREATE (:Person {name: $name})", ["name": "Bob"])
/// let names = try await session.run("MATCH (p:Person) RETURN p.name").decode(String.self)
/// ```
/// Each statement is a transaction. One that writes becomes one event, with the session's actor,
/// and writes nothing if it fails. One that reads sees one snapshot.
public final class GQLSession: Sendable {
  /// What a session may do, and in whose name.
  public struct Options: Sendable {
    /// Who writes; the store's actor if nil.
    public var actor: String?
    /// The label of the events; the beginning of the statement if nil.
    public var label: String?
    /// Whether statements that write are refused.
    public var isReadOnly = false
    /// The moment of the store's history that statements read; nil for now. Statements that write
    /// are refused.
    ///
    /// Each statement makes a read model of the moment in a temporary file, which takes about as
    /// long as a rebuild.
    public var position: Position?
    /// What each statement may use.
    public var budget = GQLBudget()
    /// What `CALL` runs beside the store's own procedures.
    public var procedures: [GQLProcedure] = []

    /// Makes options.
    public init() {}
  }

  private struct State {
    var graph = GraphName.main
    var isClosed = false
  }

  /// The store.
  public let store: Store
  /// What the session may do.
  public let options: Options
  /// What the session's statements were read as.
  let plans: PlanCache
  private let state = Mutex(State())

  /// Begins a session on the main graph of a store.
  public convenience init(_ store: Store, options: Options = Options()) {
    self.init(
      store, options,
      plans: options.procedures.isEmpty ? .shared : PlanCache(procedures: options.procedures))
  }

  /// - Parameter plans: what the session's statements are read as.
  init(_ store: Store, _ options: Options, plans: PlanCache) {
    self.store = store
    self.options = options
    self.plans = plans
  }

  /// Begins a session in somebody's name.
  public convenience init(_ store: Store, actor: String) {
    var options = Options()
    options.actor = actor
    self.init(store, options: options)
  }

  /// Runs one statement.
  /// - Parameters:
  ///   - text: the statement.
  ///   - parameters: the values of its parameters, by name without `$`.
  /// - Throws: ``GQLError``; ``StoreError``.
  @discardableResult
  public func run(_ text: String, _ parameters: [String: GQLValue] = [:]) async throws -> GQLResult
  {
    try await run(text, parameters, at: options.position)
  }

  /// Runs one statement.
  /// - Parameter position: the moment that it reads, unless it names one; nil for now.
  package func run(_ text: String, _ parameters: [String: GQLValue], at position: Position?)
    async throws -> GQLResult
  {
    let entry = try plans.entry(text)
    let graph = try currentGraph()
    let given = GQLMap(parameters)
    let statement: GQLStatement
    switch entry {
    case .query(let plan): return try await run(plan, text, given, graph, at: position)
    case .other(let other): statement = other
    }
    switch statement {
    case .query(let query), .past(_, let query):
      let named = try await self.position(of: statement, given, graph)
      return try await run(try plans.plan(query), text, given, graph, at: named ?? position)
    case .explain(let query): return try await explain(try plans.plan(query), graph, at: position)
    case .session(let change): return try await self.change(change, from: graph)
    case .catalog(let change):
      try requireWriting(at: position)
      return try await self.change(change, text, graph)
    }
  }

  /// Hands over the rows of a query one by one, so that memory does not grow with them.
  ///
  /// ```swift
  /// try await session.forEachRow("MATCH (n) RETURN n.name AS name") { row in
  ///   print(row[0])
  ///   return true
  /// }
  /// ```
  /// All rows are of one snapshot. The session's budget of rows does not count.
  /// - Parameters:
  ///   - text: the query, which only reads.
  ///   - parameters: the values of its parameters, by name without `$`.
  ///   - body: takes the values of a row, and returns whether it wants another one. It must not
  ///     block for long, because the snapshot keeps the store's write-ahead log from being emptied.
  /// - Returns: the names of the columns.
  /// - Throws: ``GQLError``, `readOnly` if the statement writes; ``StoreError``; what `body`
  ///   throws.
  @discardableResult
  public func forEachRow(
    _ text: String, _ parameters: [String: GQLValue] = [:],
    _ body: @escaping @Sendable (_ row: [GQLValue]) throws -> Bool
  ) async throws -> [String] {
    let given = GQLMap(parameters)
    let graph = try currentGraph()
    let plan: PreparedQuery
    var position = options.position
    switch try plans.entry(text) {
    case .query(let known): plan = known
    case .other(.explain(let query)):
      let steps = try await explain(try plans.plan(query), graph, at: position)
      for row in steps.rows { guard try body(row) else { break } }
      return steps.columns
    case .other(let statement):
      guard case .past(_, let query) = statement else { throw Self.noRows }
      position = try await self.position(of: statement, given, graph)
      plan = try plans.plan(query)
    }
    guard !plan.writes else { throw Self.noRows }
    return try await read(at: position, searches: plan.searches) { [options] db, view in
      let snapshot = try SnapshotGraph(db, view, graph)
      _ = try plan.run(
        snapshot, parameters: given, budget: options.budget, clock: Self.clock(), body)
      return plan.columns
    }
  }

  private static let noRows = GQLError(
    .readOnly, "ReadOnly", "the statement is no query that only reads", hint: "Use run instead")

  /// Returns what may be a mistake in a query, as ``GQLResult/notes`` has it; nothing for other
  /// statements.
  package func notes(on text: String) async throws -> [GQLNote] {
    guard case .query(let plan) = try plans.entry(text) else { return [] }
    let graph = try currentGraph()
    return try await read(at: options.position, searches: false) { db, view in
      plan.notes(try SnapshotGraph(db, view, graph))
    }
  }

  /// Returns the position that a statement reads; nil for now.
  private func position(of statement: GQLStatement, _ parameters: GQLMap, _ graph: GraphName)
    async throws -> Position?
  {
    guard case .past(let time, _) = statement else { return options.position }
    let asked = try await run(
      try plans.plan(.result(of: time)), "", parameters, graph, at: nil)
    return try await position(asked.rows[0][0], time.position)
  }

  /// Whether the session was closed by `SESSION CLOSE`.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The graph that the session has chosen.
  /// - Throws: ``GQLError`` `notFound` if the session was closed.
  func currentGraph() throws(GQLError) -> GraphName {
    try state.withLock { state throws(GQLError) in
      guard !state.isClosed else {
        throw GQLError(
          .notFound, "SessionClosed", "the session was closed", hint: "Begin another one")
      }
      return state.graph
    }
  }

  /// Reads a statement and makes its plan, which is not kept.
  /// - Throws: ``GQLError`` for everything that is wrong before anything runs.
  package static func check(_ text: String) throws(GQLError) {
    switch try QueryParser.statement(text) {
    case .query(let query), .past(_, let query), .explain(let query): _ = try PreparedQuery(query)
    case .catalog, .session: break
    }
  }

  /// Reads a statement and makes its plan, unless it is kept from before.
  package func prepare(_ text: String) throws(GQLError) { _ = try plans.entry(text) }

  /// Returns whether a statement changes the store.
  /// - Throws: ``GQLError`` if it is no statement.
  package static func writes(_ text: String) throws -> Bool {
    switch try QueryParser.statement(text) {
    case .query(let query), .past(_, let query):
      try PreparedQuery(query).writes
    case .catalog: true
    case .explain, .session: false
    }
  }

  private static func clock() -> StatementClock {
    let now = Date.now.timeIntervalSince1970
    let seconds = now.rounded(.down)
    return StatementClock(
      seconds: Int64(saturating: seconds),
      // To the millisecond, as timestamps of a store are.
      nanosecond: Int64(saturating: ((now - seconds) * 1000).rounded(.down) * 1e6),
      random: { Double.random(in: 0..<1) })
  }

  // MARK: - Queries

  private func run(
    _ plan: PreparedQuery, _ text: String, _ parameters: GQLMap, _ graph: GraphName,
    at position: Position?
  ) async throws -> GQLResult {
    let budget = options.budget
    // Whether it writes follows from the text, so that a query never waits for writers.
    guard plan.writes else {
      return try await read(at: position, searches: plan.searches) {
        try self.result(of: plan, parameters, graph, $0, $1)
      }
    }
    try requireWriting(at: position)
    let label = options.label ?? Self.label(text)
    return try await defining(label) { [options] in
      try await self.store.write(actor: options.actor, label: label) { transaction in
        let collections = try GraphCatalog.collections(
          of: graph, transaction.database, transaction.schema)
        var result = GQLResult(columns: plan.columns)
        let target = TransactionGraph(transaction, collections)
        result.counts = try plan.run(
          target, parameters: parameters, budget: budget, clock: Self.clock()
        ) { row in
          result.rows.append(row)
          return true
        }
        guard target.definitions.isEmpty else { throw NamesNeeded(target.definitions) }
        result.notes = plan.notes(target)
        result.event = transaction.isEmpty ? nil : transaction.event
        return result
      }
    }
  }

  /// Runs a query that only reads, on one snapshot.
  func result(
    of plan: PreparedQuery, _ parameters: GQLMap, _ graph: GraphName, _ db: Database,
    _ view: ReadModelView
  ) throws -> GQLResult {
    let graph = try SnapshotGraph(db, view, graph)
    var result = GQLResult(columns: plan.columns)
    var use = BudgetUse(options.budget)
    _ = try plan.run(
      graph, parameters: parameters, budget: options.budget, clock: Self.clock()
    ) { row in
      try use.add(row)
      result.rows.append(row)
      return true
    }
    result.notes = plan.notes(graph)
    return result
  }

  private func requireWriting(at position: Position?) throws(GQLError) {
    guard position == nil else {
      throw GQLError(
        .readOnly, "ReadOnly", "the statement writes, and the past does not change",
        hint: "Run it on the present")
    }
    guard !options.isReadOnly else {
      throw GQLError(.readOnly, "ReadOnly", "the statement writes, and the session only reads")
    }
  }

  /// What a statement would have had to define. Its transaction was rolled back.
  private struct NamesNeeded: Error {
    var definitions: [Definition]

    init(_ definitions: [Definition]) { self.definitions = definitions }
  }

  /// Runs a statement. If it uses names for the first time, these are defined in an event before
  /// it: an event that defines something cannot be undone. A statement that fails defines nothing.
  private func defining(_ label: String, _ body: () async throws -> GQLResult) async throws
    -> GQLResult
  {
    // What a statement needs may depend on what others write meanwhile, but not again and again.
    for _ in 0..<8 {
      do { return try await body() } catch let needed as NamesNeeded {
        try await store.write(actor: options.actor, label: "names for: \(label)") { transaction in
          for definition in needed.definitions { try transaction.define(definition) }
        }
      }
    }
    throw GQLError(
      .constraint, "NamesVanish", "the names of the statement vanish as soon as they are defined",
      hint: "Find out who drops collections or fields of the graph")
  }

  /// The beginning of a statement, in one line.
  private static func label(_ text: String) -> String {
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    return words.count > 80 ? "\(words.prefix(79))…" : words
  }

  private func explain(_ plan: PreparedQuery, _ graph: GraphName, at position: Position?)
    async throws -> GQLResult
  {
    try await read(at: position, searches: false) { db, view in
      let lines = plan.lines(try SnapshotGraph(db, view, graph))
      return GQLResult(columns: ["plan"], rows: lines.map { [.string($0)] })
    }
  }

  // MARK: - The session

  /// Returns the graph that a name means, seen from the session's.
  private static func graph(_ name: GQLName, from current: GraphName) -> GraphName {
    if name.parts.count == 2 { return GraphName(schema: name.parts[0], name: name.parts[1]) }
    return GraphName(schema: name.isAbsolute ? "" : current.schema, name: name.parts[0])
  }

  private static func schema(_ name: GQLName) throws -> GraphName {
    guard name.parts.count == 1 else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "the name of a schema has one part", at: name.place.position)
    }
    return GraphName(schema: name.parts[0])
  }

  private func change(_ change: GQLStatement.SessionChange, from current: GraphName) async throws
    -> GQLResult
  {
    switch change {
    case .reset: state.withLock { $0.graph = .main }
    case .close: state.withLock { $0.isClosed = true }
    case .schema(let name):
      let wanted = try Self.schema(name)
      let isThere = try await store.read { db, schema in
        try GraphCatalog.hasSchema(wanted.schema, db, schema)
      }
      guard isThere else {
        throw GQLError(
          .notFound, "NoSuchSchema", "there is no schema \(wanted.shown)",
          at: name.place.position, hint: "Make it by CREATE SCHEMA \(wanted.shown)")
      }
      // A graph of it has to be chosen next.
      state.withLock { $0.graph = wanted }
    case .graph(let name):
      let wanted = Self.graph(name, from: current)
      try await store.read { db, schema in
        do { _ = try GraphCatalog.collections(of: wanted, db, schema) } catch let error as GQLError
        {
          throw error.at(name.place.position)
        }
      }
      state.withLock { $0.graph = wanted }
    }
    return GQLResult()
  }

  // MARK: - The catalog

  private func change(
    _ change: GQLStatement.CatalogChange, _ text: String, _ current: GraphName
  ) async throws -> GQLResult {
    let label = options.label ?? Self.label(text)
    if try await store.schema()[GraphCatalog.collection] == nil {
      try await store.write(actor: options.actor, label: "names for: \(label)") { transaction in
        try transaction.define(GraphCatalog.definition)
      }
    }
    return try await store.write(actor: options.actor, label: label) { transaction in
      switch change {
      case .createSchema(let name, let ifNotExists):
        try GraphCatalog.create(
          .schema, try Self.schema(name), ifNotExists: ifNotExists, transaction)
      case .dropSchema(let name, let ifExists):
        try GraphCatalog.drop(.schema, try Self.schema(name), ifExists: ifExists, transaction)
      case .createGraph(let name, let ifNotExists):
        try GraphCatalog.create(
          .graph, Self.graph(name, from: current), ifNotExists: ifNotExists, transaction)
      case .dropGraph(let name, let ifExists):
        try GraphCatalog.drop(
          .graph, Self.graph(name, from: current), ifExists: ifExists, transaction)
      case .createIndex(let target, _):
        let collections = try GraphCatalog.collections(
          of: current, transaction.database, transaction.schema)
        try GraphCatalog.setIndex(target, isThere: true, collections, transaction)
      case .dropIndex(let target, let ifExists):
        let collections = try GraphCatalog.collections(
          of: current, transaction.database, transaction.schema)
        try GraphCatalog.setIndex(
          target, isThere: false, ifExists: ifExists, collections, transaction)
      }
      return GQLResult(event: transaction.isEmpty ? nil : transaction.event)
    }
  }
}

extension Store {
  /// Runs one statement of GQL on the main graph of the store.
  ///
  /// A statement that writes becomes one event.
  /// - Parameters:
  ///   - text: the statement.
  ///   - parameters: the values of its parameters, by name without `$`.
  /// - Throws: ``GQLError``; ``StoreError``.
  @discardableResult
  public func gql(_ text: String, _ parameters: [String: GQLValue] = [:]) async throws -> GQLResult
  {
    try await GQLSession(self).run(text, parameters)
  }
}
