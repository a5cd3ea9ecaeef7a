internal import EventCore

/// What events come to when they count towards a zone's limit, in bytes: at least what they cost each replica that
/// holds them, in memory, disk and processor time, however small they are on their way.
///
/// An event counts as a fourth of its bytes before compression, 64 bytes, and 8 for each operation and for each origin of
/// which it says that its author had seen more; a definition, which makes tables and indexes, as 4,096 and 512 for
/// each of its bytes; an origin as 1,024.
public enum EventWeight {
  private static let ofEvent: UInt64 = 64
  private static let ofOperation: UInt64 = 8
  private static let ofDefinition: UInt64 = 4096
  private static let ofDefinitionByte: UInt64 = 512
  private static let ofAdvance: UInt64 = 8
  private static let ofOrigin: UInt64 = 1024
  private static let rawFactor: UInt64 = 4

  /// - Parameters:
  ///   - envelope: the event's; nil if nobody can read it.
  ///   - isFirst: whether the event is the first of its origin.
  static func of(_ event: EventView, _ envelope: Envelope?, isFirst: Bool) -> UInt64 {
    let raw = event.envelope.count + event.body.count
    var weight = UInt64(raw) / rawFactor + ofEvent + (isFirst ? ofOrigin : 0)
    guard let envelope else { return weight }
    weight += UInt64(envelope.context.advances.count) * ofAdvance
    // What nobody understands costs nobody more than its bytes.
    if case .unknown = envelope.kind { return weight }
    guard !event.bodyIsHash, var body = try? BodyView(event.body, codec: envelope.bodyCodec) else {
      return weight
    }
    while let operation = try? body.next() {
      weight +=
        operation.kind == OperationKind.define
        ? ofDefinition + ofDefinitionByte * UInt64(operation.payload.count) : ofOperation
    }
    return weight
  }

  /// Of a range, as far as that can be told before it is decompressed; never more than it turns out to be.
  public static func least(of range: EventRange) -> UInt64 {
    let events = UInt64(range.count)
    // Lengths in front of envelope and body are not counted, and fourths are rounded down.
    let raw = UInt64(range.rawLength) - min(UInt64(range.rawLength), 8 * events)
    return raw / rawFactor + events * (ofEvent - 1) + (range.first == 1 ? ofOrigin : 0)
  }
}
