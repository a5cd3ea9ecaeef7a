import DaybookEventCore

/// Operations of every kind with values of every type, as seeds.
enum SampleEvents {
  static let values: [Value] = [
    .null, .boolean(true), .boolean(false), .integer(-1), .integer(.max), .real(0.5), .text(""),
    .text("Oat milk, 漢字"), .text("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), .blob([0, 255]),
    .timestamp(1_700_000_000_000), .json(Array("{\"a\":[1,2]}".utf8)),
  ]

  static let fields: [String: Value] = Dictionary(
    uniqueKeysWithValues: values.enumerated().map { ("f\($0)", $1) })

  static func operations() throws -> [Operation] {
    let hub = try Identity(seed: [UInt8](repeating: 9, count: 32))
    return [
      .define(
        Definition(
          collection: "notes", attributes: ["relationship": .boolean(true)],
          fields: [.text("title").searchable(weight: 2), .init("f1")])),
      .drop(collection: "notes", field: "title"), .drop(collection: "notes", field: nil),
      .insert(collection: "notes", id: "n1", fields: fields),
      .update(
        collection: "notes", id: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        fields: ["f1": .text("new")]),
      .delete(collection: "notes", id: "n1"), .restore(collection: "notes", id: "n1"),
      .erase(collection: "notes", id: "n1"),
      .edit(
        TextEdit(
          collection: "notes", id: "n1", field: "title", base: EventID(hub.id, 300),
          baseOperation: 2, script: [3 << 2, 4 << 2 | 2] + Array("oat ".utf8) + [1 << 2 | 1])),
      .stamp(
        Stamp(
          origin: hub.id, from: 1, through: 300, chain: .zero, time: HybridTime(milliseconds: 7))),
      .identity(IdentityClaim(hub)), .identity(try IdentityClaim(hub, certifiedBy: hub)),
      .unknown(kind: 300, payload: [1, 2, 3]),
    ]
  }

  static func bodies() throws -> [Body] {
    let operations = try operations()
    return operations.map { Body(operations: [$0]) } + [
      Body(
        actor: "ann", label: "import", annotations: ["line": "3", "source": "a.ndjson"],
        operations: Array(operations.dropLast(3))),
      Body(operations: []),
    ]
  }

  static let envelopes: [Envelope] = {
    let other = ReplicaID(high: 1, low: 2)
    let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 3)
    return [
      Envelope(kind: .transaction, authored: time), Envelope(kind: .identity, authored: .zero),
      Envelope(
        kind: .stamps, authored: time, bodyCodec: .salted,
        context: ContextDelta([.init(origin: .new(other), by: 5)])),
      Envelope(
        kind: .unknown(99), authored: time, bodyCodec: .unknown(7),
        context: ContextDelta([
          .init(origin: .known(0), by: 1), .init(origin: .known(3), by: 1 << 40),
        ])),
    ]
  }()
}

/// Checks that the offset of a decoding error lies in the decoded bytes or at their end.
func checkOffset(_ error: EventError, in bytes: UnsafeRawBufferPointer) throws(FuzzFinding) {
  try require(
    error.offset.map { (0...bytes.count).contains($0) } ?? true,
    "an error at byte \(error.offset ?? 0) of \(bytes.count): \(error)")
}
