import DaybookEventCore

/// One of the origins that write a generated set of events.
struct GeneratedOrigin {
  enum Role: Hashable { case device, hub, impostor, thief, local }

  /// What its clock does wrong.
  enum Wall: Hashable {
    case right
    case skewed(Int64)
    case frozen
    case future
    /// A hundred years ahead, before the far future.
    case ahead
    /// As late as a time can be.
    case end
  }

  let role: Role
  let wall: Wall
  let claim: IdentityClaim
  /// The step at which it writes its first event.
  let start: Int
  var author: EventAuthor
  var clock = HybridClock()
  /// What it has received of others.
  var seen = VersionVector()
  /// The latest authored time of each origin that it has received.
  private var times: [ReplicaID: HybridTime] = [:]
  /// After each event, the latest authored time among it and those before.
  private(set) var latest: [HybridTime] = []
  /// As a hub: the latest server time that it gave.
  var serverTime: Int64 = 0

  static let epoch: Int64 = 1_800_000_000_000

  init(role: Role, wall: Wall, claim: IdentityClaim, origin: ReplicaID, start: Int) {
    self.role = role
    self.wall = wall
    self.claim = claim
    self.start = start
    author = EventAuthor(origin)
  }

  /// A time above everything that the origin wrote and received, or a detached one.
  mutating func authored(step: Int) -> HybridTime {
    let right = Self.epoch + Int64(step) * 1000
    let milliseconds =
      switch wall {
      case .right: right
      case .skewed(let by): right + by
      case .frozen: Self.epoch
      case .future: right + 9_000_000_000_000
      case .ahead: right + 3_000_000_000_000
      case .end: Int64.max
      }
    return clock.author(wallMilliseconds: milliseconds, seen: times.values)
  }

  /// Receives `other`'s events up to `sequence`.
  mutating func receive(_ other: GeneratedOrigin, through sequence: UInt64) {
    guard sequence > seen[other.author.origin] else { return }
    seen.include(other.author.origin, sequence)
    times[other.author.origin] = other.latest[Int(sequence) - 1]
  }

  /// Call after each event that `author` appended.
  mutating func didAppend(authored: HybridTime) {
    latest.append(authored.isFar ? latest.last ?? .zero : max(latest.last ?? .zero, authored))
  }
}
