package import DaybookEventCore
import DaybookFrames
package import DaybookLogEngine
import Foundation

extension EventLog {
  /// Opens the log in a store's folder for reading only.
  /// - Parameter applied: the events that the read model has applied; see
  ///   ``EventLog/open(storage:lock:options:applied:)``.
  /// - Throws: ``StoreError`` `damaged` if there is no log at all, else `LogError`.
  package static func reading(_ files: StoreFiles, applied: VersionVector? = nil) throws -> EventLog
  {
    var options = EventLog.Options(random: { 0 })
    options.isReadOnly = true
    let storage = FileStorage(folder: files.path)
    let lock = CommitLock(folder: files.path, isReadOnly: true)
    let opened = Result {
      try EventLog.open(storage: storage, lock: lock, options: options, applied: applied)
    }
    switch opened {
    case .success(let opened): return opened.log
    case .failure(let error as LogError) where error.code == .notFound:
      throw StoreError(
        .damaged, "a part of the store's log is missing: \(error.message)",
        hint: "Fetch it from a backup or another store with `evtool repair --from`")
    case .failure(let error): throw error
    }
  }
}
