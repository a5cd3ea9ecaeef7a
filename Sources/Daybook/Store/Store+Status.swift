import DaybookEngine
import DaybookProjections
public import Foundation
import GRDB

extension Store {
  /// Returns the health of this store, its sizes and its counts.
  ///
  /// Cost: counts the rows of every table.
  public func status() async throws -> Store.Status {
    try await core.status()
  }

  /// Returns the health of a store that may be closed, damaged, read-only, or in use by other
  /// processes.
  ///
  /// The store is only looked at: nothing is recovered, locked, waited for or changed.
  ///
  /// Cost: three small reads for each sealed segment, reading the active one, and counting the rows
  /// of every table.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` (the identity, or no log at
  ///   all), `noSpace` (SQLite needs a little room to read) or `ioFailed` if a file of
  ///   the log cannot be read. Other damage is not thrown: it is part of the status.
  public static func status(at url: URL) async throws -> Store.Status {
    try await OpenStore.status(at: url)
  }
}
