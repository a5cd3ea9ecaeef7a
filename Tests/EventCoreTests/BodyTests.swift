import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("Body, Operation+Codec and BodyView")
struct BodyTests {
  private func code(_ bytes: [UInt8], _ codec: Envelope.BodyCodec = .plain) -> EventError.Code? {
    Decoding.code { () throws(EventError) in _ = try Decoding.body(bytes, codec) }
  }

  private func code(_ operation: Operation) -> EventError.Code? {
    code(Body(operations: [operation]).encoded())
  }

  @Test("a body is decoded as it was encoded, and has one encoding")
  func roundTrip() throws {
    var random = SplitMix64(seed: 10)
    for _ in 0..<500 {
      let body = random.body()
      let bytes = body.encoded()
      #expect(try Decoding.body(bytes) == body)
      #expect(try Decoding.body(bytes).encoded() == bytes)
    }
  }

  @Test("a salted body begins with its salt and is decoded the same")
  func salted() throws {
    var random = SplitMix64(seed: 11)
    let (body, salt) = (random.body(), random.bytes(16))
    let bytes = body.encoded(salt: salt)
    #expect(Array(bytes.prefix(16)) == salt)
    #expect(try Decoding.body(bytes, .salted) == body)
    #expect(code(Array(bytes.prefix(15)), .salted) == .truncated)
  }

  @Test("a codec or version of later software is an error of its own")
  func unknown() {
    let bytes = Body(operations: []).encoded()
    #expect(code(bytes, .unknown(2)) == .unknownVersion)
    #expect(code([2] + bytes.dropFirst()) == .unknownVersion)
  }

  @Test("operations of unknown kinds survive byte for byte, between others that are decoded")
  func unknownOperations() throws {
    let payloads: [[UInt8]] = [[], [0], [255, 1, 2], Array(repeating: 7, count: 300)]
    for (index, payload) in payloads.enumerated() {
      let operations: [Operation] = [
        .delete(collection: "notes", id: "a"),
        .unknown(kind: [0, 13, 300, .max][index], payload: payload),
        .restore(collection: "notes", id: "b"),
      ]
      let bytes = Body(operations: operations).encoded()
      let body = try Decoding.body(bytes)
      #expect(body.operations == operations)
      #expect(body.encoded() == bytes)
    }
  }

  @Test("names are encoded once, in the order of their bytes")
  func names() {
    let body = Body(operations: [
      .insert(collection: "notes", id: "a", fields: ["~": .null, "z": .null, "Z": .null]),
      .insert(collection: "notes", id: "b", fields: ["z": .null]),
    ])
    #expect(Decoding.names(body.encoded()) == ["Z", "notes", "z", "~"])
  }

  @Test("names out of order, repeated or empty are refused")
  func nameOrder() {
    func table(_ names: [String]) -> [UInt8] {
      var writer = ByteWriter()
      writer.raw([Body.version, 0, 0, 0])
      writer.varint(names.count)
      for name in names { writer.text(name) }
      writer.varint(0)
      return writer.bytes
    }
    #expect(code(table(["a", "b"])) == nil)
    #expect(code(table(["b", "a"])) == .notCanonical)
    #expect(code(table(["a", "a"])) == .notCanonical)
    #expect(code(table([""])) == .notCanonical)
  }

  @Test("names have to be printable ASCII of at most 255 bytes")
  func namesAreASCII() {
    for name in ["e\u{301}", "\u{E9}", "\u{212A}", "a b", "a\u{7F}", "\t"] {
      for isAnnotation in [false, true] {
        var writer = ByteWriter()
        writer.raw([Body.version, 0, 0])
        if !isAnnotation { writer.varint(0) }
        writer.varint(1)
        writer.text(name)
        if isAnnotation { writer.raw([0, 0]) }
        writer.varint(0)
        #expect(code(writer.bytes) == .notCanonical, "\(name)")
      }
    }
    let longest = String(repeating: "n", count: 255)
    #expect(code(Body(operations: [.drop(collection: longest, field: "~")]).encoded()) == nil)
    #expect(
      code(Body(operations: [.drop(collection: longest + "n", field: nil)]).encoded())
        == .notCanonical)
  }

  @Test("annotations out of order or repeated are refused")
  func annotationOrder() throws {
    let body = Body(annotations: ["b": "1", "a": "2", "c": ""], operations: [])
    #expect(try Decoding.body(body.encoded()) == body)
    for keys in [["b", "a"], ["a", "a"]] {
      var writer = ByteWriter()
      writer.raw([Body.version, 0, 0, 2])
      for key in keys {
        writer.text(key)
        writer.text("")
      }
      writer.raw([0, 0])
      #expect(code(writer.bytes) == .notCanonical)
    }
  }

  @Test("fields out of order, repeated or without a name are refused")
  func fieldOrder() {
    func insert(_ numbers: [UInt8]) -> [UInt8] {
      let payload: [UInt8] =
        [0, 1 << 1, 0x6E, UInt8(numbers.count)] + numbers.flatMap { [$0, ValueTag.null] }
      let names: [UInt8] = [2, 1, 0x61, 1, 0x62]
      return [Body.version, 0, 0, 0] + names + [1, 3, UInt8(payload.count)] + payload
    }
    #expect(code(insert([0, 1])) == nil)
    #expect(code(insert([1, 0])) == .notCanonical)
    #expect(code(insert([1, 1])) == .notCanonical)
    #expect(code(insert([2])) == .notCanonical)
  }

  @Test("an operation with missing or surplus bytes is refused")
  func malformedOperations() {
    for kind in OperationKind.define...OperationKind.comparison {
      #expect(code(.unknown(kind: kind, payload: [])) == .truncated)
      #expect(code(.unknown(kind: kind, payload: [9])) != nil)
      #expect(code(.unknown(kind: kind, payload: [UInt8](repeating: 0xFF, count: 9))) != nil)
    }
  }

  @Test("a stamp covers at least one event, from 1 on")
  func stamps() {
    func stamp(_ from: UInt64, _ through: UInt64) -> Operation {
      .stamp(
        Stamp(
          origin: ReplicaID(high: 1, low: 2), from: from, through: through, chain: .zero,
          time: .zero))
    }
    #expect(code(stamp(1, 1)) == nil)
    #expect(code(stamp(1, UInt64(Int64.max) - 1)) == nil)
    #expect(code(stamp(0, 1)) == .malformed)
    #expect(code(stamp(2, 1)) == .malformed)
    #expect(code(stamp(1, .max)) == .malformed)
  }

  @Test("a definition that names a field twice is refused")
  func fieldTwice() {
    let twice = Definition("notes", [.init("a"), .init("b"), .init("a")])
    #expect(code(.define(twice)) == .malformed)
  }

  @Test("a definition of many fields is decoded")
  func manyFields() throws {
    let fields = (0..<20_000).map { Definition.Field("f\($0)") }
    let body = Body(operations: [.define(Definition("notes", fields))])
    #expect(try Decoding.body(body.encoded()) == body)
  }

  @Test("counts larger than the bytes are refused before anything is allocated")
  func countBombs() {
    var huge = ByteWriter()
    huge.varint(UInt64.max >> 1)
    let prefixes: [[UInt8]] = [
      [1], [1, 0], [1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1, 3],
      [1, 0, 0, 0, 1, 1, 0x61, 1, 1, 11, 0],
      [1, 0, 0, 0, 1, 1, 0x61, 1, 1, 12, 0, 0],
      [1, 0, 0, 0, 1, 1, 0x61, 1, 3, 13, 0, 2, 0x6E],
    ]
    for prefix in prefixes { #expect(code(prefix + huge.bytes) == .truncated, "\(prefix)") }
  }

  @Test("a view reads the operations on entities in place, with the same values")
  func views() throws {
    var random = SplitMix64(seed: 12)
    for _ in 0..<300 {
      let body = random.body()
      try body.encoded().withUnsafeBytes { raw in
        var view = try BodyView(raw, codec: .plain)
        #expect(view.operationCount == body.operations.count)
        while let operation = try view.next() {
          try compare(operation, view.names, with: body.operations[operation.index])
        }
      }
    }
  }

  private func compare(
    _ view: OperationView, _ names: [UnsafeRawBufferPointer], with operation: Operation
  ) throws {
    let (collection, id, fields): (String, String, [String: Value])
    switch operation {
    case .insert(let c, let i, let f), .update(let c, let i, let f):
      (collection, id, fields) = (c, i, f)
    case .delete(let c, let i), .restore(let c, let i), .erase(let c, let i):
      (collection, id, fields) = (c, i, [:])
    case .edit(let edit):
      let entity = try EntityOperationView(view, nameCount: names.count)
      #expect(names[entity.collection].text == edit.collection && entity.id.text == edit.id)
      #expect(entity.edit.map { names[$0.field].text } == edit.field)
      #expect(entity.edit?.base == edit.base)
      #expect(entity.edit?.baseOperation == edit.baseOperation)
      #expect(entity.edit.map { Array($0.script) } == edit.script)
      return
    default: return
    }
    var entity = try EntityOperationView(view, nameCount: names.count)
    #expect(names[entity.collection].text == collection && entity.id.text == id)
    var read: [String: Value] = [:]
    while let (name, value, bytes) = try entity.nextField() {
      read[names[name].text] = value.value
      #expect(value.value.canonicalBytes == Array(bytes))
    }
    #expect(read == fields)
  }
}
