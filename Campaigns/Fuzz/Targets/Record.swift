import DaybookEventCore
import DaybookLogEngine

extension FuzzTarget {
  /// A record, made of its header and payload; the header's checksum is corrected.
  static let record = FuzzTarget("record", bytesMax: 512) {
    [RecordHeader.Kind.frame, RecordHeader.Kind.head, RecordHeader.Kind.footer, 9].map { kind in
      var writer = ByteWriter()
      RecordHeader.append(
        kind: kind, [1, 2, 3], offset: 4096, durable: 64, salt: 0x0123_4567_89AB_CDEF, to: &writer)
      return writer.bytes
    }
  } check: { bytes in
    guard bytes.count >= RecordHeader.size else { return }
    var header = Array(bytes.prefix(RecordHeader.size))
    Mending.recordHeader(&header)
    let salt = Mending.u64(header, 0)
    let offset = UInt64(Mending.u32(header, RecordHeader.offsetOffset))
    func decode(_ offset: UInt64, _ salt: UInt64) -> RecordHeader? {
      header.withUnsafeBytes { RecordHeader($0, at: offset, salt: salt) }
    }
    guard let record = decode(offset, salt) else { return }
    try require(
      decode(offset ^ 1, salt) == nil && decode(offset, salt ^ 1) == nil,
      "a record is taken for one of another place or segment")
    let ownChecksum = record.kind == RecordHeader.Kind.frame ? 0 : RecordHeader.payloadChecksumSize
    guard (ownChecksum...4096).contains(record.length) else { return }
    var writer = ByteWriter()
    RecordHeader.append(
      kind: record.kind, [UInt8](repeating: 0, count: record.length - ownChecksum),
      offset: record.offset, durable: record.durable, salt: salt, to: &writer)
    try require(
      writer.bytes.starts(with: header) && writer.count == RecordHeader.size + record.length,
      "a record's header is encoded otherwise than it was decoded from")
  }
}
