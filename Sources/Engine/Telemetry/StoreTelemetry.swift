import CoreMetrics
package import DaybookEventCore
import DaybookFrames
package import DaybookLogEngine
import DaybookProjections
package import Foundation
import GRDB
import Logging

/// The log messages and metrics of a store.
///
/// The table in docs/watching.md lists them.
///
/// What a transaction writes never appears: no values, no ids of entities, no names of fields. The
/// errors that a transaction throws go to its caller only, and are not logged either.
package final class StoreTelemetry: Sendable {
  let logger: Logger
  package let log: LogTelemetry
  private let commits: Counter
  private let operations: Counter
  private let groupSize: Recorder
  private let commitTime: CoreMetrics.Timer
  private let lag: Gauge
  private let progress: [RebuildProgress.Phase: Gauge]
  private let rebuildTime: CoreMetrics.Timer
  private let checkpointTime: CoreMetrics.Timer
  private let walPages: Gauge

  /// - Parameter clock: the current time, in milliseconds since 1970.
  package init(_ options: EngineOptions, folder: URL, clock: @escaping @Sendable () -> Int64) {
    var logger = options.logger
    if !options.isReadOnly {
      let incidents = IncidentFile(StoreFiles(folder: folder), clock: clock)
      logger.handler = MultiplexLogHandler([logger.handler, IncidentLogHandler(incidents)])
    }
    logger[metadataKey: "store"] = "\(folder.path(percentEncoded: false))"
    self.logger = logger
    let metrics = options.metrics ?? MetricsSystem.factory
    let store = [("store", folder.lastPathComponent)]
    func counter(_ label: String) -> Counter {
      Counter(label: label, dimensions: store, factory: metrics)
    }
    func timer(_ label: String) -> CoreMetrics.Timer {
      CoreMetrics.Timer(label: label, dimensions: store, factory: metrics)
    }
    func gauge(_ label: String, _ more: [(String, String)] = []) -> Gauge {
      Gauge(label: label, dimensions: store + more, factory: metrics)
    }
    log = LogTelemetry(logger: logger, metrics: metrics, dimensions: store)
    commits = counter("daybook.commits")
    operations = counter("daybook.operations")
    groupSize = Recorder(
      label: "daybook.group.size", dimensions: store, aggregate: true, factory: metrics)
    commitTime = timer("daybook.commit.time")
    lag = gauge("daybook.projection.lag")
    let phases: [RebuildProgress.Phase] = [.reading, .writing, .indexing]
    progress = Dictionary(
      uniqueKeysWithValues: phases.map {
        ($0, gauge("daybook.rebuild.progress", [("phase", $0.rawValue)]))
      })
    rebuildTime = timer("daybook.rebuild.time")
    checkpointTime = timer("daybook.wal.checkpoint.time")
    walPages = gauge("daybook.wal.pages")
  }

  // MARK: - Opening and closing

  func opened(_ log: EventLog, isReadOnly: Bool, after time: Duration) {
    let vector = log.wholeVector
    logger.debug(
      "the store is open",
      metadata: [
        "events": "\(Self.events(vector))", "origins": "\(vector.count)",
        "segment": "\(log.durableEnd.segment)", "offset": "\(log.durableEnd.offset)",
        "read_only": "\(isReadOnly)",
        "seconds": "\(LogTelemetry.seconds(time))",
      ])
  }

  package func closed() { logger.debug("the store is closed") }

  /// Notes that a store which closed itself could not do so in order.
  func closingFailed(_ error: any Error) {
    logger.info(
      "a store that nothing used any more could not be closed in order",
      metadata: ["cause": "\(error)"])
  }

  func readModelSetAside(to path: String) {
    logger.notice(
      "the read model is not the log's, so it was set aside and is made again",
      metadata: ["copy": "\(path)"])
  }

  func setAside(_ refusal: ProjectionError) {
    logger.error(
      "SQLite cannot hold a collection that others have written, so it has no table any more",
      metadata: ["cause": "\(refusal.message)"])
  }

  package func renewed(_ before: ReplicaID, to after: ReplicaID) {
    logger.notice(
      "the store has taken a new identity", metadata: ["before": "\(before)", "origin": "\(after)"])
  }

  /// Notes that a branch of a forked origin was taken out of the log.
  /// - Parameter copy: the folder that keeps the log as it was.
  package func gaveUp(_ branch: Branch, copy: String) {
    logger.notice(
      "a branch of a forked origin does not stand, so it was taken out of the log",
      metadata: ["origin": "\(branch.origin)", "from": "\(branch.from)", "copy": "\(copy)"])
  }

  /// Notes that a peer holds another history of an origin than this log.
  package func forked(_ origin: ReplicaID) {
    logger.warning(
      """
      an origin has two histories, so its events cannot pass; sync each of its stores once with \
      “evtool sync”, without --live
      """,
      metadata: ["origin": "\(origin)"])
  }

  // MARK: - Committing

  /// The figures of a committed group of transactions.
  struct Group {
    var events = 0
    var operations = 0
    var last: EventID?
  }

  func committed(_ group: Group, behind: UInt64, after time: Duration) {
    commits.increment(by: group.events)
    operations.increment(by: group.operations)
    groupSize.record(group.events)
    commitTime.record(duration: time)
    lag.record(Double(behind))
    logger.debug(
      "a group was committed",
      metadata: [
        "events": "\(group.events)", "operations": "\(group.operations)",
        "origin": "\(group.last?.origin.description ?? "")",
        "sequence": "\(group.last?.sequence ?? 0)", "seconds": "\(LogTelemetry.seconds(time))",
      ])
  }

  /// - Parameter events: the number of the log's events that the read model does not show.
  func fellBehind(_ events: UInt64, _ error: any Error) {
    lag.record(Double(events))
    logger.warning(
      "the read model is behind the log, and is caught up before the next write",
      metadata: Self.metadata(error).merging(["events": "\(events)"]) { $1 })
  }

  func refused(_ transactions: Int, _ error: any Error) {
    logger.warning(
      "transactions were not written",
      metadata: Self.metadata(error).merging(["transactions": "\(transactions)"]) { $1 })
  }

  // MARK: - Rebuilding

  /// Runs `body`, which builds a read model, and reports its progress and duration.
  /// - Parameters:
  ///   - what: the subject of the messages: "the read model".
  ///   - events: the number of events that it is built from.
  func rebuilding<T>(
    _ what: String, from events: UInt64,
    _ body: (_ progress: @escaping @Sendable (RebuildProgress) -> Void) throws -> T
  ) rethrows -> T {
    logger.debug("\(what) is being made from the log", metadata: ["events": "\(events)"])
    let began = ContinuousClock.now
    let gauges = self.progress
    let made = try body { progress in
      guard progress.total > 0 else { return }
      gauges[progress.phase]?.record(Double(progress.done) / Double(progress.total))
    }
    let time = ContinuousClock.now - began
    rebuildTime.record(duration: time)
    // The first read model of a new store is no news.
    logger.log(
      level: events == 0 ? .debug : .info, "\(what) was made from the log",
      metadata: ["events": "\(events)", "seconds": "\(LogTelemetry.seconds(time))"])
    return made
  }

  // MARK: - Checkpoints

  func observed(walPages pages: Int) { walPages.record(Int64(pages)) }

  func checkpointed(after time: Duration) {
    checkpointTime.record(duration: time)
    logger.trace(
      "the write-ahead log was moved into the read model",
      metadata: ["seconds": "\(LogTelemetry.seconds(time))"])
  }

  func checkpointFallsBehind(_ pages: Int) {
    logger.warning(
      "the read model's write-ahead log grows: a reader has held an old snapshot for long",
      metadata: ["pages": "\(pages)"])
  }

  // MARK: - Watching

  /// - Parameter error: why the system does not tell of changes of the log.
  func polls(_ error: StoreError, every period: Duration) {
    logger.warning(
      "the log is polled for what other processes write, because the system does not tell of it",
      metadata: Self.metadata(error).merging(["seconds": "\(LogTelemetry.seconds(period))"]) { $1 })
  }

  // MARK: - Metadata

  static func events(_ vector: VersionVector) -> UInt64 {
    vector.entries.reduce(0) { $0 &+ $1.sequence }
  }

  /// Returns the metadata of an error of the layers below.
  ///
  /// These errors name files and places, but no values.
  static func metadata(_ error: any Error) -> Logger.Metadata {
    switch error {
    case let error as LogError: LogTelemetry.metadata(error)
    case let error as FrameError: LogTelemetry.metadata(LogError(error))
    case let error as StoreError: ["code": "\(error.code)", "error": "\(error.message)"]
    case let error as ProjectionError: ["code": "\(error.code)", "error": "\(error.message)"]
    case let error as DatabaseError:
      ["code": "\(error.resultCode)", "error": "\(error.message ?? "SQLite failed")"]
    default: ["error": "\(type(of: error))"]
    }
  }
}
