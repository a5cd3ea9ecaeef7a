import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections
import DaybookSimulation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct InterchangeWriterTests {
  @Test("a define line declares the same collection again")
  func define() throws {
    let schema = try everyType()
    let lines = schema.sorted.map { String(decoding: InterchangeWriter.define($0), as: UTF8.self) }
    #expect(
      lines[0]
        == #"{"op":"define","collection":"links","relationship":true,"fields":["#
        + #"{"name":"kind","type":"text"}]}"#
    )
    #expect(lines[1].contains(#"{"name":"title","type":"text","search":2.5}"#))
    #expect(lines[1].contains(#"{"name":"parent","type":"text","references":"things"}"#))
    let again = try InterchangeTests.schema(lines)
    for collection in schema.sorted {
      let other = try #require(again[collection.name])
      #expect(other.isRelationship == collection.isRelationship)
      #expect(Set(other.fields) == Set(collection.fields))
    }
  }

  @Test("an insert line omits missing values, and has the ends beside the fields")
  func insert() throws {
    let schema = try everyType()
    let links = try #require(schema["links"])
    let line = InterchangeWriter.insert(
      into: links, id: "l\"1",
      fields: ["source": .text("a"), "target": .text("b"), "kind": .null])
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"op":"insert","collection":"links","id":"l\"1","source":"a","target":"b","#
        + #""fields":{}}"#
    )
  }

  @Test("every entity is read from its insert line", arguments: 0..<50 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let schema = try everyType()
    let things = try #require(schema["things"])
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      var fields: [String: Value] = [:]
      for field in things.fields where random.pick(0...3) > 0 {
        fields[field.name] = value(field.type, &random)
      }
      let id = hostile[random.pick(0...hostile.count - 1)] + "\(random.next())"
      let line = InterchangeWriter.insert(into: things, id: id, fields: fields)
      #expect(!line.contains(0x0A))
      let read = try InterchangeLine(parsing: line).operation(schema: schema)
      #expect(read == .operation(.insert(collection: "things", id: id, fields: fields)))
    }
  }

  @Test("the line of an event has author, time, label and operations in the form of interchange")
  func event() throws {
    let schema = try everyType()
    let origin = ReplicaID(high: 0x0123_4567_89AB_CDEF, low: 1)
    let body = Body(
      actor: "ada", label: "tidy \"up\"", annotations: ["b": "2", "a": "1"],
      operations: [
        .update(collection: "things", id: "n", fields: ["weight": .real(2), "data": .blob([0])]),
        .insert(
          collection: "links", id: "l", fields: ["target": .text("b"), "source": .text("a")]),
        .delete(collection: "things", id: "n"), .drop(collection: "things", field: "at"),
        .unknown(kind: 99, payload: [1, 2, 3]),
      ])
    let line = InterchangeWriter.event(
      EventID(origin, 7), authored: HybridTime(milliseconds: 1000), stamp: nil, body: body,
      schema: schema)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"origin":"0123456789abcdef0000000000000001","sequence":7,"#
        + #""authored":"1970-01-01T00:00:01.000Z","stamp":null,"hub":null,"actor":"ada","#
        + #""label":"tidy \"up\"","annotations":{"a":"1","b":"2"},"operations":["#
        + #"{"op":"update","collection":"things","id":"n","fields":{"data":"AA==","weight":2.0}},"#
        + #"{"op":"insert","collection":"links","id":"l","source":"a","target":"b","fields":{}},"#
        + #"{"op":"delete","collection":"things","id":"n"},"#
        + #"{"op":"drop","collection":"things","field":"at"},"#
        + #"{"op":"unknown","kind":99,"payload":"AQID"}]}"#)
    let sealed = InterchangeWriter.event(
      EventID(origin, 8), authored: .zero, stamp: (HybridTime(milliseconds: 5), origin), body: nil,
      schema: schema)
    #expect(throws: Never.self) { try JSONParser.parse(sealed) }
    #expect(try JSONParser.parse(sealed)["operations"] == .null)
  }

  private let hostile = [
    "", "😀", "\u{0}", "\"\\", "שלום\u{202E}", "e\u{301}", "\r\n", "\u{FEFF}", "'; DROP TABLE x;--",
  ]

  private func value(_ type: FieldType, _ random: inout SplitMix64) -> Value {
    switch type {
    case .text: .text(hostile[random.pick(0...hostile.count - 1)])
    case .integer: .integer(Int64(bitPattern: random.next()) >> Int64(random.pick(0...63)))
    case .real: .real(Double(Int64(bitPattern: random.next())) / 1024)
    case .boolean: .boolean(random.pick(0...1) == 0)
    case .blob:
      .blob((0..<random.pick(0...9)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .timestamp: .timestamp(Int64(random.pick(-62_135_596_800_000...253_402_300_799_999)))
    case .json:
      .json(
        JSONWriter.canonical(
          .object([("z", .real(0.5)), ("a", .text(hostile[random.pick(0...hostile.count - 1)]))])))
    }
  }
}
