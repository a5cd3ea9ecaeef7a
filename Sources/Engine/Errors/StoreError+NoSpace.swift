import DaybookDisk
import DaybookFrames
import DaybookLogEngine
import DaybookProjections
package import Foundation
import GRDB

extension StoreError {
  /// Turns the error of any layer into the one that the caller sees if a disk is full or a file
  /// fails.
  ///
  /// Gives ``Code/noSpace`` if a full disk is the cause of `error`, whichever layer met it. Gives
  /// ``Code/ioFailed`` if Foundation could not read or write a file. Any other error is surfaced:
  /// see ``surfacing(_:)-(any Error)``.
  /// - Parameters:
  ///   - outcome: the consequence for the call, as a part of a sentence: "the transaction was not
  ///     written".
  ///   - folders: the folders where room is needed; the first one is named if a file fails.
  package static func orNoSpace(_ error: any Error, _ outcome: String, in folders: URL...)
    -> any Error
  {
    guard isNoSpace(error) else { return orFailed(error, outcome, in: folders[0]) }
    // An error without a cause says already what has become of the call.
    if let error = error as? StoreError, error.hint != nil, error.cause == nil { return error }
    let paths = folders.map { ($0.path(percentEncoded: false) as NSString).standardizingPath }
    let places = paths.map { "“\($0)”" }.joined(separator: " or ")
    return StoreError(
      .noSpace, "the disk is full: \(outcome)",
      hint: "Free some space in \(places), and try again")
  }

  private static func orFailed(_ error: any Error, _ outcome: String, in folder: URL) -> any Error {
    guard let error = error as? CocoaError else { return surfacing(error) }
    let below = error.underlying as NSError?
    let isSystem = below?.domain == NSPOSIXErrorDomain
    let cause =
      isSystem
      ? SystemError(Int32(truncatingIfNeeded: below?.code ?? 0)).description : "no reason given"
    let path = error.filePath ?? error.url?.path(percentEncoded: false)
    let place = ((path ?? folder.path(percentEncoded: false)) as NSString).standardizingPath
    return StoreError(
      .ioFailed, "“\(place)” cannot be read or written: \(cause); \(outcome)",
      hint: "Check the disk and the permissions of the store's folder")
  }

  /// Returns the text of an error of any layer, as a part of a sentence.
  package static func words(_ error: any Error) -> String {
    switch error {
    case let error as DatabaseError: error.message ?? "\(error.resultCode)"
    case let error as ProjectionError: error.message
    case let error as LogError: error.message
    case let error as FrameError: error.message
    case let error as StoreError: error.message
    default: "\(error)"
    }
  }

  static func isNoSpace(_ error: any Error) -> Bool {
    switch error {
    case let error as LogError: return error.code == .noSpace
    case let error as ProjectionError: return error.code == .noSpace
    case let error as StoreError: return error.code == .noSpace
    case let error as DatabaseError:
      // SQLite could not extend its shared-memory file.
      return error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
    case let error as CocoaError where error.code == .fileWriteOutOfSpace: return true
    default:
      let error = error as NSError
      if error.domain == NSPOSIXErrorDomain {
        return SystemError(Int32(truncatingIfNeeded: error.code)).isFull
      }
      return (error.userInfo[NSUnderlyingErrorKey] as? any Error).map(isNoSpace) ?? false
    }
  }
}
