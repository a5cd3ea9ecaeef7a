internal import Daybook
package import Foundation
internal import GRDB
internal import LogEngine
internal import Logging
internal import Simulation

/// One seeded life of a whole store, log and read model, on real files: it writes to a shared and a
/// local collection, closes, opens,
/// rebuilds, and at some of its calls to the system an image is taken of what a power failure would
/// leave. Each image is opened, in another folder, and held against what the store had acknowledged.
///
/// The seed decides what the store does, at which calls images are taken, and what is lost in them.
/// The store has threads, so a call may be another one the next time.
package struct StoreRun {
  package let seed: UInt64
  package private(set) var statistics = StoreStatistics()
  /// What happened so far, a line each.
  package private(set) var story: [String] = []
  private let base: URL
  private var random: SplitMix64
  private let ledger = StoreLedger()
  private var store: Store?
  private var next = 0

  /// - Parameter folder: where the store and the images go; made, and removed if all went well.
  package init(seed: UInt64, in folder: URL) {
    self.seed = seed
    base = folder.appending(path: "run-\(seed)", directoryHint: .isDirectory)
    random = SplitMix64(seed: seed)
  }

  package static var isPossible: Bool { DiskWatch.isPossible }

  private var folder: URL { base.appending(path: "store") }

  package mutating func run() async throws {
    try? FileManager.default.removeItem(at: base)
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    try await Store.create(at: folder, options: Self.options).close()
    let ledger = ledger
    let watch = DiskWatch(folder, seed: random.next()) { ledger.acknowledged }
    watch.start()
    do {
      for _ in 0..<6 + random.below(10) { try await step(watch) }
      try await close()
    } catch {
      _ = watch.stop()
      throw Violation(.explained, "on a disk that works: \(error)")
    }
    statistics.calls += watch.calls
    if let blind = watch.stop() {
      throw Violation(.sound, "\(blind) is not what was seen to be written to it")
    }
    let whole = try await labels(folder)
    guard Set(whole) == ledger.acknowledged, whole.count == ledger.acknowledged.count else {
      throw Violation(.kept, "the store itself has \(whole)")
    }
    for image in watch.takeImages() { try await check(image, whole, isWatched: true) }
    try FileManager.default.removeItem(at: base)
    statistics.runs = 1
  }

  /// Lives by the thousand have nothing to say to a log.
  private static var options: Store.Options {
    var options = Store.Options()
    options.logger = Logger(label: "life") { _ in SwiftLogNoOpLogHandler() }
    return options
  }

  // MARK: - What the store does

  private mutating func step(_ watch: DiskWatch) async throws {
    for _ in 0..<random.below(3) { watch.plan(at: anyMoment()) }
    guard let store else {
      var options = Self.options
      options.rebuildsReadModel = random.below(4) == 0
      options.defersProjection = random.below(2) == 0
      if random.below(4) == 0 { removeReadModel() }
      let how =
        (options.rebuildsReadModel ? ", and rebuilds" : "")
        + (options.defersProjection ? ", to fill it" : "")
      story.append("opens\(how)")
      self.store = try await Store.open(at: folder, options: options)
      return
    }
    switch random.below(8) {
    case 0...1: try await close()
    case 2:
      story.append("rebuilds")
      try await store.rebuild()
      statistics.rebuilds += 1
    default: try await write(store)
    }
  }

  /// Mostly soon: a commit makes some ten calls, and opening some thirty.
  private mutating func anyMoment() -> Int { 1 + random.below(random.below(2) == 0 ? 12 : 60) }

  private mutating func close() async throws {
    guard let store else { return }
    story.append("closes")
    try await store.close()
    self.store = nil
  }

  private mutating func removeReadModel() {
    story.append("the read model is removed")
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: folder.appending(path: "read-model.sqlite\(suffix)"))
    }
  }

  /// One to four transactions at the same time, now and then large enough for the log to be sealed.
  private mutating func write(_ store: Store) async throws {
    let count = 1 + random.below(4)
    let size = random.below(12) == 0 ? 600_000 : 10 + random.below(3000)
    story.append("writes \(next)…\(next + count - 1), \(size) bytes each")
    let writes = (0..<count).map { i in
      StoreWrite(number: next + i, size: size, noise: random.next())
    }
    next += count
    let ledger = ledger
    try await withThrowingTaskGroup(of: Void.self) { group in
      for write in writes {
        group.addTask {
          try await write.run(in: store)
          ledger.acknowledge(write.number)
        }
      }
      try await group.waitForAll()
    }
    statistics.writes += count
  }

  // MARK: - What a power failure leaves

  /// - Parameters:
  ///   - whole: every write, in the order of the store's own log.
  ///   - isWatched: whether the power goes a second time, while this image is opened.
  private mutating func check(_ image: DiskWatch.Image, _ whole: [Int], isWatched: Bool)
    async throws
  {
    statistics.images += 1
    story.append("the power goes at \(image.moment), \(image.acknowledged.count) acknowledged")
    let copy = base.appending(path: isWatched ? "image" : "image-of-image")
    try Self.put(image, in: copy)
    let acknowledged = image.acknowledged
    let watch = DiskWatch(copy, seed: random.next()) { acknowledged }
    if isWatched {
      watch.start()
      watch.plan(at: anyMoment())
    }
    let digest: DigestReport
    do {
      digest = try await open(copy, image, whole)
    } catch {
      _ = watch.stop()
      throw error
    }
    if isWatched { _ = watch.stop() }
    for second in watch.takeImages() {
      statistics.imagesOfRecovery += 1
      try await check(second, whole, isWatched: false)
    }
    try await openAgain(copy, digest)
    try FileManager.default.removeItem(at: copy)
  }

  private static func put(_ image: DiskWatch.Image, in folder: URL) throws {
    try? FileManager.default.removeItem(at: folder)
    for (name, bytes) in image.files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  /// Opens what is left for the first time, and closes it.
  private mutating func open(_ copy: URL, _ image: DiskWatch.Image, _ whole: [Int]) async throws
    -> DigestReport
  {
    let store: Store
    do { store = try await Store.open(at: copy, options: Self.options) } catch {
      throw Violation(.recoverable, "\(error)")
    }
    // Also where the read model has applied what the log does not hold.
    if let finding = store.damage.first { throw Violation(.noFalseAlarm, "\(finding)") }
    let found = try await Self.labels(store)
    let lost = image.acknowledged.subtracting(found)
    guard lost.isEmpty else { throw Violation(.kept, "writes \(lost.sorted()) are lost") }
    // Of each origin: sealing keeps their order, and not that between them.
    for isLocal in [false, true] {
      let there = found.filter { StoreWrite.isLocal($0) == isLocal }
      let all = whole.filter { StoreWrite.isLocal($0) == isLocal }
      guard there == Array(all.prefix(there.count)) else {
        throw Violation(.genuine, "\(there) is no beginning of \(all)")
      }
    }
    let digest = try await store.digest()
    let count = try await Self.rows(store)
    guard count == found.count else {
      throw Violation(.projected, "\(count) rows of \(found.count) writes")
    }
    try await store.close()
    let quarantine = copy.appending(path: "quarantine").path(percentEncoded: false)
    let aside = (try? FileManager.default.contentsOfDirectory(atPath: quarantine)) ?? []
    if let name = aside.first(where: { $0.hasPrefix("read-model") }) {
      throw Violation(.noFalseAlarm, "\(name) was set aside")
    }
    try await Self.verify(copy)
    return digest
  }

  /// Opening a second time changes nothing, and the store goes on.
  private func openAgain(_ copy: URL, _ digest: DigestReport) async throws {
    let store: Store
    do { store = try await Store.open(at: copy, options: Self.options) } catch {
      throw Violation(.idempotent, "\(error)")
    }
    guard store.recovery.isClean, try await store.digest() == digest else {
      throw Violation(.idempotent, "\(store.recovery)")
    }
    for number in next..<next + 2 {
      try await StoreWrite(number: number, size: 100, noise: seed).run(in: store)
    }
    try await store.close()
    try await Self.verify(copy)
  }

  /// How many rows the read model shows; none of a collection that was never declared.
  private static func rows(_ store: Store) async throws -> Int {
    try await store.read { db in
      try StoreWrite.collections.reduce(0) { sum, name in
        guard try db.tableExists(name) else { return sum }
        return try sum + (Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0)
      }
    }
  }

  private static func verify(_ folder: URL) async throws {
    let verification = try await Store.verify(at: folder)
    guard verification.isSound, verification.isCompared else {
      throw Violation(.projected, "\(verification)")
    }
  }

  private func labels(_ folder: URL) async throws -> [Int] {
    let store = try await Store.open(at: folder, options: Self.options)
    let labels = try await Self.labels(store)
    try await store.close()
    return labels
  }

  /// The numbers of the writes, in the order of the log.
  private static func labels(_ store: Store) async throws -> [Int] {
    let labels = StoreLabels()
    try await store.forEachEvent { logged in
      if let number = logged.event.body.flatMap({ Int($0.label) }) { labels.append(number) }
      return true
    }
    return labels.all
  }
}
