package import Foundation

extension OpenStore {
  /// Returns the health of this store, its sizes and its counts.
  ///
  /// Cost: counts the rows of every table.
  package func status() async throws -> StoreStatus {
    let (log, recovery) = (log, recovery)
    let reader = StatusReader(files: files)
    return try await reads.asynchronously { snapshot in
      var status = try reader.status(log, try IdentityFile.read(reader.files), recovery: recovery)
      try StatusReader.count(snapshot.view, snapshot.database, &status)
      return status
    }
  }

  /// Returns the health of a store that may be closed, damaged, read-only, or in use by other
  /// processes.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `noSpace` or `ioFailed`.
  package static func status(at url: URL) async throws -> StoreStatus {
    try await Blocking.run {
      do { return try StatusReader(files: StoreFiles(folder: url)).run() } catch {
        throw StoreError.orNoSpace(
          error, "the read model cannot be looked at, and nothing of it is lost", in: url)
      }
    }
  }
}

extension OpenStore {
  /// Returns the latest incidents, the oldest first.
  /// - Throws: ``StoreError`` if their file cannot be read.
  package func incidents() throws(StoreError) -> [Incident] {
    try IncidentFile.read(files.incidents)
  }
}
