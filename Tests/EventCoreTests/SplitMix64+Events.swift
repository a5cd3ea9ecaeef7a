import DaybookEventCore
import DaybookSimulation

/// Arbitrary values of every structure, valid ones.
extension SplitMix64 {
  mutating func replicaID() -> ReplicaID { ReplicaID(high: next(), low: next()) }

  mutating func hash() -> Hash256 { Hash256.sha256(of: bytes(8)) }

  /// Numbers of all magnitudes.
  mutating func number() -> UInt64 { next() >> UInt64(pick(0...63)) }

  mutating func text() -> String {
    let alphabet: [Character] = ["a", "b", "Z", "0", " ", "é", "漢", "🙂", "\u{0}", "\u{7FF}"]
    if chance(15) { return PackedUUID(utf8: uuidBytes())!.text }
    return String((0..<pick(0...6)).map { _ in pick(alphabet) })
  }

  private mutating func uuidBytes() -> UnsafeRawBufferPointer {
    let texts: [StaticString] = [
      "00000000-0000-0000-0000-000000000000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ]
    let text = pick(texts)
    return UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  mutating func name() -> String { pick(["notes", "links", "title", "body", "~", "a-b", "\"q\""]) }

  mutating func id() -> String { chance(30) ? text() + "x" : pick(["n1", "n2", "N1"]) }

  mutating func value() -> Value {
    switch pick(0...8) {
    case 0: .null
    case 1: .boolean(chance(50))
    case 2: .integer(Int64(bitPattern: number()))
    case 3: .real(Double(Int64(bitPattern: number())) / 8)
    case 4: .blob(bytes(pick(0...5)))
    case 5: .timestamp(Int64(bitPattern: number()))
    case 6: .json(Array("{\"a\":\(pick(0...99))}".utf8))
    default: .text(text())
    }
  }

  mutating func values() -> [String: Value] {
    var values: [String: Value] = [:]
    for _ in 0..<pick(0...3) { values[name()] = value() }
    return values
  }

  mutating func stamp() -> Stamp {
    let from = UInt64(pick(1...1000))
    return Stamp(
      origin: replicaID(), from: from, through: from + UInt64(pick(0...1000)), chain: hash(),
      time: HybridTime(rawValue: number()))
  }

  mutating func definition() -> Definition {
    var definition = Definition(collection: name(), attributes: values())
    for _ in 0..<pick(0...3) {
      let field = name()
      guard !definition.fields.contains(where: { $0.name == field }) else { continue }
      definition.fields.append(.init(field, values()))
    }
    return definition
  }

  mutating func operation() -> Operation {
    switch pick(0...11) {
    case 0: .define(definition())
    case 1: .drop(collection: name(), field: chance(50) ? name() : nil)
    case 2, 3: .insert(collection: name(), id: id(), fields: values())
    case 4, 5: .update(collection: name(), id: id(), fields: values())
    case 6: .delete(collection: name(), id: id())
    case 7: .restore(collection: name(), id: id())
    case 8: .erase(collection: name(), id: id())
    case 9: .stamp(stamp())
    case 10:
      .edit(
        TextEdit(
          collection: name(), id: id(), field: name(),
          base: EventID(replicaID(), UInt64(pick(1...300))), baseOperation: UInt32(pick(0...9)),
          script: bytes(pick(0...9)), isComparison: chance(50)))
    default: .unknown(kind: UInt64(pick(13...300)), payload: bytes(pick(0...6)))
    }
  }

  mutating func body() -> Body {
    var body = Body(actor: text(), label: text(), operations: [])
    for _ in 0..<pick(0...2) { body.annotations[name()] = text() }
    for _ in 0..<pick(0...4) { body.operations.append(operation()) }
    return body
  }

  mutating func envelope() -> Envelope {
    let kinds: [Envelope.Kind] = [
      .identity, .transaction, .stamps, .unknown(UInt64(pick(4...999))),
    ]
    let codecs: [Envelope.BodyCodec] = [.plain, .salted, .unknown(UInt8(pick(2...255)))]
    var context = ContextDelta()
    for _ in 0..<pick(0...3) {
      let origin: ContextDelta.Origin =
        chance(50) ? .known(pick(0...300)) : .new(replicaID())
      context.advances.append(.init(origin: origin, by: max(1, number())))
    }
    return Envelope(
      kind: pick(kinds), authored: HybridTime(rawValue: number()), bodyCodec: pick(codecs),
      context: context)
  }
}
