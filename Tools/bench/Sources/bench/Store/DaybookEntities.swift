import Daybook
import DaybookLocks
import Foundation
import GRDB

/// A note of eight fields, as an app's type.
private struct TypedNote: Entity {
  static let collection = "notes"
  static let fields: [EntityField<TypedNote>] = [
    .field("title", \.title).searchable(weight: 2), .field("body", \.body).searchable(),
    .field("pinned", \.pinned).indexed(), .field("rating", \.rating), .field("size", \.size),
    .field("parent", \.parent), .field("link", \.link), .field("number", \.number).indexed(),
  ]
  static func refine(_ definition: Definition) -> Definition {
    definition.indexed(by: "parent", .descending("number"))
  }

  var id = ID()
  var title = ""
  var body = ""
  var pinned = false
  var rating = 0.0
  var size = 0
  var parent: String?
  var link: String?
  var number = 0

  // As the macro writes it.
  mutating func read(_ row: EntityRow) {
    row.read(0, into: &title)
    row.read(1, into: &body)
    row.read(2, into: &pinned)
    row.read(3, into: &rating)
    row.read(4, into: &size)
    row.read(5, into: &parent)
    row.read(6, into: &link)
    row.read(7, into: &number)
  }

  init() {}

  init(_ number: Int) {
    title = "Note \(number) about oat milk and coffee"
    body = "The body of note \(number): a sentence of some words that a search can find."
    pinned = number % 7 == 0
    rating = Double(number % 10) / 2
    size = number % 1000
    parent = "parent-\(number % 100)"
    self.number = number
  }
}

/// The same note, as a user of GRDB decodes it.
private struct PlainNote: FetchableRecord, PersistableRecord {
  static let databaseTableName = "notes"
  var id: String
  var title: String
  var body: String
  var pinned: Bool
  var rating: Double
  var size: Int
  var parent: String?
  var link: String?
  var number: Int

  init(row: Row) {
    id = row[0]
    title = row[1]
    body = row[2]
    pinned = row[3]
    rating = row[4]
    size = row[5]
    parent = row[6]
    link = row[7]
    number = row[8]
  }

  init(_ note: TypedNote) {
    id = note.id.rawValue
    title = note.title
    body = note.body
    pinned = note.pinned
    rating = note.rating
    size = note.size
    parent = note.parent
    link = note.link
    number = note.number
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["body"] = body
    container["pinned"] = pinned
    container["rating"] = rating
    container["size"] = size
    container["parent"] = parent
    container["link"] = link
    container["number"] = number
  }
}

/// `daybook entities FOLDER`: measures entities of an app's types, beside GRDB's records; with
/// `--only PART` one of inserts, fetches, ids, forms, building, observations and idle.
func daybookEntities(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let rows = try words.number("rows", default: 100_000)
  let rounds = try words.number("rounds", default: 200)
  let only = words.text("only")
  try words.finish()
  func isWanted(_ part: String) -> Bool { only == nil || only == part }
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let store = try await Store.open(
    at: folder.appending(path: "entities"), schema: [TypedNote.self, OtherThing.self])
  if isWanted("inserts") { try await measureInserts(folder, rounds: 5) }
  try await store.write { tx in
    for number in 0..<100 { try tx.insert(OtherThing(title: "thing \(number)", number: number)) }
  }
  let notes = (0..<rows).map { TypedNote($0) }
  for start in stride(from: 0, to: rows, by: 20_000) {
    let part = Array(notes[start..<min(start + 20_000, rows)])
    try await store.write { try $0.insert(part) }
  }
  if isWanted("fetches") { try await measureFetches(store, rounds) }
  if isWanted("ids") { try await measureIDs(store, notes.map(\.id), rounds * 50) }
  if isWanted("forms") { try await measureForms(store, notes.map(\.id), rounds * 10) }
  if isWanted("building") { measureBuilding(rounds * 50) }
  if isWanted("observations") { try await measureObservations(store, rounds) }
  if isWanted("idle") { try await measureIdle(store, folder) }
  try await store.close()
}

private func report(_ name: String, _ latencies: Latencies) {
  var line = JSONLine()
  line.add("daybook", name)
  line.add(latencies)
  line.write()
}

/// Measures the save of a form, one of whose eight fields has changed, and the update of that field
/// of the same note: in turn, each until it is durable.
private func measureForms(_ store: Store, _ ids: [TypedNote.ID], _ rounds: Int) async throws {
  var (forms, updates) = (Latencies(), Latencies())
  for round in 0..<rounds {
    let id = ids[(round * 7919) % ids.count]
    guard let base = try await store.fetchVersioned(id) else {
      throw BenchError("there is no note \(id)")
    }
    var form = base.entity
    form.size += 1
    let start = ContinuousClock.now
    try await store.update(from: base, to: form)
    let middle = ContinuousClock.now
    try await store.write { tx in _ = try tx.update(id) { $0.size += 1 } }
    updates.append(nanoseconds(ContinuousClock.now - middle))
    forms.append(nanoseconds(middle - start))
  }
  report("form", forms)
  report("update", updates)
}

private func measureFetches(_ store: Store, _ rounds: Int) async throws {
  let query = TypedNote.where { $0.number < 1000 }
  let sql = query.sql
  try await store.read { db in
    var (typed, plain) = (Latencies(), Latencies())
    for _ in 0..<rounds {
      var start = ContinuousClock.now
      let notes = try query.fetchAll(db)
      typed.append(nanoseconds(ContinuousClock.now - start))
      start = ContinuousClock.now
      let statement = try db.cachedStatement(sql: sql)
      let records = try PlainNote.fetchAll(statement, arguments: [1000])
      plain.append(nanoseconds(ContinuousClock.now - start))
      guard notes.count == 1000, records.count == 1000 else {
        throw BenchError("\(notes.count) notes and \(records.count) records")
      }
    }
    report("fetch_1000", typed)
    report("fetch_1000_grdb", plain)
  }
}

private func measureIDs(_ store: Store, _ ids: [TypedNote.ID], _ count: Int) async throws {
  var latencies = Latencies()
  for number in 0..<count {
    let start = ContinuousClock.now
    let note = try await store.fetch(ids[number * 7919 % ids.count])
    latencies.append(nanoseconds(ContinuousClock.now - start))
    guard note != nil else { throw BenchError("a note is missing") }
  }
  report("fetch_by_id", latencies)
  var parents = Latencies()
  for number in 0..<count / 10 {
    let query = TypedNote.where { $0.parent == "parent-\(number % 100)" }
      .order(by: \.number, .descending).limit(50)
    let start = ContinuousClock.now
    let notes = try await store.fetch(query)
    parents.append(nanoseconds(ContinuousClock.now - start))
    guard notes.count == 50 else { throw BenchError("\(notes.count) notes of a parent") }
  }
  report("newest_50", parents)
}

private func measureBuilding(_ count: Int) {
  var latencies = Latencies()
  var characters = 0
  for number in 0..<count {
    let start = ContinuousClock.now
    let query = TypedNote.where { $0.pinned && $0.rating > 2 && $0.number < number }
    characters += query.sql.count
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
  report("build_query", latencies)
  if characters == 0 { print("no query") }
}

/// Inserts 10,000 notes in one transaction: by the store, and by GRDB into a table of the same
/// columns with the same index and a search index.
private func measureInserts(_ folder: URL, rounds: Int) async throws {
  var (typed, plain) = (Latencies(), Latencies())
  for round in 0..<rounds {
    let notes = (0..<10_000).map { TypedNote($0) }
    let store = try await Store.open(
      at: folder.appending(path: "insert-\(round)"), schema: [TypedNote.self])
    var start = ContinuousClock.now
    try await store.write { try $0.insert(notes) }
    typed.append(nanoseconds(ContinuousClock.now - start))
    try await store.close()
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let pool = try DatabasePool(
      path: folder.appending(path: "grdb-\(round).sqlite").path(), configuration: configuration)
    try await pool.write { db in
      try db.create(table: "notes") { table in
        table.column("id", .text).notNull().unique()
        table.column("title", .text)
        table.column("body", .text)
        table.column("pinned", .boolean).indexed()
        table.column("rating", .double)
        table.column("size", .integer)
        table.column("parent", .text)
        table.column("link", .text)
        table.column("number", .integer)
      }
      try db.execute(sql: "CREATE INDEX byNumber ON notes (number)")
      try db.execute(sql: "CREATE INDEX byParent ON notes (parent, number DESC)")
      try db.create(virtualTable: "words", using: FTS5()) { table in
        table.synchronize(withTable: "notes")
        table.tokenizer = .porter()
        table.column("title")
        table.column("body")
      }
    }
    let records = notes.map { PlainNote($0) }
    start = ContinuousClock.now
    try await pool.write { db in for record in records { try record.insert(db) } }
    plain.append(nanoseconds(ContinuousClock.now - start))
    try pool.close()
  }
  report("insert_10000", typed)
  report("insert_10000_grdb", plain)
}

/// Measures from the acknowledgment of a write to its delivery, and what listeners cost a commit.
private func measureObservations(_ store: Store, _ rounds: Int) async throws {
  let first = TypedNote.where { $0.number < 50 }.order(by: \.number)
  guard let note = try await store.fetchOne(first) else { throw BenchError("no note") }
  try await measureDelivery(store, first, note.id, rounds)
  // In turns, so that a busy machine disturbs all alike.
  var free = Latencies()
  var watched: [String: Latencies] = [:]
  for turn in 1...10 {
    for kind in ObservedKind.allCases {
      let delivered = DeliveryCount()
      let loops = (1...100).map { number in
        Task { try await kind.observe(store, number) { delivered.add() } }
      }
      // The first reads would disturb the commits.
      while delivered.value < 100 { try await Task.sleep(for: .milliseconds(1)) }
      var latencies = watched[kind.rawValue] ?? Latencies()
      try await measureCommits(store, note.id, turn, rounds / 10, &latencies)
      watched[kind.rawValue] = latencies
      for loop in loops { loop.cancel() }
      while store.changeListenerCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      try await measureCommits(store, note.id, -turn, rounds / 10, &free)
    }
  }
  for kind in ObservedKind.allCases {
    if let latencies = watched[kind.rawValue] {
      report("commit_100_observed_\(kind.rawValue)", latencies)
    }
  }
  report("commit_no_observation", free)
}

/// The number of values that loops have got.
private final class DeliveryCount: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock(\.self) }
  func add() { count.withLock { $0 += 1 } }
}

/// What loops observe while another thing is written.
private enum ObservedKind: String, CaseIterable {
  /// Other notes than the one that is written.
  case notes
  /// Things of another collection.
  case lists, counts, searches

  func observe(
    _ store: Store, _ number: Int, deliver: @Sendable () -> Void
  ) async throws {
    switch self {
    case .notes:
      let ids = TypedNote.where { $0.number == 1000 + number }
      guard let id = try await store.fetchOne(ids)?.id else { throw BenchError("no note") }
      for try await _ in store.observe(id) { deliver() }
    case .lists:
      for try await _ in store.observe(OtherThing.where { $0.number < number }) { deliver() }
    case .counts:
      for try await _ in store.observe(OtherThing.where { $0.number < number }.count()) {
        deliver()
      }
    case .searches:
      for try await _ in store.observe(search: OtherThing.self, for: "thing") { deliver() }
    }
  }
}

/// A thing of another collection.
private struct OtherThing: Entity {
  static let collection = "things"
  static let fields: [EntityField<OtherThing>] = [
    .field("title", \.title).searchable(), .field("number", \.number).indexed(),
  ]
  var id = ID()
  var title = ""
  var number = 0
}

private func measureDelivery(
  _ store: Store, _ first: EntityQuery<TypedNote>, _ id: TypedNote.ID, _ rounds: Int
) async throws {
  var values = store.observe(first).makeAsyncIterator()
  _ = try await values.next()
  var delivered = Latencies()
  for round in 1...max(rounds, 1) {
    let start = ContinuousClock.now
    try await store.write { try $0.update(id) { $0.size = -round } }
    while try await values.next()?.first?.size != -round {}
    delivered.append(nanoseconds(ContinuousClock.now - start))
  }
  report("commit_to_delivery", delivered)
}

private func measureCommits(
  _ store: Store, _ id: TypedNote.ID, _ turn: Int, _ count: Int, _ latencies: inout Latencies
) async throws {
  for round in 0..<max(count, 1) {
    let rating = Double(turn) + Double(round) / 100_000
    let start = ContinuousClock.now
    try await store.write { try $0.update(id) { $0.rating = rating } }
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
}

/// Measures how often a process wakes that has 100 observations and a sync, and in which nothing
/// happens.
private func measureIdle(_ store: Store, _ folder: URL) async throws {
  let other = try await Store.open(at: folder.appending(path: "idle"), schema: [TypedNote.self])
  let sync = store.sync(with: StorePeer(other))
  for await state in sync.states where state.phase == .idle && state.lastSuccess != nil { break }
  let loops = (1...100).map { number in
    Task { for try await _ in store.observe(TypedNote.ID("other-\(number)")) {} }
  }
  while store.changeListenerCount < 100 { try await Task.sleep(for: .milliseconds(1)) }
  let seconds = 20
  // What has just begun ends first.
  try await Task.sleep(for: .seconds(5))
  let before = try voluntarySwitches()
  try await Task.sleep(for: .seconds(seconds))
  let after = try voluntarySwitches()
  var line = JSONLine()
  line.add("daybook", "idle_100_observations_and_a_sync")
  line.add("seconds", seconds)
  var wakeups: [String: Int] = [:]
  // A thread that has ended meanwhile is not counted: it does not wake again.
  for (thread, now) in after {
    wakeups[now.name, default: 0] += now.count - (before[thread]?.count ?? 0)
  }
  for name in wakeups.keys.sorted() { line.add("wakeups_of_\(name)", wakeups[name] ?? 0) }
  line.write()
  for loop in loops { loop.cancel() }
  await sync.stop()
  try await other.close()
}

/// Returns how often each thread of this process has waited, by its id; empty on systems without
/// `/proc`.
private func voluntarySwitches() throws -> [String: (name: String, count: Int)] {
  var switches: [String: (name: String, count: Int)] = [:]
  let tasks = "/proc/self/task"
  for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
    let status = (try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)) ?? ""
    func value(_ key: String) -> Substring? {
      status.split(separator: "\n").first { $0.hasPrefix(key + ":") }?
        .split(separator: "\t", maxSplits: 1).last
    }
    guard let name = value("Name"), let count = value("voluntary_ctxt_switches") else { continue }
    switches[task] = (String(name), Int(count) ?? 0)
  }
  return switches
}
