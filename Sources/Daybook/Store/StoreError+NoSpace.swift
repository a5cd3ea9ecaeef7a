import Foundation
import GRDB
import LogEngine
import Projections

extension StoreError {
  /// ``Code/noSpace`` where at the bottom of `error` is a full disk, whichever layer met it; else
  /// ``Code/ioFailed`` for what Foundation could not do with a file, and any other error itself.
  /// - Parameters:
  ///   - outcome: what that means for what was asked: "the transaction was not written".
  ///   - folders: where room is needed.
  static func orNoSpace(_ error: any Error, _ outcome: String, in folders: URL...) -> any Error {
    guard isNoSpace(error) else { return orFailed(error, outcome, in: folders[0]) }
    if let error = error as? StoreError, error.hint != nil { return error }
    let paths = folders.map { ($0.path(percentEncoded: false) as NSString).standardizingPath }
    let places = paths.map { "“\($0)”" }.joined(separator: " or ")
    return StoreError(
      .noSpace, "the disk is full: \(outcome)",
      hint: "Free some space in \(places), and try again")
  }

  private static func orFailed(_ error: any Error, _ outcome: String, in folder: URL) -> any Error {
    guard let error = error as? CocoaError else { return error }
    let below = error.underlying as NSError?
    let isSystem = below?.domain == NSPOSIXErrorDomain
    let cause = isSystem ? String(cString: strerror(Int32(below?.code ?? 0))) : "no reason given"
    let path = error.filePath ?? error.url?.path(percentEncoded: false)
    let place = ((path ?? folder.path(percentEncoded: false)) as NSString).standardizingPath
    return StoreError(
      .ioFailed, "“\(place)” cannot be read or written: \(cause); \(outcome)",
      hint: "Check the disk and the permissions of the store's folder")
  }

  /// What an error says, whichever layer it is of, in a part of a sentence.
  static func words(_ error: any Error) -> String {
    switch error {
    case let error as DatabaseError: error.message ?? "\(error.resultCode)"
    case let error as ProjectionError: error.message
    case let error as LogError: error.message
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
      // SQLite could not make its shared-memory file as long as it has to be.
      return error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
    case let error as CocoaError where error.code == .fileWriteOutOfSpace: return true
    default:
      let error = error as NSError
      if error.domain == NSPOSIXErrorDomain { return error.code == ENOSPC || error.code == EDQUOT }
      return (error.userInfo[NSUnderlyingErrorKey] as? any Error).map(isNoSpace) ?? false
    }
  }
}
