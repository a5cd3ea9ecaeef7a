import GRDB

extension Database {
  /// Reads one state of the database, whatever other processes write meanwhile.
  ///
  /// - Throws: what `body` throws, and errors of SQLite.
  func reading<T>(_ body: () throws -> T) throws -> T {
    try beginTransaction(.deferred)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      if isInsideTransaction { try? rollback() }
      throw error
    }
  }

  /// Checks that SQLite still has the transaction of the read model.
  ///
  /// SQLite rolls a transaction back by itself after a full disk, an I/O error or lack of memory.
  /// Each later statement would then be durable on its own.
  func requireTransaction() throws(StoreError) {
    guard isInsideTransaction else {
      throw StoreError(
        .ioFailed, "SQLite has taken the transaction back",
        hint: "Check the disk that the store is on, and write again")
    }
  }
}
