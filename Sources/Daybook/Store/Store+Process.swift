import Projections

extension Store {
  /// Sets SQLite up for Daybook in the whole process: it keeps no count of the memory that it takes,
  /// which it guards with one lock for all connections, so that threads no longer wait for each
  /// other's allocations. A rebuild, which works on three threads, gains most. `sqlite3_memory_used`
  /// and SQLite's soft heap limit do not work then.
  ///
  /// To be called first thing in a program, before anything uses SQLite; nothing depends on it.
  /// - Returns: false where it is too late.
  @discardableResult
  public static func tuneProcess() -> Bool { CheckedFile.tuneProcess() }
}
