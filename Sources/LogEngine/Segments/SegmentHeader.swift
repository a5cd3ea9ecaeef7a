internal import EventCore

/// The first 64 bytes of a segment file.
///
/// ```
/// 8 magic · u16 version · u16 header length · u32 flags · u64 number · u64 salt
/// u64 previous end · 20 zero · u32 CRC-32C over the 60 bytes before
/// ```
package struct SegmentHeader: Hashable, Sendable {
  static let magic = Array("DAYBOOK\u{1}".utf8)
  static let version: UInt16 = 1
  /// Written as a whole and sealed: all of the file was durable before it was in the log.
  private static let completeFlag: UInt32 = 1

  static let versionOffset = 8
  static let lengthOffset = versionOffset + 2
  static let flagsOffset = lengthOffset + 2
  static let numberOffset = flagsOffset + 4
  static let saltOffset = numberOffset + 8
  static let previousEndOffset = saltOffset + 8
  static let reservedOffset = previousEndOffset + 8
  package static let checksumOffset = reservedOffset + 20
  package static let size = checksumOffset + 4

  /// From 1 on; the file is named after it.
  package var number: UInt64
  /// Random: no record of another segment, or of user data, passes for one of this.
  package var salt: UInt64
  /// Where the segment before this one ended when this one was begun: that much was durable, and
  /// unless that segment was sealed later, what lies behind it does not count.
  var previousEnd: UInt64
  /// Whether the segment was written beside the log and came into it sealed.
  var isComplete = false

  package init(number: UInt64, salt: UInt64, previousEnd: UInt64, isComplete: Bool = false) {
    self.number = number
    self.salt = salt
    self.previousEnd = previousEnd
    self.isComplete = isComplete
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.raw(Self.magic)
    writer.integer(Self.version)
    writer.integer(UInt16(Self.size))
    writer.integer(isComplete ? Self.completeFlag : 0)
    writer.integer(number)
    writer.integer(salt)
    writer.integer(previousEnd)
    writer.raw([UInt8](repeating: 0, count: Self.checksumOffset - Self.reservedOffset))
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// - Throws: ``LogError/Code/damaged``; ``LogError/Code/newerFormat`` where a sound header is of
  ///   a later version.
  package init(decoding bytes: [UInt8]) throws(LogError) {
    self = try bytes.withRawBytes { raw throws(LogError) in try Self.decode(raw) }
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) throws(LogError) -> SegmentHeader {
    guard bytes.count == size else {
      throw .damaged("a segment of \(bytes.count) bytes ends within its header")
    }
    guard bytes.prefix(magic.count).elementsEqual(magic),
      CRC32C.checksum(bytes.slice(0, checksumOffset)) == bytes.u32(checksumOffset)
    else { throw .damaged("a segment's header does not match its checksum") }
    guard bytes.u16(versionOffset) == version, bytes.u32(flagsOffset) & ~completeFlag == 0,
      bytes.u16(lengthOffset) == UInt16(size),
      bytes.isZero(from: reservedOffset, to: checksumOffset)
    else {
      throw LogError(
        .newerFormat,
        "a segment of version \(bytes.u16(versionOffset)), flags \(bytes.u32(flagsOffset)), "
          + "is not known here", hint: "update this software")
    }
    let previousEnd = bytes.u64(previousEndOffset)
    guard previousEnd == 0 || (UInt64(size)...UInt64(UInt32.max)).contains(previousEnd) else {
      throw .damaged("a segment says that the one before it ended at no possible offset")
    }
    return SegmentHeader(
      number: bytes.u64(numberOffset), salt: bytes.u64(saltOffset),
      previousEnd: previousEnd,
      isComplete: bytes.u32(flagsOffset) & completeFlag != 0)
  }
}

/// The names of segment files.
enum SegmentName {
  static let folder = "log"
  static let quarantine = "quarantine"
  static let mark = "log/mark"
  /// There, and empty, while the replica owes itself a new identity.
  static let renewal = "log/renewal"
  private static let suffix = ".segment"
  /// Ends the name of a segment that is being written beside; what a crash leaves of it is void.
  private static let unfinishedSuffix = ".segment.unfinished"

  static func file(_ number: UInt64) -> String { "\(folder)/\(digits(number))\(suffix)" }
  static func unfinished(_ number: UInt64) -> String {
    "\(folder)/\(digits(number))\(unfinishedSuffix)"
  }

  /// The number that the name of a segment says, or nil for any other name.
  static func number(_ name: String) -> UInt64? { number(name, suffix) }
  static func unfinishedNumber(_ name: String) -> UInt64? { number(name, unfinishedSuffix) }

  private static func number(_ name: String, _ suffix: String) -> UInt64? {
    guard name.hasSuffix(suffix) else { return nil }
    let text = name.dropLast(suffix.count)
    guard let number = UInt64(text, radix: 16), number > 0, number < UInt64(Int64.max),
      digits(number) == text
    else { return nil }
    return number
  }

  /// So many segments in a row may be missing before one that is there: a thousand gigabytes of log.
  static let missingMax: UInt64 = 1 << 16

  /// Which of the numbers that names say are of this log, ascending. One far behind the others claims that
  /// more is lost than can be looked for, and proves nothing.
  static func plausible(_ numbers: [UInt64]) -> [UInt64] {
    var last: UInt64 = 0
    return numbers.sorted().prefix { number in
      defer { last = number }
      return number - last <= missingMax + 1
    }
  }

  /// What is said of such a file.
  static func stray(_ number: UInt64) -> String {
    "\(file(number)) is far behind all other segments; it was left alone, as none of the log's files"
  }

  /// 16 lower-case hexadecimal digits.
  static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
