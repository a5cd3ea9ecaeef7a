import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookFrames
import DaybookHubServer
import DaybookInterchange
import DaybookLogEngine
import DaybookProjections
import DaybookReplication
import GRDB

/// The exit statuses of a command, for scripts.
enum ExitStatus: Int32 {
  /// A problem was found, or nothing was found.
  case problem = 1
  /// The command or its input is wrong, or the store cannot be used in this way.
  case usage = 2
  case damaged = 3
  case interrupted = 130
}

/// The end of a command that failed: one sentence, a hint, and an exit status.
struct Failure: Error {
  var status: ExitStatus
  /// The message; empty if the output already says why.
  var message: String
  var hint: String?

  init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// Returns a failure without a message, for a command whose output already says why.
  static func silent(_ status: ExitStatus) -> Failure { Failure(status, "") }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as StoreError: self.init(error)
    case let error as LogError: self.init(error)
    case let error as FrameError: self.init(LogError(error))
    case let error as ProjectionError:
      self.init(error.code == .damagedReadModel ? .damaged : .usage, error)
    case let error as HubError: self.init(error.code == .damaged ? .damaged : .usage, error)
    case let error as SyncError:
      let mayPass = [.unreachable, .unavailable, .interrupted].contains(error.code)
      self.init(mayPass ? .problem : .usage, error)
    case let error as EventError: self.init(.damaged, "an event cannot be read: \(error)")
    case let error as InterchangeError: self.init(.usage, error.description)
    case let error as DatabaseError: self.init(error)
    case let code as ExitCode: self.init(ExitStatus(rawValue: code.rawValue) ?? .usage, "")
    default: self.init(.usage, "\(error)")
    }
  }

  private init(_ error: StoreError) {
    // The layer that met the error knows best what it means. A full disk concerns all layers.
    if error.code != .noSpace, let cause = error.cause {
      self.init(cause)
    } else {
      self.init(error.code == .damaged ? .damaged : .usage, error)
    }
  }

  private init(_ status: ExitStatus, _ error: some ExplainedError) {
    self.init(status, error.explanation, hint: error.hint)
  }

  private init(_ error: LogError) {
    let isDamage = error.code == .damaged || error.code == .poisoned || error.code == .unknownCodec
    self.init(isDamage ? .damaged : .usage, error)
  }

  private init(_ error: DatabaseError) {
    guard error.resultCode != .SQLITE_FULL else {
      self.init(
        .usage, "the disk is full, where SQLite keeps its temporary files or the store is",
        hint: "Free some space, or set TMPDIR to a folder that has some, and try again")
      return
    }
    let isDamage =
      error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
    let words = error.message ?? "\(error.resultCode)"
    self.init(
      isDamage ? .damaged : .usage, "SQLite says: \(words)",
      hint: isDamage ? "Make the read model again from the log, with `evtool rebuild`" : nil)
  }

  /// Reports the failure on the error stream, and returns the exit status.
  func report() -> Int32 {
    if !message.isEmpty {
      StandardError.line("evtool: \(Text.oneLine(message))")
      if let hint { StandardError.line("  \(hint)") }
    }
    return status.rawValue
  }
}
