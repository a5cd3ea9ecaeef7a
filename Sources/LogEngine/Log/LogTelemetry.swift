package import CoreMetrics
import DaybookEventCore
package import DaybookFrames
package import Logging

/// The log's messages and metrics.
///
/// They hold segments, offsets, origins, sequences, sizes and times, but never the contents of an
/// event. The metrics' handles are made once, in the initializer, and nothing is formatted for a
/// log level that is off.
package final class LogTelemetry: Sendable {
  package let logger: Logger
  private let patience: Duration
  private let syncTime: Timer
  private let lockTime: Timer
  private let sealTime: Timer
  private let sealed: Counter
  private let sealedInPlace: Counter
  private let sealsFailed: Counter
  private let tornTails: Counter
  private let damaged: Counter
  private let failures: Counter

  /// Makes the metrics' handles.
  ///
  /// - Parameters:
  ///   - dimensions: added to every metric.
  ///   - patience: a longer wait for the commit lock is logged as a warning.
  package init(
    logger: Logger, metrics: any MetricsFactory, dimensions: [(String, String)] = [],
    patience: Duration = .seconds(1)
  ) {
    func counter(_ label: String, _ more: [(String, String)] = []) -> Counter {
      Counter(label: label, dimensions: dimensions + more, factory: metrics)
    }
    func timer(_ label: String) -> Timer {
      Timer(label: label, dimensions: dimensions, factory: metrics)
    }
    self.logger = logger
    self.patience = patience
    syncTime = timer("daybook.fsync.time")
    lockTime = timer("daybook.lock.wait")
    sealTime = timer("daybook.seal.time")
    sealed = counter("daybook.segments.sealed", [("how", "rewritten")])
    sealedInPlace = counter("daybook.segments.sealed", [("how", "in_place")])
    sealsFailed = counter("daybook.seals.failed")
    tornTails = counter("daybook.torn_tails")
    damaged = counter("daybook.damage")
    failures = counter("daybook.write.failures")
  }

  /// A telemetry that discards all messages and metrics.
  package static let silent = LogTelemetry(
    logger: Logger(label: "daybook") { _ in SwiftLogNoOpLogHandler() },
    metrics: NOOPMetricsHandler.instance)

  // MARK: - Writing

  func synced(_ time: Duration, through end: LogPosition) {
    syncTime.record(duration: time)
    logger.trace("the log is durable", metadata: Self.place(end.segment, end.offset))
  }

  func lockTaken(after time: Duration) {
    lockTime.record(duration: time)
    guard time > patience else { return }
    logger.warning(
      "the commit lock was waited for: another process writes much, or slowly",
      metadata: ["seconds": "\(Self.seconds(time))"])
  }

  func lockFileReplaced() {
    logger.notice(
      """
      the lock file was removed or replaced by another program; no harm is done, but keep such \
      programs away from the store
      """
    )
  }

  func began(_ segment: UInt64) {
    logger.debug("a segment was begun", metadata: ["segment": "\(segment)"])
  }

  func poisoned(_ error: LogError) {
    failures.increment()
    logger.error(
      "writing the log failed: nothing more is written until the store is opened again",
      metadata: Self.metadata(error))
  }

  // MARK: - Sealing

  /// Records the outcome of a seal.
  ///
  /// - Parameter bytes: the size of the segment before and after.
  func sealed(_ segment: UInt64, _ outcome: SealOutcome, bytes: (UInt64, UInt64), _ time: Duration)
  {
    switch outcome {
    case .nothing: return
    case .rewritten:
      sealed.increment()
      sealTime.record(duration: time)
      logger.info(
        "a segment was sealed",
        metadata: [
          "segment": "\(segment)", "bytes_before": "\(bytes.0)", "bytes": "\(bytes.1)",
          "seconds": "\(Self.seconds(time))",
        ])
    case .inPlace(let error):
      sealedInPlace.increment()
      sealTime.record(duration: time)
      logger.warning(
        "a segment was sealed as it was, since writing it anew failed",
        metadata: Self.metadata(error).merging(["segment": "\(segment)"]) { $1 })
    case .failed(let error):
      sealsFailed.increment()
      logger.error(
        "a segment could not be sealed, which loses nothing",
        metadata: Self.metadata(error).merging(["segment": "\(segment)"]) { $1 })
    }
  }

  // MARK: - Findings

  /// Reports what recovery repaired; damage is reported by ``found(_:)``.
  func recovered(_ report: RecoveryReport) {
    if let tail = report.tornTail { cut(tail, isAmbiguous: report.isAmbiguous) }
    if report.completedEvents > 0 {
      logger.notice(
        "events that were whole and not yet durable are durable now",
        metadata: ["events": "\(report.completedEvents)"])
    }
    if report.recoveredFromFailure {
      logger.notice("an earlier failure to write was put right")
    }
    for note in report.notes { logger.notice("\(note)") }
  }

  /// Reports a torn tail that was cut, or one that a reader ignores because it must not cut it.
  func cut(_ tail: RecoveryReport.TornTail, isAmbiguous: Bool = false) {
    var metadata = Self.place(tail.segment, tail.offset)
    metadata["bytes"] = "\(tail.bytes)"
    guard let copy = tail.copy else {
      logger.debug("what lies behind the durable end is passed over", metadata: metadata)
      return
    }
    tornTails.increment()
    metadata["copy"] = "\(copy)"
    if isAmbiguous {
      logger.warning(
        "a tail was cut off that may have been acknowledged: the store takes a new identity",
        metadata: metadata)
    } else {
      logger.notice("a torn tail, never acknowledged, was cut off", metadata: metadata)
    }
  }

  /// The largest number of findings that are logged one by one; of further ones, only the number
  /// is.
  private static let findingsMax = 16

  func found(_ findings: [LogFinding]) {
    guard !findings.isEmpty else { return }
    damaged.increment(by: findings.count)
    for finding in findings.prefix(Self.findingsMax) {
      var metadata: Logger.Metadata = [:]
      if let segment = finding.segment { metadata["segment"] = "\(segment)" }
      if let offset = finding.offset { metadata["offset"] = "\(offset)" }
      if let events = finding.events {
        metadata["origin"] = "\(events.origin)"
        metadata["from"] = "\(events.sequences.lowerBound)"
        metadata["through"] = "\(events.sequences.upperBound)"
      }
      logger.error("the log is damaged: \(finding.message)", metadata: metadata)
    }
    guard findings.count > Self.findingsMax else { return }
    logger.error(
      "the log is damaged in more places", metadata: ["findings": "\(findings.count)"])
  }

  // MARK: - Metadata

  private static func place(_ segment: UInt64, _ offset: UInt64) -> Logger.Metadata {
    ["segment": "\(segment)", "offset": "\(offset)"]
  }

  package static func metadata(_ error: LogError) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["code": "\(error.code)", "error": "\(error.message)"]
    if let segment = error.segment { metadata["segment"] = "\(segment)" }
    if let offset = error.offset { metadata["offset"] = "\(offset)" }
    if let cause = error.cause { metadata["cause"] = "\(cause)" }
    return metadata
  }

  /// Returns a time in seconds, rounded to milliseconds.
  package static func seconds(_ time: Duration) -> Double {
    ((time / .milliseconds(1)).rounded()) / 1000
  }
}

extension Timer {
  /// Records a duration; swift-metrics has such a method, but not on every platform.
  package func record(duration: Duration) {
    recordNanoseconds(duration.wholeNanoseconds)
  }
}
