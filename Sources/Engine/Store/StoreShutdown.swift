import DaybookEventCore
import DaybookLocks
import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB

/// Closes the parts of a store: when it is closed, or when nothing uses it any more.
///
/// It has the parts without the store, so that it can outlive it.
final class StoreShutdown: Sendable {
  /// The parts that each store has.
  struct Parts: Sendable {
    let url: URL
    let options: EngineOptions
    let changes: ChangeFeed
    let reads: Reads
    let telemetry: StoreTelemetry
  }

  enum Kind: Sendable {
    /// A store with a log of its own.
    case store(thread: CommitThread<StoreJob>?, log: EventLog, watch: LogWatch, gate: StoreGate)
    /// The past of another store, to which the log belongs; its read model is in a file that goes.
    case past(file: String)
  }

  private let parts: Parts
  private let kind: Kind
  /// Whether the store's folder goes when the store is closed.
  private let isTemporary = Mutex(false)
  private let isBegun = Mutex(false)

  init(_ parts: Parts, _ kind: Kind) {
    self.parts = parts
    self.kind = kind
  }

  /// Has the store's folder go when the store is closed.
  func makeTemporary() { isTemporary.withLock { $0 = true } }

  /// Closes the store on the calling thread, which may block.
  func close() throws {
    isBegun.withLock { $0 = true }
    try closeParts()
    if isTemporary.withLock { $0 } {
      try FileManager.default.removeItem(at: parts.url)
    }
  }

  /// Begins to close the store on another thread, unless it was closed.
  ///
  /// The calling thread may be any, also that on which the store writes.
  func begin() {
    let isFirst = isBegun.withLock { isBegun in
      defer { isBegun = true }
      return !isBegun
    }
    guard isFirst else { return }
    Blocking.start { [self] in
      do { try close() } catch { parts.telemetry.closingFailed(error) }
    }
  }

  private func closeParts() throws {
    // Loops over live values end first: a read that is refused then is their end, and no error.
    parts.changes.close()
    parts.reads.close()
    switch kind {
    case .past(let file):
      // The log stays open, because it belongs to the other store.
      try parts.reads.reader.close()
      try StoreFiles.removeReadModel(file)
    case .store(let thread, let log, let watch, let gate):
      watch.close()
      if let thread {
        let outcome = Awaited<Bool>()
        let last = StoreJob.inspection { engine in
          outcome.set(Result { try StoreError.surfacing { try engine.close() } })
        }
        if thread.stop(after: last), try outcome.wait() { return try closeAgain(gate) }
      } else {
        try StoreError.surfacing {
          try parts.reads.reader.close()
          try log.close()
        }
      }
      gate.release()
      parts.telemetry.closed()
    }
  }

  /// Opens the store again to build the read model that was deferred, and closes it.
  private func closeAgain(_ gate: StoreGate) throws {
    gate.release()
    var options = parts.options
    options.defersProjection = false
    do {
      let parts = try StoreOpening(url: parts.url, options: options).open()
      defer { parts.gate.release() }
      _ = try parts.engine?.close()
    } catch {
      throw StoreError.orNoSpace(
        error, "all that was written is in the log, and there is no room for the read model",
        in: parts.url, FileManager.default.temporaryDirectory)
    }
    parts.telemetry.closed()
  }
}
