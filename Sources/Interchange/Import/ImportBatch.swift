import Daybook

/// The content of one event: whole steps, in order.
struct ImportBatch: Sendable {
  var steps: [FileStep] = []
  /// The bytes of the lines in the file. Canonical bytes are usually fewer, and slightly more for
  /// lines that hold mostly numbers.
  var byteCount = 0
  /// Whether the batch is about local collections; nil if it is about no collection, or this is not
  /// determined yet.
  var isLocal: Bool?

  /// The size at which a batch ends, even if more operations are allowed: 8 MiB, half of the most
  /// that an event may have.
  static let bytesMax = 8 << 20

  /// The original event, if the batch repeats one; nil for a new event.
  var event: InterchangeEvent? {
    guard case .event(let event)? = steps.first?.content else { return nil }
    return event
  }

  /// Splits the batch into batches about either local or shared collections. No event may be about
  /// both.
  /// - Parameter scopes: Whether each known collection is local. Definitions in the batch are
  ///   added.
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

  /// Groups consecutive batches of the same kind.
  ///
  /// Batches in one write are stored by kind, and a crash may keep only one kind. Earlier batches
  /// must be durable first, or `--resume` would skip lost lines.
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

/// The steps of a file, in batches.
struct ImportBatches: Sendable {
  private var feed: any ImportFeed
  private let operationsMax: Int
  /// A step that was read and did not fit into the previous batch.
  private var held: FileStep?

  init(_ feed: any ImportFeed, operationsMax: Int) {
    self.feed = feed
    self.operationsMax = operationsMax
  }

  /// Returns the next batch; nil at the end of the file.
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

/// A reader that reads and parses the next batches while the previous ones are being written.
actor ImportReader {
  private var batches: ImportBatches
  /// The error that prevents further batches.
  private var failure: (any Error)?

  init(_ batches: ImportBatches) { self.batches = batches }

  /// The most batches in one write, unless their bytes reach ``ImportBatch/bytesMax`` before.
  private static let batchesMax = 16

  /// Returns the next batches, or none at the end of the file.
  /// - Throws: The error of a line that cannot be read, after the batches before it were returned.
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
