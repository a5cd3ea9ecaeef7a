import Daybook
import DaybookEngine
import DaybookLocks
import DaybookSimulation
package import Foundation
import GRDB

/// One of several processes that use a store, until it is killed or told to stop.
package struct StoreProcess: Sendable {
  package enum Role: String, Sendable, CaseIterable {
    /// Writes as fast as possible, and prints the number of each acknowledged write.
    case writer
    /// Reads one snapshot after the other.
    ///
    /// Each must consist of whole transactions, and none may be older than the one before.
    case reader
    case rebuilder
    /// Stays open and reads the log; each event must come once, with none missing.
    case observer
  }

  private let role: Role
  /// The writer's number.
  private let number: Int
  private let folder: URL
  private let stop: String

  /// - Parameter stop: The path of a file whose presence ends the process in order.
  package init(_ role: Role, number: Int, store: URL, stop: String) {
    self.role = role
    self.number = number
    folder = store
    self.stop = stop
  }

  /// Runs the process in its role until it must end.
  ///
  /// - Throws: `Violation` if a promise is broken; errors of the store.
  package func run() async throws {
    switch role {
    case .writer: try await write()
    case .reader: try await read()
    case .rebuilder: try await rebuild()
    case .observer: try await observe()
    }
  }

  /// Whether the process must end: it was told to stop, or its parent has died.
  private var mustEnd: Bool { getppid() == 1 || access(stop, F_OK) == 0 }

  private func open(isReadOnly: Bool = false) async throws -> Store {
    var options = StoreRun.options
    options.isReadOnly = isReadOnly
    return try await Store.open(at: folder, options: options)
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  static func make(_ folder: URL) async throws {
    try await Store.create(at: folder, options: StoreRun.options).close()
  }

  /// Returns the number of writes of each writer, of a closed store.
  static func tallies(at folder: URL) async throws -> [String: Int] {
    let store = try await Store.open(at: folder, options: StoreRun.options)
    let tallies = try await tallies(store)
    try await store.close()
    return tallies
  }

  // MARK: - Writing

  static let definitions = [
    Definition("tallies", [.integer("count")]),
    Definition(
      "things",
      [
        .integer("writer").indexed(),
        .text("text").searchable(),
      ]),
  ]

  private func write() async throws {
    while !mustEnd {
      let store = try await open()
      let tally = try await store.fetch("tallies", "w\(number)")
      var next = 1
      if case .integer(let count) = tally?["count"] { next = Int(count) + 1 }
      for _ in 0..<50 where !mustEnd {
        try await write(next, store)
        Self.say("\(next)")
        next += 1
      }
      try await store.close()
    }
  }

  private func write(_ next: Int, _ store: Store) async throws {
    let number = number
    let body: @Sendable (WriteTransaction) throws -> Void = { tx in
      for definition in Self.definitions { try tx.define(definition) }
      try tx.insert(
        "things", "\(number)-\(next)",
        ["writer": .integer(Int64(number)), "text": .text("thing \(next) of writer \(number)")])
      try tx.put("tallies", "w\(number)", ["count": .integer(Int64(next))])
    }
    let label = "\(number):\(next)"
    guard next % 2 == 0 else { return try await store.write(label: label, body) }
    try await Blocking.run { try store.blocking.write(label: label, body) }
  }

  // MARK: - Reading

  private func read() async throws {
    var seen: [String: Int] = [:]
    var isReadOnly = false
    while !mustEnd {
      isReadOnly.toggle()
      let store: Store
      do { store = try await open(isReadOnly: isReadOnly) } catch let error as StoreError
        where error.code == .readOnly
      {
        // A killed process has left the read model behind the log.
        continue
      }
      for _ in 0..<20 where !mustEnd {
        let now = try await Self.tallies(store)
        for (writer, count) in seen where now[writer] ?? 0 < count {
          throw Violation(.projected, "\(writer) was at \(count), and is at \(now[writer] ?? 0)")
        }
        seen = now
      }
      try await store.close()
    }
  }

  /// Returns the number of things that each writer has written, in one snapshot.
  ///
  /// - Throws: `Violation` if the snapshot shows part of a transaction.
  static func tallies(_ store: Store) async throws -> [String: Int] {
    try await store.read { db in
      guard try db.tableExists("tallies") else { return [:] }
      var tallies: [String: Int] = [:]
      try db.forEachRow("SELECT id, count FROM tallies") { row in
        let (id, count) = (row.text(0), Int(row.integer(1)))
        let things = try Int.fetchOne(
          db, sql: "SELECT count(*) FROM things WHERE writer = ?", arguments: [Int(id.dropFirst())])
        guard things == count else {
          throw Violation(.projected, "\(things ?? 0) things of \(id), who counts \(count)")
        }
        tallies[id] = count
      }
      return tallies
    }
  }

  private func rebuild() async throws {
    var isWhole = false
    while !mustEnd {
      let store = try await open()
      for _ in 0..<3 where !mustEnd {
        isWhole.toggle()
        if isWhole { try await store.rebuild() } else { _ = try await collection(store) }
      }
      try await store.close()
    }
  }

  /// Rebuilds one collection, which is unknown before the first write.
  private func collection(_ store: Store) async throws {
    do { _ = try await store.rebuild(collection: "things") } catch let error as StoreError
      where error.code == .unknownName
    {}
  }

  // MARK: - Observing

  private func observe() async throws {
    let store = try await open()
    let seen = StoreTallies()
    var known: Position?
    var isLast = false
    while !isLast {
      // Read once more after the others have ended.
      isLast = mustEnd
      let after = known
      known = .vector(try await store.digest().vector)
      try await store.forEachEvent(EventQuery(after: after)) { logged in
        try seen.take(logged.event.id, label: logged.event.body?.label ?? "")
        return true
      }
    }
    // A process that died between the log and the read model leaves it behind until the next write.
    let shown = try await Self.tallies(store)
    for (writer, count) in seen.counts where shown["w\(writer)"] != count {
      throw Violation(.projected, "the log has \(count) of writer \(writer); shown is \(shown)")
    }
    for (writer, count) in seen.counts.sorted(by: { $0.key < $1.key }) {
      Self.say("\(writer) \(count)")
    }
    try await store.close()
  }
}

/// The events that an observer has seen, counted by writer.
private final class StoreTallies: Sendable {
  private let state = Mutex((events: Set<EventID>(), counts: [Int: Int]()))

  var counts: [Int: Int] { state.withLock { $0.counts } }

  /// Counts an event, and checks that the writer's numbers are consecutive.
  ///
  /// - Parameter label: The event's label, "writer:number".
  func take(_ event: EventID, label: String) throws {
    try state.withLock { state in
      guard state.events.insert(event).inserted else { return }
      let parts = label.split(separator: ":").compactMap { Int($0) }
      guard parts.count == 2 else { return }
      guard parts[1] == state.counts[parts[0], default: 0] + 1 else {
        throw Violation(
          .once, "writer \(parts[0]): \(parts[1]) follows \(state.counts[parts[0], default: 0])")
      }
      state.counts[parts[0]] = parts[1]
    }
  }
}
