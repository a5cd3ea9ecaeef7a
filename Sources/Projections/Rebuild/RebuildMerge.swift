import Foundation

/// A row source that merges sorted runs on a thread of its own, a few blocks ahead of its reader.
/// The reader runs on a connection's thread, which SQLite keeps busy.
final class RebuildMerge: RowSource {
  private let blocks: Blocks
  private var block: RebuildBuffer?
  /// The offsets of the current record and of the one after it.
  private var offset = 0
  private var following = 0

  init(_ merge: RebuildRuns.Merge) {
    let blocks = Blocks()
    self.blocks = blocks
    // Handed over for good: only the new thread uses it.
    nonisolated(unsafe) let merge = merge
    let thread = Thread { blocks.fill(from: merge) }
    thread.stackSize = 1 << 20
    thread.start()
  }

  deinit { blocks.cancel() }

  override func next() throws -> Bool {
    if block.map({ following >= $0.count }) ?? true {
      block = try blocks.take(giving: block)
      following = 0
    }
    guard let block else { return false }
    offset = following
    following += KeyRecord(bytes: block.bytes, offset: offset).size
    return true
  }

  override func column(_ column: Int, _ result: RowResult) {
    guard let block else { return }
    KeyRecord(bytes: block.bytes, offset: offset).column(column, result)
  }

  /// Full blocks on their way to the reader, and empty ones on their way back.
  private final class Blocks: @unchecked Sendable {
    private let condition = NSCondition()
    private var full: [RebuildBuffer] = []
    private var empty = (0..<4).map { _ in RebuildBuffer(capacity: blockBytes + blockBytes / 4) }
    private var isDone = false
    private var isCancelled = false
    private var failure: ProjectionError?

    private static let blockBytes = 1 << 18

    // MARK: - The merging thread

    func fill(from merge: RebuildRuns.Merge) {
      var caught: ProjectionError?
      do throws(ProjectionError) {
        var block = emptied()
        while let into = block, let record = try merge.next() {
          into.append(record.whole)
          if into.count >= Self.blockBytes {
            hand(into)
            block = emptied()
          }
        }
        if let block, block.count > 0 { hand(block) }
      } catch { caught = error }
      condition.withLock {
        failure = caught
        isDone = true
        condition.signal()
      }
    }

    private func hand(_ block: RebuildBuffer) {
      condition.withLock {
        full.append(block)
        condition.signal()
      }
    }

    /// Waits for an empty block; nil once canceled.
    private func emptied() -> RebuildBuffer? {
      condition.lock()
      defer { condition.unlock() }
      while empty.isEmpty, !isCancelled { condition.wait() }
      return isCancelled ? nil : empty.removeLast()
    }

    // MARK: - The reading thread

    /// Waits for the next full block; nil at the end.
    /// - Parameter read: the previous block, to be used again.
    /// - Throws: the error that ended the merge.
    func take(giving read: RebuildBuffer?) throws(ProjectionError) -> RebuildBuffer? {
      condition.lock()
      defer { condition.unlock() }
      if let read {
        read.truncate(to: 0)
        empty.append(read)
        condition.signal()
      }
      while full.isEmpty, !isDone { condition.wait() }
      if !full.isEmpty { return full.removeFirst() }
      if let failure { throw failure }
      return nil
    }

    func cancel() {
      condition.withLock {
        isCancelled = true
        condition.signal()
      }
    }
  }
}
