import DaybookCSystemCalls
import DaybookDisk
import DaybookLocks
import DaybookProjections
import Dispatch
import Foundation
import GRDBSQLite

/// Moves the write-ahead log into the read model's file, so that it begins again from its start.
///
/// A thread of its own moves it while writes continue, until the rest that they have added is
/// small. The writer moves that rest between two transactions, because only a log that is wholly
/// moved begins again. A log that grows instead makes each commit twice as expensive: a file system
/// must clear every new block.
///
/// The data goes to the disk in small pieces. The fsync of a commit, which the disk serves after
/// them, then waits for one piece and not for megabytes.
final class WALCheckpointer: Sendable {
  private enum Step { case idle, moving, moved }

  private let path: String
  private let telemetry: StoreTelemetry
  private let queue = DispatchQueue(label: "daybook.wal-checkpoint", qos: .utility)
  private let step = Mutex(Step.idle)
  /// The number of pages in the write-ahead log after the last commit.
  ///
  /// The size of the file would not do: it stays when the log begins again.
  private let pages = Mutex<Int>(0)
  /// The number of pages at which moving the log begins.
  ///
  /// It is higher if a reader has held up the last attempt.
  private let due = Mutex<Int>(threshold)

  private static let threshold = 2048
  private static let rounds = 5
  /// The bytes of a piece that is written to the disk at once.
  private static let pace: Int32 = 32 << 10
  /// The number of pages, 64 MiB, from which a log that cannot begin again is worth a warning.
  ///
  /// The next attempt, and so the next warning, follows when the log has grown by ``threshold``
  /// pages more.
  private static let alarming: Int32 = 4 * 4096
  /// The number of pages that may be left for the writer to move.
  private static let rest = 64

  init(path: String, telemetry: StoreTelemetry) {
    self.path = path
    self.telemetry = telemetry
  }

  /// Follows the length of the log through `connection`, the only writer of this process.
  func observe(_ connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let checkpointer = Unmanaged<WALCheckpointer>.fromOpaque(context).takeUnretainedValue()
        checkpointer.pages.withLock { $0 = Int(pages) }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Begins or completes moving the log, if it is long.
  ///
  /// The writer calls this between two transactions.
  func afterCommit(_ connection: () -> OpaquePointer?) {
    switch step.withLock({ $0 }) {
    case .moving: return
    case .idle:
      guard pages.withLock({ $0 }) >= due.withLock({ $0 }) else { return }
      telemetry.observed(walPages: pages.withLock { $0 })
      step.withLock { $0 = .moving }
      queue.async { [self] in
        let began = ContinuousClock.now
        move()
        telemetry.checkpointed(after: ContinuousClock.now - began)
        step.withLock { $0 = .moved }
      }
    case .moved:
      guard let connection = connection() else { return }
      var (length, moved): (Int32, Int32) = (0, 0)
      let code = sqlite3_wal_checkpoint_v2(
        connection, nil, SQLITE_CHECKPOINT_PASSIVE, &length, &moved)
      let isWhole = code == SQLITE_OK && length == moved
      telemetry.observed(walPages: isWhole ? 0 : Int(length))
      if !isWhole, length >= Self.alarming { telemetry.checkpointFallsBehind(Int(length)) }
      due.withLock { $0 = Self.threshold + (isWhole ? 0 : Int(max(length, 0))) }
      step.withLock { $0 = .idle }
    }
  }

  private func move() {
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
    guard sqlite3_open_v2(CheckedFile.uri(path), &connection, flags, nil) == SQLITE_OK,
      // Before its first read, a connection does not know that there is a log, and would move
      // nothing.
      sqlite3_exec(connection, "SELECT 1 FROM sqlite_schema", nil, nil, nil) == SQLITE_OK
    else { return }
    if let connection { CheckedFile.pace(connection, bytes: Self.pace) }
    writeOut()
    // Each round has less to move than the one before, unless a reader holds it up.
    for _ in 0..<Self.rounds {
      var moved: Int32 = 0
      let code = sqlite3_wal_checkpoint_v2(
        connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
      guard code == SQLITE_OK, pages.withLock { $0 } - Int(moved) > Self.rest else {
        return
      }
    }
  }

  /// Writes the log's pages to the disk, piece by piece, before they are moved.
  ///
  /// Moving begins with an fsync of the log. A commit that needs the disk meanwhile would wait for
  /// all of it.
  private func writeOut() {
    guard let file = try? SystemCalls.open(path + "-wal", .read) else { return }
    defer { SystemCalls.close(file) }
    guard let bytes = try? SystemCalls.size(file) else { return }
    let (size, piece) = (Int64(clamping: bytes), Int64(Self.pace))
    for offset in stride(from: 0, to: size, by: Int(piece)) {
      daybook_write_out(file, offset, piece)
    }
  }

  /// Waits for a move that is running, and detaches from `connection`.
  func finish(_ connection: OpaquePointer) {
    sqlite3_wal_hook(connection, nil, nil)
    queue.sync {}
  }
}
