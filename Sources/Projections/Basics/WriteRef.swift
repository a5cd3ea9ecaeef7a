package import DaybookEventCore

/// The operation that wrote a value: the number of its origin in this read model, the sequence of
/// its event, and its index in that event.
package struct WriteRef: Hashable, Sendable {
  package var origin: Int
  package var sequence: UInt64
  package var operation: UInt32

  package init(origin: Int, sequence: UInt64, operation: UInt32) {
    self.origin = origin
    self.sequence = sequence
    self.operation = operation
  }

  func encode(to writer: inout ByteWriter) {
    writer.varint(origin)
    writer.varint(sequence)
    writer.varint(UInt64(operation))
  }

  package init(from reader: inout ByteReader) throws(EventError) {
    origin = try reader.index()
    sequence = try reader.varint()
    operation = UInt32(try reader.index())
  }

  func encodeForDigest(origin id: ReplicaID, to writer: inout ByteWriter) {
    writer.replicaID(id)
    writer.integer(sequence)
    writer.integer(operation)
  }

  /// Returns whether this write comes later in the history of the same origin.
  func isLater(than other: WriteRef) -> Bool {
    sequence != other.sequence ? sequence > other.sequence : operation > other.operation
  }
}
