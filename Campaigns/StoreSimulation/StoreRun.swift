import Daybook
import DaybookEventCore
import DaybookLogEngine
import DaybookSimulation
package import Foundation
import GRDB
import Logging

/// One seeded life of a whole store, log and read model, on real files.
///
/// Its ``temper`` decides what goes wrong. In every case the acknowledged writes must be present,
/// and nothing that was not written.
///
/// The seed decides what the store does, at which calls something happens, and what is lost. The
/// store has threads, so the same call number may be another call in the next run.
package struct StoreRun {
  /// The kind of failures in a run.
  package enum Temper: String, Sendable, CaseIterable {
    /// Power failures; see `StoreRun+Images.swift`.
    case crashes
    /// Power failures, with several instances of the store that write, read and rebuild
    /// concurrently.
    case company
    /// Failing system calls; see `StoreRun+Failures.swift`.
    case failures
    /// Damage to files between lives; see `StoreRun+Damage.swift`.
    case damage
  }

  package let seed: UInt64
  package let temper: Temper
  package internal(set) var statistics = StoreStatistics()
  /// The steps so far, one line each.
  package internal(set) var story: [String] = []
  let base: URL
  var random: SplitMix64
  let ledger = StoreLedger()
  /// The store's replica id, which must not change.
  private(set) var replica: ReplicaID?
  var stores: [Store?] = [nil]
  var next = 0
  /// The hub and the other store from which half of the runs receive; nil in the others.
  var company: StoreCompany?
  var nextOfOther = StoreWrite.firstOfOther
  /// An earlier content of the lock file.
  var olderLock: Data?

  /// - Parameters:
  ///   - temper: The kind of failures; nil if the seed decides.
  ///   - folder: The parent folder of the store and the images. A folder in it is made, and removed
  ///     after success.
  package init(seed: UInt64, _ temper: Temper? = nil, in folder: URL) {
    self.seed = seed
    let all = Temper.allCases
    self.temper = temper ?? all[Int(seed % UInt64(all.count))]
    base = folder.appending(path: "run-\(seed)", directoryHint: .isDirectory)
    random = SplitMix64(seed: seed)
  }

  package static var isPossible: Bool { DiskWatch.isPossible }

  static let folderName = "store"

  /// The folder under observation, in which the store is made.
  private var place: URL { base.appending(path: "place") }
  var folder: URL { place.appending(path: Self.folderName) }

  package mutating func run() async throws {
    try? FileManager.default.removeItem(at: base)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    story.append("a life of \(temper)")
    if random.below(2) == 0 { company = try await StoreCompany(in: base) }
    switch temper {
    case .crashes: try await crash()
    case .company:
      stores = Array(repeating: nil, count: 2 + random.below(2))
      try await crash()
    case .failures:
      try await make()
      try await fail()
    case .damage:
      try await make()
      try await hurt()
    }
    try await company?.close()
    try FileManager.default.removeItem(at: base)
    statistics.runs = 1
  }

  private mutating func make() async throws {
    story.append("the store is made")
    let store = try await Store.create(at: folder, options: Self.options)
    replica = store.replica
    try await store.close()
  }

  /// Options of every store: no log output, because there are thousands of runs.
  static var options: Store.Options {
    var options = Store.Options()
    options.logger = Logger(label: "life") { _ in SwiftLogNoOpLogHandler() }
    options.lockTimeout = .seconds(20)
    return options
  }

  // MARK: - Power failures

  private mutating func crash() async throws {
    let watch = watchFolder()
    do {
      if random.below(2) == 0 { watch.plan(at: anyMoment()) }
      try await make()
      for _ in 0..<6 + random.below(10) {
        for _ in 0..<random.below(3) { watch.plan(at: anyMoment()) }
        let steps = anySteps()
        let outcomes = await perform(steps, beside: anyMeddling())
        for case .failure(let error) in outcomes { throw error }
      }
      try await closeAll()
    } catch {
      _ = watch.stop()
      throw (error as? Violation) ?? Violation(.explained, "on a disk that works: \(error)")
    }
    let whole = try await end(watch)
    guard Set(whole) == ledger.acknowledged, whole.count == ledger.acknowledged.count else {
      throw Violation(.kept, "the store itself has \(whole)")
    }
    for image in watch.takeImages() { try await check(image, whole, isWatched: true) }
  }

  mutating func watchFolder() -> DiskWatch {
    let ledger = ledger
    let watch = DiskWatch(place, seed: random.next()) { ledger.acknowledged }
    watch.start()
    return watch
  }

  /// Ends the watch of a store that is closed.
  ///
  /// - Returns: The numbers of the writes in its log.
  /// - Throws: ``Violation`` if the watch has missed a write.
  mutating func end(_ watch: DiskWatch) async throws -> [Int] {
    statistics.calls += watch.calls
    if let blind = watch.stop() {
      throw Violation(.sound, "\(blind) is not what was seen to be written to it")
    }
    let store = try await Store.open(at: folder, options: Self.options)
    let labels = try await labels(store)
    try await checkTexts(store)
    try await store.close()
    return labels
  }

  // MARK: - What is there

  /// Returns the number of rows in the read model, 0 for a collection that was never declared.
  static func rows(_ store: Store) async throws -> Int {
    try await store.read { db in
      try StoreWrite.collections.reduce(0) { sum, name in
        guard try db.tableExists(name) else { return sum }
        return try sum + (Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0)
      }
    }
  }

  static func verify(_ folder: URL) async throws {
    let verification = try await Store.verify(at: folder)
    guard verification.isSound, verification.isCompared else {
      throw Violation(.projected, "\(verification)")
    }
  }

  func labels(_ folder: URL) async throws -> [Int] {
    let store = try await Store.open(at: folder, options: Self.options)
    let labels = try await labels(store)
    try await store.close()
    return labels
  }

  /// Returns the numbers of the writes in the order of the log, and checks their content.
  ///
  /// - Throws: ``Violation`` if an event differs from its write, or a series lacks an earlier
  ///   write.
  func labels(_ store: Store) async throws -> [Int] {
    let labels = StoreLabels()
    let ledger = ledger
    try await store.forEachEvent { logged in
      guard let body = logged.event.body, let number = Int(body.label) else { return true }
      guard let write = ledger.attempt(number), write.isGenuine(body) else {
        throw Violation(.genuine, "event \(number) is not what was written")
      }
      labels.append(number)
      return true
    }
    let all = labels.all
    // Damage may hit any of a series, so its order is not checked then.
    for series in ledger.series where temper != .damage {
      let found = all.filter(series.contains)
      guard StoreWrite.isBeginning(found, of: series) else {
        throw Violation(.genuine, "of \(series), to be written in order, \(found) are there")
      }
    }
    return all
  }

  /// Returns the names of the read models in the quarantine.
  static func setAside(_ folder: URL) -> [String] {
    let quarantine = folder.appending(path: "quarantine").path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: quarantine)) ?? []
    return names.filter { $0.hasPrefix("read-model") }.sorted()
  }
}
