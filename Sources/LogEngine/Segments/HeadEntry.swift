package import DaybookEventCore

/// The index entry of a record that holds a ``Head``.
package struct HeadEntry: Hashable, Sendable {
  /// The position at which the record begins.
  package let position: LogPosition
  /// The latest event that the head covers.
  package let event: EventID

  /// The size of an encoded head in bytes; see ``Head/encoded()``.
  static let payloadSize = 1 + 16 + 16 + 8 + 32 + 64
  /// The size of the record in bytes.
  static let length = RecordHeader.size + payloadSize + RecordHeader.payloadChecksumSize
}
