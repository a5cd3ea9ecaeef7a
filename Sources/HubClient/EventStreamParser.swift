/// A parser of server-sent events, for bytes in pieces of any size.
struct EventStreamParser {
  struct Event: Hashable {
    /// The event's name; `message` if it has none.
    var name: String
    var data: String
  }

  /// The most bytes of a line. No hub sends longer ones.
  static let lineBytesMax = 64 << 10

  private var line: [UInt8] = []
  private var name = ""
  private var data: [String] = []
  /// Whether the last byte was a carriage return. A line feed after it does not end another line.
  private var followsReturn = false

  /// Parses the next bytes.
  /// - Returns: The events that end in these bytes; nil if a line or an event is too long.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Event]? {
    var events: [Event] = []
    for byte in bytes {
      switch byte {
      case 0x0A where followsReturn: followsReturn = false
      case 0x0A, 0x0D:
        followsReturn = byte == 0x0D
        if let event = endLine() { events.append(event) }
      default:
        followsReturn = false
        line.append(byte)
      }
      guard line.count <= Self.lineBytesMax, data.count <= 1024 else { return nil }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { (name, data) = ("", []) }
      // According to the standard, an event without data is dropped.
      guard !data.isEmpty else { return nil }
      return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let field = String(decoding: line[..<colon], as: UTF8.self)
    var value = line[colon...].dropFirst()
    if value.first == 0x20 { value = value.dropFirst() }
    switch field {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data": data.append(String(decoding: value, as: UTF8.self))
    default: break
    }
    return nil
  }
}
