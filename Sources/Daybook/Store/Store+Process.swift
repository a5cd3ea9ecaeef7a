import DaybookProjections

extension Store {
  /// Turns off SQLite's memory accounting for the whole process, which must not use SQLite yet.
  ///
  /// SQLite guards the count of its memory with one lock for all connections. Without the count,
  /// threads no longer wait for each other's allocations. A rebuild, which works on three threads,
  /// gains most. `sqlite3_memory_used` and SQLite's soft heap limit do not work afterwards.
  ///
  /// Call it first in a program, before anything uses SQLite. Nothing in Daybook depends on it.
  /// - Returns: false if SQLite is in use already; nothing has changed then.
  @discardableResult
  public static func tuneProcess() -> Bool { CheckedFile.tuneProcess() }
}
