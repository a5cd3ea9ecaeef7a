import Daybook
import DaybookLogEngine
import DaybookSimulation
package import Foundation

/// Replays a recording of typing through the public API of stores, one for each author.
///
/// Authors send each other their events exactly where the recording says so. Each writes into a
/// shared folder of its own. A program carries the files that are there at that moment to the
/// folder of a receiver, as a slow and one-way sync program would, and the receiver takes them when
/// the recording says that it had seen them.
package struct TraceReplay {
  /// What a replay did, and how long it took.
  package struct Report: Sendable {
    package var authors = 0
    package var transactions = 0
    package var events = 0
    package var messages = 0
    package var writing = Duration.zero
    package var receiving = Duration.zero
    package var rebuilding = Duration.zero
    /// The bytes of the first author's log in the end.
    package var logBytes = 0
    /// The same when it is sealed.
    package var sealedBytes = 0
    package var scalars = 0

    package var description: String {
      """
      \(transactions) transactions of \(authors) authors as \(events) events, \
      \(messages) messages; \(scalars) characters in the end; writing \(writing), \
      receiving \(receiving), a rebuild \(rebuilding); a log of \(logBytes) bytes, \
      sealed \(sealedBytes)
      """
    }
  }

  private struct Message: Hashable {
    var transaction: Int
    var receiver: Int
  }

  private let trace: TextTrace
  private let folder: URL
  /// By transaction, its author, and the other authors' transactions that it has as parents.
  private let authors: [Int]
  private var parents: [[Int]] = []
  private let authorCount: Int
  /// The most transactions that become one event.
  private let together: Int
  private var receivers: [Int: [Int]] = [:]
  /// The names of files that were carried, by sender and receiver.
  private var carried: [[Set<String>]]
  /// By message, its sender and the names of all files that it had then.
  private var contents: [Message: (sender: Int, names: Set<String>)] = [:]
  private let outboxes: [FolderPeer]
  private let inboxes: [FolderPeer]
  private var report = Report()

  private static let (collection, id, field) = ("texts", "t", "text")

  /// - Parameters:
  ///   - authors: The number of authors among whom a recording of one author is split; a recording
  ///     of several has its own.
  ///   - turn: The number of transactions that an author of a split recording writes in turn.
  ///   - together: The most transactions of an author that become one event.
  ///   - folder: An empty folder for the stores.
  package init(
    _ trace: TextTrace, authors: Int = 1, turn: Int = 500, together: Int = 1, in folder: URL
  ) {
    self.trace = trace
    self.folder = folder
    self.together = max(1, together)
    let isConcurrent = trace.isConcurrent
    let own = trace.txns.enumerated().map { index, transaction in
      isConcurrent ? transaction.agent ?? 0 : index / max(1, turn) % max(1, authors)
    }
    self.authors = own
    let count = (own.max() ?? 0) + 1
    authorCount = count
    var options = FolderPeer.Options()
    options.grace = .milliseconds(1)
    outboxes = (0..<count).map { FolderPeer(Self.outbox($0, in: folder), options: options) }
    inboxes = (0..<count).map { FolderPeer(Self.inbox($0, in: folder), options: options) }
    parents = trace.txns.enumerated().map { index, transaction in
      (transaction.parents ?? (index > 0 ? [index - 1] : [])).filter { own[$0] != own[index] }
    }
    carried = Array(repeating: Array(repeating: [], count: authorCount), count: authorCount)
    for (index, parents) in parents.enumerated() {
      for parent in parents where !(receivers[parent] ?? []).contains(own[index]) {
        receivers[parent, default: []].append(own[index])
      }
    }
  }

  /// Replays the recording, and compares all stores with its end.
  ///
  /// - Throws: ``Violation`` if a store shows another text or state; errors of the stores.
  package mutating func run() async throws -> Report {
    var stores: [Store] = []
    for author in 0..<authorCount {
      try FileManager.default.createDirectory(
        at: outbox(author), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(at: inbox(author), withIntermediateDirectories: true)
      stores.append(
        try await Store.create(
          at: folder.appending(path: "store-\(author)"), options: StoreRun.options))
    }
    report.authors = authorCount
    report.transactions = trace.count
    try await begin(stores)
    try await replay(stores)
    try await finish(stores)
    for store in stores { try await store.close() }
    try seal(stores[0].url)
    report.sealedBytes = Self.logBytes(stores[0].url)
    return report
  }

  private static func outbox(_ author: Int, in folder: URL) -> URL {
    folder.appending(path: "outbox-\(author)", directoryHint: .isDirectory)
  }

  private static func inbox(_ author: Int, in folder: URL) -> URL {
    folder.appending(path: "inbox-\(author)", directoryHint: .isDirectory)
  }

  private func outbox(_ author: Int) -> URL { Self.outbox(author, in: folder) }
  private func inbox(_ author: Int) -> URL { Self.inbox(author, in: folder) }
  private func spool(_ message: Message) -> URL {
    folder.appending(path: "message-\(message.transaction)-\(message.receiver)")
  }

  /// Lets the author of the first transaction make the text, and all others receive it.
  private mutating func begin(_ stores: [Store]) async throws {
    let first = authors.first ?? 0
    let start = trace.startContent ?? ""
    try await stores[first].write { tx in
      try tx.define(Definition(Self.collection, [.text(Self.field).merging()]))
      try tx.insert(Self.collection, Self.id, [Self.field: .text(start)])
    }
    report.events += 1
    for receiver in stores.indices where receiver != first {
      let message = Message(transaction: -1, receiver: receiver)
      try await send(message, by: first, stores[first])
      try await receive(message, stores[receiver])
    }
  }

  private mutating func replay(_ stores: [Store]) async throws {
    var unwritten: [[Int]] = Array(repeating: [], count: authorCount)
    var known: Set<Message> = []
    for index in trace.txns.indices {
      let author = authors[index]
      for parent in parents[index] {
        let message = Message(transaction: parent, receiver: author)
        guard known.insert(message).inserted else { continue }
        try await write(&unwritten[author], stores[author])
        try await receive(message, stores[author])
      }
      unwritten[author].append(index)
      let isSent = receivers[index] != nil
      if isSent || unwritten[author].count >= together {
        try await write(&unwritten[author], stores[author])
      }
      for receiver in receivers[index] ?? [] {
        try await send(Message(transaction: index, receiver: receiver), by: author, stores[author])
      }
    }
    for author in stores.indices { try await write(&unwritten[author], stores[author]) }
  }

  private mutating func write(_ unwritten: inout [Int], _ store: Store) async throws {
    guard !unwritten.isEmpty else { return }
    let patches = unwritten.flatMap { trace.txns[$0].patches }
    let number = unwritten[0]
    unwritten = []
    let start = ContinuousClock.now
    try await store.write { tx in
      try tx.edit(Self.collection, Self.id, Self.field) { text in
        for patch in patches {
          do {
            try text.replace(patch.place..<patch.place + patch.deleted, with: patch.inserted)
          } catch {
            throw Violation(
              .typed,
              "transaction \(number) or one after it does not fit its author's text: \(error)")
          }
        }
      }
    }
    report.events += 1
    report.writing += ContinuousClock.now - start
  }

  // MARK: - Messages

  private mutating func send(_ message: Message, by sender: Int, _ store: Store) async throws {
    let start = ContinuousClock.now
    _ = try await store.syncOnce(with: outboxes[sender])
    let spool = spool(message)
    let names = Self.files(outbox(sender))
    contents[message] = (sender, Set(names))
    for name in names
    where carried[sender][message.receiver].insert(name).inserted {
      try Self.link(outbox(sender).appending(path: name), to: spool.appending(path: name))
    }
    report.receiving += ContinuousClock.now - start
  }

  private mutating func receive(_ message: Message, _ store: Store) async throws {
    let start = ContinuousClock.now
    let (spool, inbox) = (spool(message), inbox(message.receiver))
    for name in Self.files(spool) {
      try Self.link(spool.appending(path: name), to: inbox.appending(path: name))
    }
    try? FileManager.default.removeItem(at: spool)
    // The program carries removals, too.
    if let (sender, names) = contents.removeValue(forKey: message) {
      let gone = carried[sender][message.receiver].subtracting(names)
      for name in gone { try? FileManager.default.removeItem(at: inbox.appending(path: name)) }
    }
    _ = try await store.syncOnce(with: inboxes[message.receiver])
    report.messages += 1
    report.receiving += ContinuousClock.now - start
  }

  /// The files below a folder, by their paths in it: those that nothing is below.
  private static func files(_ folder: URL) -> [String] {
    let all = try? FileManager.default.subpathsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    let paths = Set(all ?? [])
    let folders = Set(paths.map { ($0 as NSString).deletingLastPathComponent })
    return paths.subtracting(folders).sorted()
  }

  private static func link(_ file: URL, to place: URL) throws {
    guard !FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else { return }
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.linkItem(at: file, to: place)
  }

  // MARK: - The end

  /// Lets all stores exchange everything, and compares them.
  private mutating func finish(_ stores: [Store]) async throws {
    for _ in 0..<2 where stores.count > 1 {
      for store in stores { _ = try await store.syncOnce(with: StorePeer(stores[0])) }
    }
    let digest = try await stores[0].digest()
    for (author, store) in stores.enumerated() {
      try await check(store, "author \(author)")
      guard try await store.digest() == digest else {
        throw Violation(.projected, "author \(author) shows another state than author 0")
      }
    }
    let start = ContinuousClock.now
    try await stores[0].rebuild()
    report.rebuilding = ContinuousClock.now - start
    try await check(stores[0], "a rebuild")
    guard try await stores[0].digest() == digest else {
      throw Violation(.projected, "a rebuild shows another state")
    }
    report.logBytes = Self.logBytes(stores[0].url)
    report.scalars = trace.endContent.unicodeScalars.count
  }

  private static func logBytes(_ store: URL) -> Int {
    let log = store.appending(path: "log")
    return files(log).reduce(0) { sum, name in
      let path = log.appending(path: name).path(percentEncoded: false)
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return sum + (size.flatMap(\.self) ?? 0)
    }
  }

  /// Seals the log of a closed store, however small it is.
  private func seal(_ store: URL) throws {
    let path = store.path(percentEncoded: false)
    let (log, _) = try EventLog.open(
      storage: FileStorage(folder: path), lock: CommitLock(folder: path),
      options: EventLog.Options(random: { .random(in: .min ... .max) }))
    try log.lock()
    defer { log.unlock() }
    _ = try log.seal()
    try log.close()
  }

  private func check(_ store: Store, _ who: String) async throws {
    guard case .text(let text)? = try await store.fetch(Self.collection, Self.id)?[Self.field],
      text.isSame(as: trace.endContent)
    else { throw Violation(.typed, "\(who) shows another text than the recording's end") }
    guard try await store.hidden().all().isEmpty else {
      throw Violation(.typed, "\(who) has edits that change nothing")
    }
  }
}
