public import DaybookEventCore
import DaybookProjections
import Foundation

/// A place in a text that goes with the character beside it, whatever is edited around it.
///
/// It outlives the process, and means the same on every replica, so an app can store it in a field:
/// as a text, or in JSON. A comment keeps the anchors of its two ends, and a caret that is shown to
/// others one.
///
/// An anchor belongs to one text. ``Store/places(of:in:_:text:)`` tells where it is now.
public struct TextAnchor: Hashable, Sendable {
  /// The write that the text began with when the anchor was made.
  let base: TextWrite
  /// The character that the anchor goes with; nil for the beginning or the end of the text.
  let scalar: Scalar?
  /// Whether the anchor belongs to the character before it or to the one behind it.
  public let bias: TextAnchor.Bias

  /// A scalar, by the write that inserted it.
  struct Scalar: Hashable, Sendable {
    var write: TextWrite
    /// Its index among those that the write inserted.
    var offset: Int
  }

}

extension TextAnchor {
  /// Where the place of a ``TextAnchor`` is now.
  public enum Place: Hashable, Sendable {
    /// The anchor's character is in the text. The place is a number of Unicode scalars before it.
    case at(Int)
    /// The anchor's character was deleted. This is where it stood.
    case deleted(at: Int)
    /// Another text was assigned, so the text of the anchor is not there any more.
    case replaced
    /// The write of the anchor's character has not come to this replica yet.
    case unknown

    /// The number of Unicode scalars before the place; nil if it is not in the text.
    public var position: Int? {
      switch self {
      case .at(let position), .deleted(at: let position): position
      case .replaced, .unknown: nil
      }
    }
  }
}

// MARK: - As a text

/// The text is base64 of these bytes: the version, with 1 if the bias is *after*, 2 if there is a
/// character, and 4 if that is the base's own; the base and, if necessary, the character's write,
/// each as an origin, a sequence and an operation; the character's index.
extension TextAnchor: LosslessStringConvertible, Codable {
  private static let version: UInt8 = 0x10

  public var description: String {
    var writer = ByteWriter(capacity: 64)
    let isOfBase = scalar?.write == base
    writer.byte(
      Self.version | (bias == .after ? 1 : 0) | (scalar != nil ? 2 : 0) | (isOfBase ? 4 : 0))
    Self.encode(base, to: &writer)
    if let scalar {
      if !isOfBase { Self.encode(scalar.write, to: &writer) }
      writer.varint(scalar.offset)
    }
    return Data(writer.bytes).base64EncodedString()
  }

  /// Reads an anchor from its description.
  ///
  /// - Parameter description: a text that ``description`` has returned; of any other, the result is
  ///   nil.
  public init?(_ description: String) {
    guard description.utf8.count <= 256, let data = Data(base64Encoded: description) else {
      return nil
    }
    let anchor = try? Array(data).withRawBytes { bytes throws(EventError) -> TextAnchor? in
      var reader = ByteReader(bytes)
      let flags = try reader.byte()
      guard flags & 0xF8 == Self.version, flags & 6 != 4 else { return nil }
      let base = try Self.write(from: &reader)
      var scalar: Scalar?
      if flags & 2 != 0 {
        let write = flags & 4 != 0 ? base : try Self.write(from: &reader)
        scalar = Scalar(write: write, offset: try reader.index())
      }
      try reader.end(of: "an anchor")
      return TextAnchor(base: base, scalar: scalar, bias: flags & 1 != 0 ? .after : .before)
    }
    // Another text of the same anchor is refused, so that equal anchors are equal texts.
    guard let anchor = anchor ?? nil, anchor.description == description else { return nil }
    self = anchor
  }

  private static func encode(_ write: TextWrite, to writer: inout ByteWriter) {
    writer.replicaID(write.event.origin)
    writer.varint(write.event.sequence)
    writer.varint(UInt64(write.operation))
  }

  private static func write(from reader: inout ByteReader) throws(EventError) -> TextWrite {
    let origin = try reader.replicaID()
    let sequence = try reader.varint()
    let operation = try reader.varint()
    guard sequence > 0, let operation = UInt32(exactly: operation) else {
      throw EventError(.invalidValue, "an anchor names no write")
    }
    return TextWrite(event: EventID(origin, sequence), operation: operation)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let anchor = TextAnchor(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this text is no anchor")
    }
    self = anchor
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension TextAnchor: FieldValue {
  public static var fieldType: FieldType { .text }

  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self.init(text)
  }

  public var storedValue: Value { .text(description) }
}

extension WrittenText {
  /// Returns the anchor of a place; nil if it is not in the text.
  func anchor(at position: Int, bias: TextAnchor.Bias) -> TextAnchor? {
    guard position >= 0 else { return nil }
    /// The index of the scalar that the anchor goes with, among those that are shown.
    let wanted = bias == .before ? position - 1 : position
    var at = 0
    var scalar: TextAnchor.Scalar?
    for part in parts where part.isShown {
      if scalar == nil, wanted >= at, wanted < at + part.count {
        scalar = .init(write: part.write, offset: part.offset + wanted - at)
      }
      at += part.count
    }
    guard position <= at else { return nil }
    return TextAnchor(
      base: TextWrite(event: base.event, operation: base.operation),
      scalar: scalar, bias: bias)
  }

  /// Returns where anchors are that begin with this text's base; nil for one whose character is not
  /// known.
  func places(of anchors: [TextAnchor]) -> [TextAnchor.Place?] {
    var starts: [Int] = []
    var byWrite: [TextWrite: [(offset: Int, part: Int)]] = [:]
    var at = 0
    for (index, part) in parts.enumerated() {
      starts.append(at)
      byWrite[part.write, default: []].append((part.offset, index))
      for other in part.others { byWrite[other.write, default: []].append((other.offset, index)) }
      if part.isShown { at += part.count }
    }
    for write in byWrite.keys { byWrite[write]?.sort { $0.offset < $1.offset } }
    let end = at
    return anchors.map { anchor in
      guard let scalar = anchor.scalar else { return .at(anchor.bias == .before ? 0 : end) }
      guard let own = byWrite[scalar.write] else { return nil }
      var (low, high) = (0, own.count)
      while low < high {
        let middle = (low + high) / 2
        if own[middle].offset <= scalar.offset { low = middle + 1 } else { high = middle }
      }
      guard low > 0 else { return nil }
      let (first, index) = own[low - 1]
      guard scalar.offset - first < parts[index].count else { return nil }
      guard parts[index].isShown else { return .deleted(at: starts[index]) }
      let before = starts[index] + scalar.offset - first
      return .at(anchor.bias == .before ? before + 1 : before)
    }
  }
}
