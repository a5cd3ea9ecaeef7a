import DaybookEventCore

/// The weight of events towards a zone's limit, in bytes.
///
/// Events cost each replica that holds them memory, disk and processor time. The weight is at least
/// that cost, even if the events are small on the wire.
///
/// - An event: a fourth of its bytes before compression, plus 64.
/// - An operation, and an origin of which the author had seen more: 8 each.
/// - A definition, which makes tables and indexes: 4,096, plus 512 for each of its bytes.
/// - An origin: 1,024.
package enum EventWeight {
  private static let ofEvent: UInt64 = 64
  private static let ofOperation: UInt64 = 8
  private static let ofDefinition: UInt64 = 4096
  private static let ofDefinitionByte: UInt64 = 512
  private static let ofAdvance: UInt64 = 8
  private static let ofOrigin: UInt64 = 1024
  private static let rawFactor: UInt64 = 4

  /// Returns the weight of one event.
  /// - Parameters:
  ///   - envelope: The event's envelope; nil if it cannot be decoded.
  ///   - isFirst: Whether the event is the first of its origin.
  static func of(_ event: EventView, _ envelope: Envelope?, isFirst: Bool) -> UInt64 {
    let raw = event.envelope.count + event.body.count
    var weight = UInt64(raw) / rawFactor + ofEvent + (isFirst ? ofOrigin : 0)
    guard let envelope else { return weight }
    weight += UInt64(envelope.context.advances.count) * ofAdvance
    // An event of an unknown kind costs a replica only its bytes.
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

  /// Returns the least weight of a range, as far as it is known before decompression. Never more
  /// than the actual weight.
  package static func least(of range: EventRange) -> UInt64 {
    let events = UInt64(range.count)
    // The lengths before envelope and body do not count, and fourths are rounded down.
    let raw = UInt64(range.rawLength) - min(UInt64(range.rawLength), 8 * events)
    return raw / rawFactor + events * (ofEvent - 1) + (range.first == 1 ? ofOrigin : 0)
  }
}
