public import DaybookEventCore

/// The reason why a range of events was refused. The rest of the request was accepted.
///
/// `u8 code · 16 origin · varint sequence · u8 has a tag · [16 tag]`
public struct RangeRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a refusal.
  public enum Code: UInt8, Sendable, CaseIterable {
    /// Events before it are missing, and a hub accepts nothing beyond a gap.
    case gap = 1
    /// The origin has two different histories: it was cloned, or restored from a backup.
    case fork = 2
    /// The range is not signed by the origin's key.
    case badSignature = 3
    /// The bytes are not events.
    case malformed = 4
    /// The range is of a hub that an authority other than this zone's has certified.
    case foreignAuthority = 5
    /// The range needs newer software, for its compression or its format.
    case newerFormat = 6
    /// The zone has no room for the range.
    case full = 7
    /// The range was not checked, because too much else of its message was refused.
    case tooMuch = 8
    /// A code of newer software.
    case unknown = 255
  }

  /// The kind of the refusal.
  public var code: Code
  /// The first event refused. For a fork, an event at which the branches differ.
  public var event: EventID
  /// For a fork, the tag after ``event`` on the branch that the refuser holds.
  package var tag: ChainTag?
  /// What is wrong with the bytes, if this replica has refused them. It is not sent.
  package var cause: String?

  package init(_ code: Code, _ event: EventID, tag: ChainTag? = nil, cause: String? = nil) {
    self.code = code
    self.event = event
    self.tag = tag
    self.cause = cause
  }

  /// Whether the same range will be refused again, regardless of other events and of free room.
  var isLasting: Bool { code != .gap && code != .full && code != .tooMuch }

  func encode(to writer: inout ByteWriter) {
    writer.byte(code.rawValue)
    writer.replicaID(event.origin)
    writer.varint(event.sequence)
    writer.byte(tag == nil ? 0 : 1)
    tag?.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(EventError) {
    code = Code(rawValue: try reader.byte()) ?? .unknown
    event = EventID(try reader.replicaID(), try reader.varint())
    switch try reader.byte() {
    case 0: tag = nil
    case 1: tag = try ChainTag(from: &reader)
    default: throw EventError(.malformed, "a refusal", offset: reader.offset - 1)
    }
  }

  /// What to do about the refusal; nil if nothing needs to be done, or nothing can be said.
  public var cure: String? {
    switch code {
    case .fork:
      "Close the store everywhere, and run `evtool sync` with this peer once, without --live; an "
        + "app calls `Store.settleForks`. Do so for each store that says this"
    case .foreignAuthority: "If the other authority is right, run `evtool identity trust`"
    case .newerFormat: "Update the software of the side that has refused the events"
    case .full: "Ask who runs the hub for more room"
    case .gap, .badSignature, .malformed, .tooMuch, .unknown: nil
    }
  }

  public var description: String {
    switch code {
    case .gap: "event \(event) was not taken: events before it are missing"
    case .fork:
      "origin \(event.origin) has two histories up to event \(event.sequence): its store was "
        + "cloned or restored; `evtool identity renew --with PEER` puts it right"
    case .badSignature: "event \(event) was not taken: its origin has not signed it"
    case .malformed:
      "event \(event) was not taken: its bytes are damaged" + (cause.map { ": \($0)" } ?? "")
    case .foreignAuthority:
      "hub \(event.origin) is certified by another authority; if that one is right, say so with "
        + "`evtool identity trust`"
    case .newerFormat: "event \(event) was not taken: it needs newer software"
    case .full: "event \(event) was not taken: the zone is full"
    case .tooMuch:
      "event \(event) was not looked at: too much else was refused; the next sync offers it again"
    case .unknown: "event \(event) was not taken, for a reason that newer software knows"
    }
  }
}
