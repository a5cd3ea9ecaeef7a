import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import GRDB

/// What a request could not do: a status of HTTP, a code for programs, and for people what happened
/// and what to do next.
struct APIFailure: Error {
  var status: Int
  var code: String
  var message: String
  var cure: String?
  /// The methods that the address takes, if the request had another.
  var allowed: [String] = []

  init(_ status: Int, _ code: String, _ message: String, cure: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.cure = cure
  }

  /// Makes the failure of an error of the store, of SQL or of a call.
  init(_ error: any Error) {
    switch error {
    case let failure as APIFailure: self = failure
    case let failure as CallFailure:
      self.init(400, "badCall", failure.message, cure: failure.cure)
    case let error as StoreError:
      self.init(
        Self.status(error.code), error.code.rawValue, error.message,
        cure: error.hint ?? Self.cure(error.code))
    case is CancellationError: self.init(503, "cancelled", "the request was cancelled")
    case let error as DatabaseError
    where error.resultCode == .SQLITE_NOTADB
      || error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_IOERR:
      self.init(
        500, "damagedReadModel", "the read model cannot be read: \(error.message ?? "damaged")",
        cure: "Make it again with `evtool rebuild`")
    case let error as DatabaseError:
      self.init(400, "badCall", "SQL: \(error.message ?? "\(error.resultCode)")")
    case let error as any ExplainedError:
      self.init(500, "failed", error.explanation, cure: error.hint)
    default: self.init(500, "failed", "\(error)")
    }
  }

  private static func status(_ code: StoreError.Code) -> Int {
    switch code {
    case .readOnly: 403
    case .staleConflict, .versionMismatch, .undoBlocked, .valueTaken, .wouldLoop, .entityExists,
      .contradiction, .fieldClash:
      409
    case .noSuchEntity: 404
    case .closed, .replaced, .notAStore: 410
    case .locked, .poisoned: 503
    case .noSpace: 507
    case .damaged, .damagedReadModel, .ioFailed, .newerFormat, .other: 500
    case .syncFailed: 502
    case .tooLarge: 413
    default: 400
    }
  }

  private static func cure(_ code: StoreError.Code) -> String? {
    switch code {
    case .closed, .replaced, .notAStore:
      "The store was moved, removed or replaced: start the inspector again where it is now"
    case .damaged: "`evtool verify` says what is damaged, and `evtool repair` mends it"
    default: nil
    }
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.value(
      .object([
        ("code", .text(code)), ("message", .text(message)),
        ("cure", cure.map { .text($0) } ?? .null),
      ]))
    return writer.bytes
  }
}
