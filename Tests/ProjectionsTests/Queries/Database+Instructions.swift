import GRDB
import GRDBSQLite

extension Database {
  /// Counts the instructions of SQLite's virtual machine that some work takes.
  func instructions(of body: () throws -> Void) rethrows -> Int {
    final class Counter { var count = 0 }
    let counter = Counter()
    sqlite3_progress_handler(
      sqliteConnection, 1,
      { context in
        guard let context else { return 0 }
        Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().count += 1
        return 0
      }, Unmanaged.passUnretained(counter).toOpaque())
    defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
    try body()
    return counter.count
  }
}
