import Daybook

/// What becomes one event: whole steps, in order.
struct ImportBatch: Sendable {
  var steps: [ImportStep] = []
  /// Of the lines as they stand in the file. Canonical bytes are fewer, or a little more where a
  /// line holds little but numbers.
  var byteCount = 0
  /// Whether it is about local collections; nil where it is about none, or that was not asked.
  var isLocal: Bool?

  /// Where a batch ends although more operations would be allowed: 8 MiB, half of what an event may
  /// have.
  static let bytesMax = 8 << 20

  /// The event that this is to be again; nil where it is a new one.
  var event: InterchangeEvent? {
    guard case .event(let event)? = steps.first?.content else { return nil }
    return event
  }

  /// The same as batches that are about local collections only, or about shared ones only: no event is
  /// about both.
  func parts(_ scopes: inout [String: Bool]) -> [ImportBatch] {
    var parts: [ImportBatch] = []
    var scope: Bool?
    for step in steps {
      let next = step.isLocal(&scopes) ?? scope
      if parts.isEmpty || (scope != nil && next != scope) { parts.append(ImportBatch()) }
      scope = next
      parts[parts.count - 1].isLocal = next
      parts[parts.count - 1].steps.append(step)
      parts[parts.count - 1].byteCount += step.byteCount
    }
    return parts
  }

  /// Runs of the same kind. What is written together is written by kind, and a crash may leave the one
  /// without the other: what stands before must be durable first, or `--resume` would pass over it.
  static func series(_ batches: [ImportBatch]) -> [[ImportBatch]] {
    var series: [[ImportBatch]] = []
    for batch in batches {
      if series.last?.last?.isLocal == batch.isLocal, !series.isEmpty {
        series[series.count - 1].append(batch)
      } else {
        series.append([batch])
      }
    }
    return series
  }

  var lastLine: Int { steps.last?.lastLine ?? 0 }
  var offset: UInt64 { steps.last?.offset ?? 0 }
}

/// A file's steps, in batches.
struct ImportBatches: Sendable {
  private var feed: any ImportFeed
  private let operationsMax: Int
  /// Read, and too large for the batch before it.
  private var held: ImportStep?

  init(_ feed: any ImportFeed, operationsMax: Int) {
    self.feed = feed
    self.operationsMax = operationsMax
  }

  /// Nil at the end of the file.
  mutating func next() throws -> ImportBatch? {
    var batch = ImportBatch()
    while batch.steps.count < operationsMax {
      guard let step = try held ?? feed.next() else { break }
      held = nil
      guard batch.steps.isEmpty || batch.byteCount + step.byteCount <= ImportBatch.bytesMax else {
        held = step
        break
      }
      batch.steps.append(step)
      batch.byteCount += step.byteCount
    }
    return batch.steps.isEmpty ? nil : batch
  }
}

/// Reads and parses the next batches while the last ones are being written.
actor ImportReader {
  private var batches: ImportBatches
  /// Why there is no further batch.
  private var failure: (any Error)?

  init(_ batches: ImportBatches) { self.batches = batches }

  /// How many batches are written at a time, unless they have ``ImportBatch/bytesMax`` before.
  private static let batchesMax = 16

  /// None at the end of the file.
  /// - Throws: for a line that cannot be read, when the batches before it have been handed over.
  func next() throws -> [ImportBatch] {
    if let failure { throw failure }
    var found: [ImportBatch] = []
    var bytes = 0
    do {
      while found.count < Self.batchesMax, bytes < ImportBatch.bytesMax,
        let batch = try batches.next()
      {
        bytes += batch.byteCount
        found.append(batch)
      }
    } catch {
      guard !found.isEmpty else { throw error }
      failure = error
    }
    return found
  }
}
