import DaybookEventCore

/// An error of bytes that claim to be a frame, or of events that do not fit into one.
package struct FrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package enum Code: String, Sendable {
    /// The bytes are no valid frame.
    case malformed
    /// The events are larger than a frame may be.
    case tooLarge
    /// The frame was written by a later version of this software.
    case newerFormat
    /// The frame is compressed with a codec that this version does not know.
    case unknownCodec
  }

  /// The kind of the error.
  package var code: Code
  /// What is wrong, in one sentence.
  package var message: String
  /// What to do next.
  package var hint: String?
  /// The message of the layer below.
  package var cause: String?

  package init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  package var description: String { text(hintAfter: " — ") }
}

extension FrameError: ExplainedError {
  package var causeText: String? { cause }
}
