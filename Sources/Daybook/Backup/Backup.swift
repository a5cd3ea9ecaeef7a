public import Foundation

/// What making or restoring a backup did.
public struct BackupReport: Hashable, Sendable {
  /// Events in the backup.
  public var events: UInt64
  public var segments: Int
  /// Of the log, in the backup.
  public var bytes: UInt64
  /// How many segments had to be copied: not those that an earlier backup in that place has.
  public var copied: Int
  public var bytesCopied: UInt64
}

extension Store {
  /// Makes a consistent copy of a store's log in a folder, or brings an earlier one there up to date.
  /// Others may write to the store meanwhile: the copy ends where it was durable at the beginning.
  ///
  /// The private key is left out, so nobody can write as this replica from it; so is the read model,
  /// which is made from the log. Sealed segments are copied once. Cut off at any point, the folder
  /// holds the backup that was there before.
  ///
  /// Cost: reads and writes what has been added since the last backup to that folder.
  /// - Parameters:
  ///   - url: the store's folder.
  ///   - target: a folder that is new, empty, or holds an earlier backup of this store.
  ///   - progress: bytes copied, and bytes to copy.
  /// - Throws: ``StoreError`` `notAStore`; `damaged` where the log is, or the earlier backup's
  ///   manifest; `alreadyExists` where the folder holds something else, also a backup that this store
  ///   does not continue; `noSpace`, `ioFailed`; `LogError`.
  public static func backup(
    at url: URL, to target: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> BackupReport {
    try await Blocking.run {
      do { return try BackupWriter(store: url, target: target).run(progress) } catch {
        throw StoreError.orNoSpace(error, "the backup that was there before stays", in: target)
      }
    }
  }

  /// Makes a store from a backup, in a new or empty folder. Everything is checked before the store
  /// is there. It takes an identity of its own with its first write, since the store that was backed
  /// up may have gone on.
  /// - Parameters:
  ///   - backup: the backup's folder, which stays as it is.
  ///   - url: where to make the store.
  ///   - options: for making its read model: the logger and the like.
  /// - Throws: ``StoreError`` `notAStore` where there is no backup, `damaged` where it is not what was
  ///   written, `newerFormat`, `alreadyExists`, `noSpace`, `ioFailed`. No store is left there then.
  public static func restore(
    backup: URL, to url: URL, options: Options = Options(),
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> BackupReport {
    try await Blocking.run {
      do {
        return try BackupReader(folder: backup, store: url, options: options).run(progress)
      } catch {
        throw StoreError.orNoSpace(error, "no store was made", in: url.deletingLastPathComponent())
      }
    }
  }
}
