import DaybookEngine
public import Foundation

extension Store {
  /// Makes a consistent copy of a store's log in a folder, or updates an earlier backup there.
  /// Other processes may write to the store meanwhile. The backup holds the events that were
  /// durable when it began.
  ///
  /// The private key is left out, so that the backup cannot be used to write as this replica. The
  /// read model is left out too, because it is rebuilt from the log. Each sealed segment is copied
  /// only once. If a backup is interrupted at any point, the folder still holds the previous
  /// backup.
  ///
  /// Existing copies are read, and a damaged copy is made again.
  ///
  /// Cost: writes what was added since the last backup in that folder, and reads the whole backup.
  /// - Parameters:
  ///   - url: the store's folder.
  ///   - target: a folder that is new, empty, or holds an earlier backup of this store.
  ///   - progress: called with the number of bytes copied and the number to copy.
  /// - Returns: what the backup holds, and what was copied.
  /// - Throws: ``StoreError`` `notAStore`; `damaged` if the log or the earlier backup's manifest is
  ///   damaged; `alreadyExists` if the folder holds anything else, including a backup with events
  ///   that this store lacks; `noSpace`, `ioFailed`.
  public static func backup(
    at url: URL, to target: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.BackupReport {
    try await Blocking.surfacing {
      do { return try BackupWriter(store: url, target: target).run(progress) } catch {
        throw StoreError.orNoSpace(error, "the backup that was there before stays", in: target)
      }
    }
  }

  /// Reads every byte of a backup and reports whether it is intact. Changes nothing.
  /// - Parameters:
  ///   - backup: the backup's folder.
  ///   - progress: called with the number of bytes read and the number to read.
  /// - Returns: what the backup holds, and what is wrong with it.
  /// - Throws: ``StoreError`` `notAStore` if there is no backup, `damaged` if its manifest is
  ///   damaged, `newerFormat`, `ioFailed`.
  public static func verify(
    backup: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.BackupVerification {
    try await Blocking.surfacing { try BackupVerifier(folder: backup).run(progress) }
  }

  /// Creates a store from a backup, in a new or empty folder. The backup is fully checked before
  /// the call returns. The new store takes a new identity with its first write, because the
  /// original store may still be in use.
  /// - Parameters:
  ///   - backup: the backup's folder, which is not changed.
  ///   - url: the folder of the new store.
  ///   - options: the options for building its read model, such as the logger.
  ///   - progress: called with the number of bytes copied and the number to copy.
  /// - Returns: what the backup holds, and what was copied.
  /// - Throws: ``StoreError`` `notAStore` if there is no backup, `damaged` if it is damaged,
  ///   `newerFormat`, `alreadyExists`, `noSpace`, `ioFailed`. Then no store is left in the folder.
  public static func restore(
    backup: URL, to url: URL, options: Options = Options(),
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.BackupReport {
    try await Blocking.surfacing {
      do {
        return try BackupReader(folder: backup, store: url, options: options.engine).run(progress)
      } catch {
        throw StoreError.orNoSpace(error, "no store was made", in: url.deletingLastPathComponent())
      }
    }
  }
}
