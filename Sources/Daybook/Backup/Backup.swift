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

/// What verifying a backup found.
public struct BackupVerification: Hashable, Sendable {
  /// When it was made, in ISO 8601.
  public var made: String
  /// Events in the backup, if it is sound.
  public var events: UInt64
  public var segments: Int
  /// Of the log, in the backup.
  public var bytes: UInt64
  /// What is wrong, in sentences; empty if all of it is what was written.
  public var findings: [String] = []

  public var isSound: Bool { findings.isEmpty }
}

extension Store {
  /// Makes a consistent copy of a store's log in a folder, or brings an earlier one there up to date.
  /// Others may write to the store meanwhile: the copy ends where it was durable at the beginning.
  ///
  /// The private key is left out, so nobody can write as this replica from it; so is the read model,
  /// which is made from the log. Sealed segments are copied once. Cut off at any point, the folder
  /// holds the backup that was there before.
  ///
  /// Copies that are there are read, and one that is not what was written is made again.
  ///
  /// Cost: writes what has been added since the last backup to that folder, and reads all of the backup.
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

  /// Reads every byte of a backup, and says whether all of it is what was written. Changes nothing.
  /// - Parameters:
  ///   - backup: the backup's folder.
  ///   - progress: bytes read, and bytes to read.
  /// - Throws: ``StoreError`` `notAStore` if there is no backup, `damaged` if what it says of itself is not
  ///   what was written, `newerFormat`, `ioFailed`; `LogError` `ioFailed`.
  public static func verify(
    backup: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> BackupVerification {
    try await Blocking.run { try BackupVerifier(folder: backup).run(progress) }
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
