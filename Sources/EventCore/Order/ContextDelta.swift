/// What an author had seen, as the difference to what it had seen at its previous event.
///
/// Origins are *interned*: an origin's first mention carries its id and gets the next number among
/// those that this author has mentioned; later ones carry the number. The author's own origin is
/// never mentioned: it has always seen what it wrote.
public struct ContextDelta: Hashable, Sendable {
  /// Most origins of which one event says that its author had seen more. Replicas take no events that say more.
  public static let advancesMax = 1 << 16

  public enum Origin: Hashable, Sendable {
    /// The number under which the author mentioned it first.
    case known(Int)
    case new(ReplicaID)
  }

  public struct Advance: Hashable, Sendable {
    public var origin: Origin
    /// By how many events; at least 1.
    public var by: UInt64

    public init(origin: Origin, by: UInt64) {
      self.origin = origin
      self.by = by
    }
  }

  /// Known origins in ascending order, then new ones.
  public var advances: [Advance]

  public init(_ advances: [Advance] = []) { self.advances = advances }

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
