public import EventCore

/// What the index knows of a record that holds a ``Head``.
public struct HeadEntry: Hashable, Sendable {
  /// Where the record begins.
  public let position: LogPosition
  /// The event that the head closes with.
  public let event: EventID

  /// Bytes of a head as ``Head/encoded()`` makes it.
  static let payloadSize = 1 + 16 + 16 + 8 + 32 + 64
  /// Bytes of the record.
  static let length = RecordHeader.size + payloadSize + RecordHeader.payloadChecksumSize
}
