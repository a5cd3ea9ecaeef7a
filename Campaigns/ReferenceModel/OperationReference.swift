import DaybookEventCore

/// A reference to one operation: its event, and its index in the event.
struct OperationReference: Hashable, Comparable, Sendable, CustomStringConvertible {
  let event: EventID
  let operation: UInt32

  static func < (a: Self, b: Self) -> Bool {
    a.event != b.event ? a.event < b.event : a.operation < b.operation
  }

  var description: String {
    "\(event.origin.description.prefix(6)):\(event.sequence).\(operation)"
  }

  /// Writes the reference as the digest hashes it: 16 bytes origin · u64 sequence · u32 operation.
  func encode(to writer: inout ByteWriter) {
    writer.replicaID(event.origin)
    writer.integer(event.sequence)
    writer.integer(operation)
  }
}
