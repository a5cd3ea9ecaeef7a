/// The events that an author has seen since its previous event.
///
/// Origins are *interned*: the first mention of an origin carries its id and gives it the next
/// number among those that this author has mentioned. Later mentions carry the number. The author's
/// own origin is never mentioned, because an author has always seen its own events.
package struct ContextDelta: Hashable, Sendable {
  /// The largest number of origins that one event may advance.
  ///
  /// Replicas refuse events with more.
  package static let advancesMax = 1 << 16

  package enum Origin: Hashable, Sendable {
    /// The number that the origin got at its first mention by this author.
    case known(Int)
    case new(ReplicaID)
  }

  package struct Advance: Hashable, Sendable {
    package var origin: Origin
    /// The number of events, at least 1.
    package var by: UInt64

    package init(origin: Origin, by: UInt64) {
      self.origin = origin
      self.by = by
    }
  }

  /// Known origins in ascending order, then new ones.
  package var advances: [Advance]

  package init(_ advances: [Advance] = []) { self.advances = advances }

  func encode(to writer: inout ByteWriter) {
    writer.varint(advances.count)
    for advance in advances {
      switch advance.origin {
      case .known(let number): writer.varint(number + 1)
      case .new(let id):
        writer.varint(0)
        writer.replicaID(id)
      }
      writer.varint(advance.by)
    }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    advances = []
    for _ in 0..<(try reader.count()) {
      let start = reader.offset
      let tag = try reader.index()
      let origin: Origin = tag == 0 ? .new(try reader.replicaID()) : .known(tag - 1)
      let by = try reader.varint()
      guard by > 0 else {
        throw EventError(.notCanonical, "a context that does not advance", offset: start)
      }
      advances.append(Advance(origin: origin, by: by))
    }
  }
}
