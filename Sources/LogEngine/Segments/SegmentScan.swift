import DaybookEventCore
import DaybookFrames

/// The result of reading an unsealed segment to its end: sound records, damage and torn tail.
///
/// The *durable end* is the offset up to which the segment was certainly durable. It is the highest
/// of the mark, the durable marks in the segment's sound records, and the end that the next segment
/// states. An unsound place below it is damage, and reading continues after it. The first one at or
/// above it begins the torn tail: everything after it was never durable.
struct SegmentScan {
  enum Tail: Hashable, Sendable {
    case none
    /// Space that was reserved and never written.
    case zeros
    /// A footer without a trailer, from an interrupted seal in place.
    ///
    /// It holds no events.
    case footer
    /// Bytes that were written but never durable.
    case torn
  }

  struct Damage: Sendable {
    var range: Range<UInt64>
    var reason: String
    var claims: LogFinding.Events?
  }

  var records: [SegmentScanner.Record] = []
  var damage: [Damage] = []
  /// The offset after the last sound record that counts.
  var end: UInt64
  var fileSize: UInt64
  /// The kind of bytes between `end` and the end of the file.
  var tail = Tail.none
  /// The offset up to which the segment was certainly durable.
  var durableEnd: UInt64

  /// Reads and judges a segment.
  ///
  /// - Parameters:
  ///   - start: the offset at which to begin, which must be the end of a record or of the header.
  ///   - durableEnd: the offset up to which the segment was durable, as known from outside of it.
  /// - Throws: ``LogError`` if the file cannot be read.
  init(
    file: any StorageFile, fileSize: UInt64, salt: UInt64, from start: UInt64, durableEnd: UInt64
  ) throws(LogError) {
    var scanner = SegmentScanner(file: file, size: fileSize, salt: salt)
    self.fileSize = fileSize
    self.durableEnd = max(durableEnd, UInt64(SegmentHeader.size))
    end = start
    var gaps: [Damage] = []
    var offset = start
    scanning: while true {
      switch try scanner.step(at: offset) {
      case .endOfFile: break scanning
      case .record(let record):
        self.durableEnd = max(self.durableEnd, record.header.durable)
        if record.content == .footer {
          tail = .footer
          break scanning
        }
        records.append(record)
        offset = record.header.end
        end = offset
      case .unsound(let reason, let claims):
        let next = try scanner.nextSound(after: offset)
        let end = next ?? max(scanner.window.size, offset)
        gaps.append(Damage(range: offset..<end, reason: reason, claims: claims))
        guard let next else { break scanning }
        offset = next
      }
    }
    try judge(gaps, &scanner)
    self.fileSize = scanner.window.size
  }

  private mutating func judge(_ gaps: [Damage], _ scanner: inout SegmentScanner) throws(LogError) {
    for gap in gaps {
      if gap.range.lowerBound < durableEnd {
        damage.append(gap)
        continue
      }
      // Bytes above it were never durable: nothing after this gap counts, sound or not.
      records.removeAll { $0.header.offset >= gap.range.lowerBound }
      end = min(end, gap.range.lowerBound)
      tail = try scanner.isZero(from: gap.range.lowerBound) ? .zeros : .torn
      break
    }
    let covered = damage.last?.range.upperBound ?? end
    if max(end, covered) < durableEnd {
      damage.append(
        Damage(
          range: max(end, covered)..<durableEnd, reason: "the segment ends too early",
          claims: nil))
    }
  }

  func findings(segment: UInt64) -> [LogFinding] {
    damage.map { damage in
      LogFinding(
        "\(damage.range.count) bytes that were durable are damaged: \(damage.reason)",
        segment: segment, offset: damage.range.lowerBound, events: damage.claims)
    }
  }
}

extension SegmentScan {
  /// Removes the records above `limit`, for readers, which cannot make them durable.
  mutating func drop(above limit: UInt64) {
    guard end > limit else { return }
    records.removeAll { $0.header.end > limit }
    end = records.last?.header.end ?? UInt64(SegmentHeader.size)
    tail = .torn
  }

  /// Removes a range of another replica that a crash has cut off, if the segment ends with one.
  ///
  /// A range is appended with its head first, and is acknowledged as a whole. No replica could be
  /// offered a part of it, because no signature says that it ends there.
  /// - Parameters:
  ///   - held: the events that the log holds before these records.
  ///   - applied: what the read model has applied, which was durable; nil if that is not known.
  mutating func dropIncompleteRange(
    held: [ReplicaID: SequenceRanges], applied: VersionVector? = nil
  ) {
    var first: EventID?
    for record in records.reversed() {
      guard record.header.offset >= durableEnd else { return }
      switch record.content {
      case .frame(let frame):
        guard first?.origin ?? frame.origin == frame.origin else { return }
        first = EventID(frame.origin, min(first?.sequence ?? .max, frame.firstSequence))
      case .head(let last):
        guard let first, first.origin == last.origin, first.sequence <= last.sequence,
          applied?.contains(first) != true
        else { return }
        var ranges = held[last.origin] ?? SequenceRanges()
        for case .frame(let frame) in records.map(\.content) where frame.origin == last.origin {
          ranges.insert(frame.sequences)
        }
        guard !ranges.missing(in: first.sequence...last.sequence).isEmpty else { return }
        end = record.header.offset
        tail = .torn
        records.removeAll { $0.header.offset >= end }
        return
      case .other, .footer: return
      }
    }
  }
}
