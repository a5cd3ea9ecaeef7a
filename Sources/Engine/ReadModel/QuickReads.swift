import Dispatch
import Foundation
import GRDB
import GRDBSQLite

/// Short reads on the thread of their caller, which never wait.
///
/// To hand a read over to another thread and its result back takes many times as long as a look-up.
/// So a store has one more connection for look-ups, which one caller at a time uses. A reader of a
/// write-ahead log waits for no writer. If the connection is in use, if a read takes more than
/// about a millisecond, or if anything goes wrong, the caller reads on another thread instead.
final class QuickReads: @unchecked Sendable {
  /// The number of SQLite's virtual machine instructions between two looks at the budget.
  private static let instructions: Int32 = 1000
  /// The looks after which a read is given up.
  private static let looksMax = 10

  private enum State {
    case new, opening, closed
    case open(DatabaseQueue)
  }

  /// The looks of the read that is running.
  private final class Budget {
    var looks = 0
  }

  private let lock = NSLock()
  private let open: @Sendable () throws -> DatabaseQueue?
  private var state = State.new
  /// Entered while the connection is being opened.
  private let opening = DispatchGroup()
  private let budget = Budget()

  /// - Parameter open: opens the connection, whose statements must not wait for locks; nil if there
  ///   can be none.
  init(_ open: @escaping @Sendable () throws -> DatabaseQueue?) { self.open = open }

  /// Reads one snapshot.
  /// - Parameter isSingle: whether `body` runs one statement only, which needs no transaction.
  /// - Returns: nil if the read has to be made on another thread.
  func attempt<T>(isSingle: Bool, _ body: (Database) throws -> T) -> T? {
    guard !Task.isCancelled, lock.try() else { return nil }
    defer { lock.unlock() }
    switch state {
    case .opening, .closed: return nil
    case .new:
      state = .opening
      opening.enter()
      Blocking.start { [self] in
        finishOpening(try? open())
        opening.leave()
      }
      return nil
    case .open(let queue):
      budget.looks = 0
      return isSingle ? try? queue.unsafeRead(body) : try? queue.read(body)
    }
  }

  private func finishOpening(_ queue: DatabaseQueue?) {
    lock.lock()
    defer { lock.unlock() }
    guard case .opening = state, let queue else { return close(queue) }
    let budget = budget
    queue.unsafeRead { db in
      guard let connection = db.sqliteConnection else { return }
      sqlite3_progress_handler(
        connection, Self.instructions,
        { pointer in
          guard let pointer else { return 0 }
          let budget = Unmanaged<Budget>.fromOpaque(pointer).takeUnretainedValue()
          budget.looks += 1
          return budget.looks > QuickReads.looksMax ? 1 : 0
        }, Unmanaged.passUnretained(budget).toOpaque())
    }
    state = .open(queue)
  }

  private func close(_ queue: DatabaseQueue?) { try? queue?.close() }

  /// Closes the connection, also one that is being opened: a connection that only reads leaves
  /// SQLite's files behind if it is the last one to close. A read that is running ends before.
  func close() {
    lock.lock()
    if case .open(let queue) = state { close(queue) }
    state = .closed
    lock.unlock()
    opening.wait()
  }
}
