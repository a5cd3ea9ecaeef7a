/// What went wrong in the log: code, one clear sentence, where, why, and what to do next.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The operating system could not read or write.
    case ioFailed
    /// The disk is full. Nothing is broken; free some space and try again.
    case noSpace
    /// Someone else holds the commit lock, or this log holds it already.
    case locked
    /// What is in use was moved, removed or replaced by another program: a lock on it excludes nobody.
    case replaced
    /// The call needs the commit lock.
    case notLocked
    case readOnly
    /// Bytes that were durable are not what was written.
    case damaged
    /// A write or fsync failed: what the disk holds is uncertain until the log is opened again.
    case poisoned
    case closed
    /// Written by a later version of this software.
    case newerFormat
    /// A frame compressed in a way that this version does not know.
    case unknownCodec
    case notFound
    /// Events that the log holds already, or that do not follow one another.
    case notContiguous
    /// Events of a private origin that come from elsewhere.
    case privateOrigin
    /// Larger than the format allows.
    case tooLarge
    /// Bytes from elsewhere that are no frame.
    case malformed
  }

  public var code: Code
  /// One sentence: what happened.
  public var message: String
  /// Number of the segment, where it is known.
  public var segment: UInt64?
  /// Byte within the segment, where it is known.
  public var offset: UInt64?
  /// What to do next.
  public var hint: String?
  /// What the layer below said.
  public var cause: String?

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

  public var description: String {
    var text = message
    if let segment {
      text += offset.map { " (segment \(segment), offset \($0))" } ?? " (segment \(segment))"
    }
    if let cause { text += ": \(cause)" }
    if let hint { text += " — \(hint)" }
    return text
  }

  /// The same, with the place where it happened.
  package func at(segment: UInt64, offset: UInt64? = nil) -> LogError {
    var error = self
    error.segment = error.segment ?? segment
    error.offset = error.offset ?? offset
    return error
  }

  static func damaged(_ message: String, segment: UInt64? = nil, offset: UInt64? = nil) -> LogError
  {
    LogError(
      .damaged, message, segment: segment, offset: offset,
      hint: "fetch the events from a backup or another copy with `evtool repair --from`")
  }
}
