import Daybook
import DaybookEventCore

/// Bytes of the sync protocol as an attacker writes them: by hand, unlike all other code here.
enum AttackMessage {
  /// A request's report of what its sender holds.
  enum Report {
    /// A digest that no replica knows.
    case unknown
    /// The entries that follow, for the buckets of a mask.
    case entries(mask: UInt64, count: Int, bytes: [UInt8])

    /// A report that nothing is held.
    static let nothing = Report.entries(mask: .max, count: 0, bytes: [])

    /// Reports `origins` origins, each held in `runs` runs of one event with gaps of one event.
    static func runs(origins: Int, of runs: Int) -> Report {
      var writer = ByteWriter()
      for number in 0..<origins {
        writer.replicaID(AttackMessage.origin(number, of: origins))
        writer.varint(1)
        writer.varint(runs)
        for run in 0..<runs {
          writer.varint(1)
          writer.varint(0)
          writer.integer(UInt64(run))
          writer.integer(UInt64(number))
        }
      }
      return .entries(mask: .max, count: origins, bytes: writer.bytes)
    }

    /// Reports the first event of each origin, with a chain value that no replica holds.
    static func firstEvents(of origins: [ReplicaID]) -> Report {
      var writer = ByteWriter()
      for origin in origins.sorted() {
        writer.replicaID(origin)
        writer.varint(1 << 1)
        writer.raw(Array(repeating: 7, count: 16))
      }
      return .entries(mask: .max, count: origins.count, bytes: writer.bytes)
    }
  }

  /// Returns one of `count` origins, which are spread over all buckets in order.
  static func origin(_ number: Int, of count: Int) -> ReplicaID {
    ReplicaID(high: UInt64.max / UInt64(count + 1) * UInt64(number), low: 1)
  }

  static func request(
    _ zone: ZoneID, report: Report = .unknown, answerBytes: Int = 0, ranges: [[UInt8]] = []
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: ranges.reduce(1024) { $0 + $1.count })
    writer.raw([UInt8(ascii: "D"), 1, 1])
    writer.raw(zone.bytes)
    writer.raw(Array(repeating: 9, count: 16))
    writer.varint(answerBytes)
    switch report {
    case .unknown: writer.raw(Array(repeating: 0, count: 17))
    case .entries(let mask, let count, let bytes):
      writer.byte(2)
      writer.integer(mask)
      writer.varint(count)
      writer.raw(bytes)
    }
    writer.varint(ranges.count)
    for range in ranges { writer.raw(range) }
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// Encodes a range of frames, unchanged, with any signature.
  static func range(
    _ origin: ReplicaID, first: UInt64, _ frames: [AttackFrame],
    signature: [UInt8] = Array(repeating: 0, count: 64)
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: frames.reduce(128) { $0 + $1.stored.count + 16 })
    writer.byte(0)
    writer.replicaID(origin)
    writer.varint(first)
    writer.varint(frames.count)
    for frame in frames {
      writer.byte(frame.codec)
      writer.varint(frame.count)
      writer.varint(frame.rawLength)
      writer.counted(frame.stored)
    }
    writer.raw(signature)
    return writer.bytes
  }
}

/// A frame of a range.
struct AttackFrame {
  var codec: UInt8
  var count: Int
  var rawLength: Int
  var stored: [UInt8]

  /// - Parameters:
  ///   - raw: The encoded events.
  ///   - count: Their number.
  init(_ raw: [UInt8], events count: Int, compressed: Bool = true) {
    let packed = compressed ? Self.lz4(raw) : raw
    // Readers refuse a compressed block that is not smaller.
    let isSmaller = packed.count < raw.count
    self.count = count
    rawLength = raw.count
    codec = isSmaller ? 1 : 0
    stored = isSmaller ? packed : raw
  }

  /// Compresses to an LZ4 block, in which one byte stands for 255 repeated ones.
  static func lz4(_ raw: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var table = [Int32](repeating: -1, count: 1 << 14)
    // A block ends with at least 5 literal bytes, and no match begins in its last 12 bytes.
    let end = raw.count - 12
    var (anchor, at) = (0, 0)
    func length(_ rest: Int) -> [UInt8] {
      guard rest >= 15 else { return [] }
      return Array(repeating: 255, count: (rest - 15) / 255) + [UInt8((rest - 15) % 255)]
    }
    func word(_ at: Int) -> UInt32 {
      raw.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt32.self) }
    }
    func literals(_ through: Int, match: Int) {
      let count = through - anchor
      out.append(UInt8(min(count, 15) << 4 | min(match, 15)))
      out += length(count)
      out += raw[anchor..<through]
    }
    while at < end {
      let value = word(at)
      let place = Int((value &* 2_654_435_761) >> 18)
      let before = Int(table[place])
      table[place] = Int32(at)
      guard before >= 0, at - before < 1 << 16, word(before) == value else {
        at += 1
        continue
      }
      var same = 4
      while at + same < raw.count - 5, raw[before + same] == raw[at + same] { same += 1 }
      literals(at, match: same - 4)
      out += [UInt8(truncatingIfNeeded: at - before), UInt8((at - before) >> 8)]
      out += length(same - 4)
      at += same
      anchor = at
    }
    literals(raw.count, match: 0)
    return out
  }
}
