import Foundation

/// Time zones by name, with the offsets that they have had.
enum TimeZones {
  /// Returns a zone of the system's table; nil if there is none of that name.
  static func zone(_ name: String) -> TimeZone? {
    guard name.contains("/") || name == "UTC" || name == "GMT" || name == "Z" else { return nil }
    return TimeZone(identifier: name == "Z" ? "UTC" : name)
  }

  /// Returns the offset that a zone has at a moment.
  static func offset(_ zone: TimeZone, atSeconds seconds: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// Returns the offset that a zone has when its clocks show a time. Of two, the earlier moment
  /// counts; a time that is left out is that of before the change.
  static func offset(_ zone: TimeZone, local: GQLLocalDateTime) -> Int {
    let seconds = local.seconds
    let before = offset(zone, atSeconds: seconds - 86_400)
    let after = offset(zone, atSeconds: seconds + 86_400)
    for candidate in [before, after]
    where offset(zone, atSeconds: seconds - Int64(candidate)) == candidate {
      return candidate
    }
    let middle = offset(zone, atSeconds: seconds - Int64(before))
    return offset(zone, atSeconds: seconds - Int64(middle)) == middle ? middle : before
  }

  /// Returns a moment of a zone, or of an offset.
  /// - Parameter wanted: the offset to take if clocks show the time twice; nil for the first.
  static func moment(_ local: GQLLocalDateTime, _ place: TimePlace, offset wanted: Int? = nil)
    -> GQLDateTime
  {
    switch place {
    case .offset(let offset): return GQLDateTime(local: local, offset: offset)
    case .zone(let zone, let name):
      if let wanted, offset(zone, atSeconds: local.seconds - Int64(wanted)) == wanted {
        return GQLDateTime(local: local, offset: wanted, zone: name)
      }
      let offset = offset(zone, local: local)
      // A time that summer time leaves out is as much later.
      let seconds = local.seconds - Int64(offset)
      let actual = Self.offset(zone, atSeconds: seconds)
      let shown =
        actual == offset
        ? local
        : GQLLocalDateTime(
          seconds: seconds + Int64(actual), nanosecond: local.time.nanosecond)
      return GQLDateTime(local: shown, offset: actual, zone: name)
    }
  }

  /// Returns the same moment, as clocks of another place show it.
  static func moment(seconds: Int64, nanosecond: Int64, _ place: TimePlace) -> GQLDateTime {
    let (offset, name): (Int, String?) =
      switch place {
      case .offset(let offset): (offset, nil)
      case .zone(let zone, let name): (Self.offset(zone, atSeconds: seconds), name)
      }
    return GQLDateTime(
      local: GQLLocalDateTime(seconds: seconds + Int64(offset), nanosecond: nanosecond),
      offset: offset, zone: name)
  }
}

/// Where a clock stands: an offset from UTC, or a zone whose offset changes.
enum TimePlace {
  case offset(Int)
  case zone(TimeZone, String)

  static let utc = TimePlace.offset(0)

  /// The place of a moment.
  init(_ moment: GQLDateTime) {
    if let name = moment.zone, let zone = TimeZones.zone(name) {
      self = .zone(zone, name)
    } else {
      self = .offset(moment.offset)
    }
  }
}
