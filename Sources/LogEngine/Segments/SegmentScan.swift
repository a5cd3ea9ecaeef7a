internal import EventCore

/// An unsealed segment, read to its end and judged: what is sound, what was durable and is damaged,
/// and what was never durable.
///
/// The floor is how far the segment was durable for certain: the highest of the mark, the marks in
/// its sound records, and what the segment after it says. Damage below it is corruption, and
/// reading goes on behind it; the first unsound byte at or above it begins the torn tail, whatever
/// follows.
struct SegmentScan {
  enum Tail: Hashable, Sendable {
    case none
    /// Preallocated, never written.
    case zeros
    /// A footer without a trailer: a seal in place that was interrupted. No events.
    case footer
    /// Written, never durable.
    case torn
  }

  struct Damage: Sendable {
    var range: Range<UInt64>
    var reason: String
    var claims: LogFinding.Events?
  }

  var records: [SegmentScanner.Record] = []
  var damage: [Damage] = []
  /// After the last sound record that counts.
  var end: UInt64
  var fileSize: UInt64
  /// What lies between `end` and the end of the file.
  var tail = Tail.none
  var floor: UInt64

  /// - Parameters:
  ///   - start: where to begin, the end of some record.
  ///   - floor: what is known from outside the segment.
  init(
    file: any StorageFile, fileSize: UInt64, salt: UInt64, from start: UInt64, floor: UInt64
  ) throws(LogError) {
    var scanner = SegmentScanner(file: file, size: fileSize, salt: salt)
    self.fileSize = fileSize
    self.floor = max(floor, UInt64(SegmentHeader.size))
    end = start
    var gaps: [Damage] = []
    var offset = start
    scanning: while true {
      switch try scanner.step(at: offset) {
      case .endOfFile: break scanning
      case .record(let record):
        self.floor = max(self.floor, record.header.durable)
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
      if gap.range.lowerBound < floor {
        damage.append(gap)
        continue
      }
      // Never durable: from here on nothing counts, sound or not.
      records.removeAll { $0.header.offset >= gap.range.lowerBound }
      end = min(end, gap.range.lowerBound)
      tail = try scanner.isZero(from: gap.range.lowerBound) ? .zeros : .torn
      break
    }
    let covered = damage.last?.range.upperBound ?? end
    if max(end, covered) < floor {
      damage.append(
        Damage(range: max(end, covered)..<floor, reason: "the segment ends too early", claims: nil))
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
  /// Forgets the records above `limit`: for readers, who cannot make them durable.
  mutating func drop(above limit: UInt64) {
    guard end > limit else { return }
    records.removeAll { $0.header.end > limit }
    end = records.last?.header.end ?? UInt64(SegmentHeader.size)
    tail = .torn
  }
}
