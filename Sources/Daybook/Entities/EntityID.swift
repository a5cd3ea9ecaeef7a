import DaybookEventCore
import DaybookLocks
public import Foundation

/// The id of an entity of one type: a `Note.ID` is never taken for a `Folder.ID`.
///
/// A new id is a UUID of version 7 (RFC 9562), as a text in lower case. It begins with the time, so
/// that entities made one after the other are neighbours in an index. The ids that one process
/// makes ascend.
public struct EntityID<E>: RawRepresentable, Hashable, Sendable, Codable, Comparable,
  ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The text that the store has: 1 to 1024 bytes.
  public let rawValue: String

  /// Makes a new id.
  public init() { rawValue = TimedUUID.make() }

  /// Makes an id of a text. A text that no entity can have as its id is refused when it is written.
  @inlinable
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes an id of a text. A text that no entity can have as its id is refused when it is written.
  public init(_ text: String) { rawValue = text }

  public init(stringLiteral text: String) { rawValue = text }

  /// Makes an id of a UUID: its text in lower case.
  public init(_ uuid: UUID) { rawValue = uuid.uuidString.lowercased() }

  /// The UUID; nil if the id is none.
  public var uuid: UUID? { UUID(uuidString: rawValue) }

  public var description: String { rawValue }

  /// Whether one id is before another in the order of their bytes, as SQLite sorts them.
  public static func < (a: EntityID, b: EntityID) -> Bool { utf8Less(a.rawValue, b.rawValue) }

  public static func == (a: EntityID, b: EntityID) -> Bool {
    a.rawValue.isSame(as: b.rawValue)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in rawValue.utf8 { hasher.combine(byte) }
  }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// Makes UUIDs that begin with the time: version 7 of RFC 9562, section 5.7.
///
/// The 12 bits behind the millisecond are a part of the time too, so that the UUIDs of a process
/// ascend (section 6.2, method 3). If the clock goes back, they go on from the latest one.
package enum TimedUUID {
  /// The time of the latest UUID, in units of 1/4096 ms since 1970.
  private static let latest = Mutex<UInt64>(0)

  package static func make() -> String {
    // The time has 48 bits of milliseconds, which end in the year 10889.
    let milliseconds = min(max(0, Date.now.timeIntervalSince1970 * 1000), 0xFFFF_FFFF_FFFF)
    let time = latest.withLock { latest in
      latest = max(latest + 1, UInt64(saturating: milliseconds * 4096))
      return latest
    }
    var generator = SystemRandomNumberGenerator()
    let high = (time >> 12) << 16 | 0x7000 | time & 0x0FFF
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for nibble in 0..<32 {
        if nibble >= 8, nibble <= 20, nibble % 4 == 0 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let word = nibble < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (nibble & 15)) & 15)
        text[place] = digit + UInt8(ascii: digit < 10 ? "0" : "W")
        place += 1
      }
      return 36
    }
  }
}
