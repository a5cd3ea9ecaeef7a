package import DaybookEventCore
package import DaybookFrames

/// An error of the log: a code, one clear sentence, the place, the cause, and what to
/// do next.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// The operating system could not read or write.
    case ioFailed
    /// The disk is full.
    ///
    /// Nothing is broken; free some space and try again.
    case noSpace
    /// Another process holds the commit lock, or this log holds it already.
    case locked
    /// Another program moved, removed or replaced a folder in use, so that its lock excludes no
    /// process.
    case replaced
    /// The call needs the commit lock.
    case notLocked
    /// The log was opened for reading only.
    case readOnly
    /// Bytes that were durable are not what was written.
    case damaged
    /// A write or fsync failed: what the disk holds is uncertain until the log is opened again.
    case poisoned
    /// The log was closed.
    case closed
    /// The data was written by a later version of this software.
    case newerFormat
    /// The frame is compressed with a codec that this version does not know.
    case unknownCodec
    /// There is no such file or event.
    case notFound
    /// The log holds some of the events already, or they are not consecutive.
    case notContiguous
    /// The events are of a private origin but come from another replica.
    case privateOrigin
    /// The data is larger than the format allows.
    case tooLarge
    /// The bytes, which came from elsewhere, are no valid frame.
    case malformed
  }

  /// The kind of the error.
  public var code: Code
  /// The problem, in one sentence.
  public var message: String
  /// The number of the segment, if known.
  public var segment: UInt64?
  /// The offset in the segment, if known.
  public var offset: UInt64?
  /// The remedy: what to do next.
  public var hint: String?
  /// The message of the layer below.
  public var cause: String?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, segment: UInt64? = nil, offset: UInt64? = nil,
    hint: String? = nil, cause: String? = nil
  ) {
    self.code = code
    self.message = message
    self.segment = segment
    self.offset = offset
    self.hint = hint
    self.cause = cause
  }

  public var description: String { text(hintAfter: " — ") }

  /// Returns the error with its place added, unless it has one already.
  package func at(segment: UInt64, offset: UInt64? = nil) -> LogError {
    var error = self
    error.segment = error.segment ?? segment
    error.offset = error.offset ?? offset
    return error
  }

  package static func damaged(
    _ message: String, segment: UInt64? = nil, offset: UInt64? = nil
  ) -> LogError {
    LogError(
      .damaged, message, segment: segment, offset: offset,
      hint: "fetch the events from a backup or another store with `evtool repair --from`")
  }
}

extension LogError: ExplainedError {
  package var place: String? {
    segment.map { segment in
      offset.map { "(segment \(segment), offset \($0))" } ?? "(segment \(segment))"
    }
  }
  package var causeText: String? { cause }
}

// MARK: - Frames

extension LogError {
  /// Makes the error of a frame in the log one of the log.
  package init(_ error: FrameError) {
    let code: Code =
      switch error.code {
      case .malformed: .malformed
      case .tooLarge: .tooLarge
      case .newerFormat: .newerFormat
      case .unknownCodec: .unknownCodec
      }
    self.init(code, error.message, hint: error.hint, cause: error.cause)
  }

  /// Runs `body`, which reads or makes a frame, and throws its error as one of the log.
  package static func ofFrames<T>(_ body: () throws(FrameError) -> T) throws(LogError) -> T {
    do { return try body() } catch { throw LogError(error) }
  }
}
