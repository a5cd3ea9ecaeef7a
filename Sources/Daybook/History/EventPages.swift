import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// The pages of a list of events, all of one snapshot of the log.
final class EventPages: Sendable {
  private struct Memory: Sendable {
    var reader: EventReader?
    /// The number of the frame that the last page has ended in.
    var frame = 0
  }

  private let store: Store
  private let query: EventQuery
  private let memory = Mutex(Memory())

  /// The bytes of frames from which on a page has enough events.
  private static let bytesMax = 4 << 20

  init(_ store: Store, _ query: EventQuery) {
    self.store = store
    self.query = query
  }

  /// Only for threads that may block.
  func part(after key: [Cell]?, limit: Int) throws -> ListReader<LoggedEvent>.Part {
    let memory = memory.withLock { $0 }
    let reader = try memory.reader ?? EventReader(query, store)
    var found: [Listed<LoggedEvent>] = []
    var (bytes, frame) = (0, memory.frame)
    let end = try reader.read(after: key.flatMap(Self.event), near: frame) { event, place in
      if place.frame != frame { bytes += place.bytes }
      frame = place.frame
      guard found.count < limit, bytes < Self.bytesMax || found.isEmpty else { return false }
      found.append(Listed(key: Self.key(event.id), item: event))
      return true
    }
    self.memory.withLock { [frame] in $0 = Memory(reader: reader, frame: frame) }
    return (found, end)
  }

  private static func key(_ event: EventID) -> [Cell] {
    [.blob(event.origin.bytes), .integer(Int64(bitPattern: event.sequence))]
  }

  static func event(_ key: [Cell]) -> EventID? {
    guard key.count == 2, case .blob(let origin) = key[0], origin.count == 16,
      case .integer(let sequence) = key[1]
    else { return nil }
    return EventID(
      origin.withUnsafeBytes { ReplicaID(bytes: $0) }, UInt64(bitPattern: sequence))
  }
}
