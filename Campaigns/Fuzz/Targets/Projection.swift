import DaybookEventCore
import DaybookProjections
import DaybookReferenceModel
import Foundation
import GRDB

extension FuzzTarget {
  /// Events of several origins, as anybody can sign them: operations that cannot be decoded, bases
  /// and contexts that name what there is not, times from anywhere.
  ///
  /// A read model that applied them all at once, one that applied them one by one, and one that was
  /// rebuilt must agree in every table.
  static let projection = FuzzTarget("projection", bytesMax: 256, trials: 120) {
    [
      [],
      // An edit of an unknown origin's base, then an operation that cannot be decoded.
      [1, 0x0C, 1, 6, 0x01, 6, 0],
      [1, 0, 2, 6, 0x01, 6, 0, 11, 3, 1, 0xFF],
      [1, 0, 1, 1, 0, 1, 2, 2, 1, 1, 7, 0, 1, 1, 0, 1, 7, 1, 0, 2, 2],
      [0, 3, 2, 8, 1, 9, 0, 8, 2, 0xFF, 0x0F, 1, 1, 1, 1, 3, 0, 0],
      [2, 0x40, 0x23, 1, 0, 0, 2, 1, 1, 8, 12, 2, 1, 1, 0x80, 0x11, 1, 9],
      (0..<120).map { UInt8(truncatingIfNeeded: $0 * 37) },
      (0..<200).map { UInt8(truncatingIfNeeded: $0 * $0 * 11 + 5) },
    ]
  } check: { bytes in
    var input = FuzzInput(bytes)
    var authors = try HostileAuthors()
    while !input.isAtEnd, authors.count < 24 { try authors.write(&input) }
    let source = authors.source
    let gradual = try ProjectedSample(source) { projector in
      for step in authors.steps {
        source.shown = step
        try projector.catchUp()
      }
    }
    source.shown = nil
    let whole = try ProjectedSample(source) { try $0.catchUp() }
    let path = FileManager.default.temporaryDirectory
      .appending(path: "daybook-fuzz-\(UUID()).sqlite").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try Rebuild(source: source).run(into: path)
    let rebuilt = try DatabaseQueue(path: path)
    defer { try? rebuilt.close() }
    try rebuilt.read { fresh in
      for (name, live) in [("one by one", gradual), ("all at once", whole)] {
        let difference = try live.difference(from: fresh, source)
        try require(difference == nil, "applied \(name), and rebuilt: \(difference ?? "")")
      }
    }
  }
}

/// A read model in memory.
private final class ProjectedSample {
  private let queue: DatabaseQueue

  init(_ source: SampleSource, _ body: (Projector) throws -> Void) throws {
    queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let sql = StatementCache(connection)
      try ReadModelFormat.create(sql)
      sql.removeAll()
      let projector = try Projector(connection: connection, source: source)
      defer { projector.close() }
      try body(projector)
    }
  }

  func difference(from fresh: Database, _ source: SampleSource) throws -> String? {
    try queue.read { live in
      let a = try ReadModelView(live, source: source)
      defer { a.close() }
      let b = try ReadModelView(fresh, source: source)
      defer { b.close() }
      if let found = try ReadModelComparison(live: a, fresh: b).firstDifference() {
        return found.description
      }
      let sum = try a.recomputedDigest()
      return sum == a.digest ? nil : "the rows add up to another digest"
    }
  }
}

/// Authors who sign what the input says.
private struct HostileAuthors {
  let source = SampleSource()
  /// What can be read after each event.
  private(set) var steps: [VersionVector] = []
  private let origins: [ReplicaID]
  private var time: Int64 = 1000

  var count: Int { steps.count }

  init() throws {
    var ids: [ReplicaID] = []
    for seed in 1...3 as ClosedRange<UInt8> {
      let identity = try Identity(seed: [UInt8](repeating: seed, count: 32))
      let claim =
        seed == 1 ? try IdentityClaim(identity, certifiedBy: identity) : IdentityClaim(identity)
      source.append(
        identity.id,
        EncodedEvent(
          Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
          Body(operations: [.identity(claim)])))
      ids.append(identity.id)
    }
    origins = ids + [ids[1].privateOrigin]
    source.append(
      ids[1],
      EncodedEvent(
        Envelope(kind: .transaction, authored: HybridTime(milliseconds: 2)),
        Body(operations: [
          .define(
            Definition(
              "notes",
              [.text("title").merging().searchable(weight: 1), .text("code").unique()])),
          .insert(collection: "notes", id: "n1", fields: ["title": .text("hello")]),
        ])))
    steps.append(source.wholeVector)
  }

  /// Writes an event: six bytes or more.
  mutating func write(_ input: inout FuzzInput) throws {
    let first = input.byte()
    let origin = origins[Int(first) % origins.count]
    let kinds: [Envelope.Kind] = [.transaction, .transaction, .transaction, .stamps]
    let kind: Envelope.Kind =
      first & 0x40 == 0
      ? (origin == origins[0] ? .stamps : kinds[Int(first >> 2) % 4])
      : [.identity, .unknown(99), .stamps, .transaction][Int(first >> 2) % 4]
    let head = input.byte()
    let codec: Envelope.BodyCodec =
      head & 0x10 == 0 ? .plain : head & 0x20 == 0 ? .salted : .unknown(7)
    let envelope = Envelope(
      kind: kind, authored: moment(head), bodyCodec: codec, context: context(head, &input))
    var operations: [DaybookEventCore.Operation] = []
    for _ in 0..<input.byte() % 4 { operations.append(operation(&input)) }
    // A quarter of all bytes: what stands before an operation that cannot be decoded must leave no
    // trace.
    if head & 0x0C == 0x0C {
      operations.append(.unknown(kind: OperationKind.insert, payload: [0xFF]))
    }
    let salt = codec == .salted ? [UInt8](repeating: 5, count: 16) : nil
    var event = EncodedEvent(envelope, Body(operations: operations), salt: salt)
    if first & 0x80 != 0 { damage(&event, &input) }
    source.append(origin, event)
    steps.append(source.wholeVector)
  }

  private mutating func moment(_ head: UInt8) -> HybridTime {
    switch head >> 6 {
    case 0:
      time += 10
      return HybridTime(milliseconds: time)
    case 1: return HybridTime(milliseconds: time - 500)
    case 2: return HybridTime(milliseconds: HybridTime.farFuture.milliseconds + Int64(head & 3))
    default: return HybridTime(rawValue: .max - UInt64(head & 1))
    }
  }

  private func context(_ head: UInt8, _ input: inout FuzzInput) -> ContextDelta {
    switch head & 7 {
    case 1: return ContextDelta([.init(origin: .new(anyone(&input)), by: amount(&input))])
    case 2: return ContextDelta([.init(origin: .known(Int(input.byte() % 3)), by: amount(&input))])
    case 3:
      return ContextDelta(
        origins.prefix(3).map { .init(origin: .new($0), by: max(1, source.count($0))) })
    default: return ContextDelta()
    }
  }

  private func amount(_ input: inout FuzzInput) -> UInt64 {
    let byte = input.byte()
    return byte < 0xF0 ? UInt64(byte % 16) + 1 : byte % 2 == 0 ? 1 << 40 : .max
  }

  /// One of the origins, or one that nobody knows.
  private func anyone(_ input: inout FuzzInput) -> ReplicaID {
    let number = Int(input.byte() % 8)
    return number < origins.count ? origins[number] : ReplicaID(high: UInt64(number), low: 77)
  }

  private func operation(_ input: inout FuzzInput) -> DaybookEventCore.Operation {
    let (kind, what) = (input.byte() % 12, input.byte())
    let collection = what & 0x80 == 0 ? "notes" : "other"
    let id = "n\(what % 3)"
    let fields: [String: Value] = [
      what & 4 == 0 ? "title" : "extra": what & 8 == 0 ? .text("t\(what)") : .null,
      "code": what & 16 == 0 ? .text("c\(what % 2)") : .integer(Int64(what)),
    ]
    switch kind {
    case 0:
      return .define(
        Definition(
          collection: collection, attributes: [:],
          fields: [.text("title").merging(), what & 1 == 0 ? .text("extra") : .integer("code")]))
    case 1: return .insert(collection: collection, id: id, fields: fields)
    case 2: return .update(collection: collection, id: id, fields: fields)
    case 3: return .delete(collection: collection, id: id)
    case 4: return .restore(collection: collection, id: id)
    case 5: return .erase(collection: collection, id: id)
    case 6, 7:
      let base = EventID(anyone(&input), UInt64(input.byte() % 8) + 1)
      return .edit(
        TextEdit(
          collection: collection, id: id, field: what & 4 == 0 ? "title" : "extra", base: base,
          baseOperation: UInt32(what % 3),
          script: TextLedger.script(of: [.retain(Int(what % 7) + 1), .insert(["x"])]),
          isComparison: what & 8 != 0))
    case 8:
      let from = UInt64(what % 8) + 1
      return .stamp(
        Stamp(
          origin: anyone(&input), from: from, through: from + UInt64(input.byte() % 8),
          chain: .zero,
          time: HybridTime(
            milliseconds: what & 0x40 == 0 ? time + Int64(what) : 300_000_000_000_000)))
    case 9: return .drop(collection: collection, field: what & 1 == 0 ? nil : "extra")
    default:
      // Of a known kind, and probably no such operation.
      return .unknown(
        kind: UInt64(what % 13), payload: Array(input.take(Int(input.byte() % 12))))
    }
  }

  private func damage(_ event: inout EncodedEvent, _ input: inout FuzzInput) {
    let what = input.byte()
    guard case .present(var body) = event.body else { return }
    switch what % 4 {
    case 0: event.body = .hash(.zero)
    case 1: event.envelope = Array(event.envelope.dropLast())
    default:
      let at = Int(input.byte()) % max(1, body.count)
      if at < body.count { body[at] ^= input.byte() | 1 }
      event.body = .present(body)
    }
  }
}
