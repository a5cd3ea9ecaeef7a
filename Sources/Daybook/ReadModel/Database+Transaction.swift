import GRDB

extension Database {
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
