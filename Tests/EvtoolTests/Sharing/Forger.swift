import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookReplication
import Foundation

/// An author without a store, that signs what it likes with a key of its own.
struct Forger {
  let identity: Identity
  private(set) var events: [EncodedEvent] = []
  private var chain: Chain

  /// - Parameter seed: of the key.
  init(seed: UInt8) throws {
    identity = try Identity(seed: Array(repeating: seed, count: 32))
    chain = Chain(origin: identity.id)
    sign(
      EncodedEvent(
        Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
        Body(operations: [.identity(IdentityClaim(identity))])))
  }

  var origin: ReplicaID { identity.id }

  mutating func sign(_ event: EncodedEvent) {
    chain.append(event)
    events.append(event)
  }

  /// Writes a title, at a time and having seen what it says.
  mutating func write(
    _ title: String, to id: String, authored: HybridTime, seeing others: [ReplicaID: UInt64] = [:]
  ) {
    let context = ContextDelta(
      others.sorted { $0.key < $1.key }.map { .init(origin: .new($0.key), by: $0.value) })
    let envelope = Envelope(kind: .transaction, authored: authored, context: context)
    let update = Operation.update(
      collection: "notes", id: id, fields: ["title": .text(title)])
    sign(EncodedEvent(envelope, Body(operations: [update])))
  }

  /// All that it has signed.
  func range() throws -> EventRange {
    var before = Chain(origin: origin)
    var frames: [EventRange.Packed] = []
    for (index, event) in events.enumerated() {
      let frame = try Frame(
        origin: origin, firstSequence: UInt64(index) + 1, events: [event], chainBefore: before)
      before.append(event)
      frames.append(.init(frame))
    }
    let head = try Head(
      zone: ZoneID.none.bytes, sequence: UInt64(events.count), chain: chain.value, by: identity)
    return EventRange(
      origin: origin, first: 1, chainBefore: Chain(origin: origin).value, frames: frames,
      isZoneless: true, signature: head.signature)
  }

  /// Puts a range into a shared folder in which stores have met, without a store.
  func put(_ range: EventRange, into shared: String) throws {
    let manager = FileManager.default
    let folders = try manager.contentsOfDirectory(atPath: shared).filter { $0.hasPrefix("zone-") }
    guard let folder = folders.first, let zone = ZoneID(String(folder.dropFirst(5))) else { return }
    let file = FolderFile(zone: zone, writer: origin, ranges: [range], chainAfter: chain.value)
    let bytes = file.encoded()
    let place = "\(shared)/\(folder)/\(origin)"
    try manager.createDirectory(atPath: place, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(place)/\(file.name(of: bytes))"))
  }
}

/// A request over HTTP/1.1 on a connection of its own, as no client of ours makes it.
enum RawHTTP {
  /// - Returns: the answer's status, and its text; nil if the connection ended before one came.
  static func send(
    _ line: String, to port: Int, headers: [String: String] = [:], body: [UInt8] = []
  ) throws -> (status: Int, text: String)? {
    let descriptor = try HubProcessTests.connection(to: port)
    defer { close(descriptor) }
    var head = "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    for (name, value) in headers.merging(["Content-Length": "\(body.count)"]) { a, _ in a } {
      head += "\(name): \(value)\r\n"
    }
    let bytes = Array((head + "\r\n").utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      // A hub may refuse by the head, and hang up.
      guard count > 0 else { break }
      sent += count
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      return nil
    }
    return (status, text)
  }

  /// Sends a message of the sync protocol.
  static func exchange(
    _ message: [UInt8], with port: Int, zone: String = "team", token: String
  ) throws -> (status: Int, text: String)? {
    try send(
      "POST /v1/zones/\(zone)/exchange", to: port,
      headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/octet-stream"],
      body: message)
  }
}
