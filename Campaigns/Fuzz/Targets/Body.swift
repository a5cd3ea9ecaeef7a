import DaybookEventCore

extension FuzzTarget {
  /// Bodies, salted if the first byte is odd, else plain.
  static let body = FuzzTarget("body") {
    try SampleEvents.bodies().flatMap { body in
      [[0] + body.encoded(), [1] + body.encoded(salt: [UInt8](repeating: 5, count: 16))]
    }
  } check: { bytes in
    var input = FuzzInput(bytes)
    let isSalted = input.byte() & 1 == 1
    try checkBody(input.rest(), isSalted ? .salted : .plain)
  }

  static func checkBody(_ bytes: UnsafeRawBufferPointer, _ codec: Envelope.BodyCodec) throws {
    let body: Body
    do throws(EventError) { body = try Body(decoding: bytes, codec: codec) } catch {
      // An error about one operation has an offset within its bytes, which are part of the body.
      try checkOffset(error, in: bytes)
      return
    }
    let salt = codec == .salted ? Array(bytes.prefix(16)) : nil
    let again = body.encoded(salt: salt)
    let (names, namesAgain) = (
      try names(bytes, codec), try again.withUnsafeBytes { try Self.names($0, codec) }
    )
    // A `Body` does not keep names that only unknown operations use; the event's bytes do.
    try require(
      names != namesAgain || again.elementsEqual(bytes),
      "a body is encoded otherwise than it was decoded from")
    try require(
      again.withUnsafeBytes { try? Body(decoding: $0, codec: codec) } == body,
      "a body that is encoded and decoded is another")
    try checkInPlace(bytes, codec, body)
  }

  private static func names(_ bytes: UnsafeRawBufferPointer, _ codec: Envelope.BodyCodec) throws
    -> [String]
  {
    try BodyView(bytes, codec: codec).names.map(\.text)
  }

  /// Checks that the readers that copy nothing agree with the decoded body.
  private static func checkInPlace(
    _ bytes: UnsafeRawBufferPointer, _ codec: Envelope.BodyCodec, _ body: Body
  ) throws {
    var view = try BodyView(bytes, codec: codec)
    let names = view.names.map(\.text)
    try require(view.operationCount == body.operations.count, "operations are missing")
    while let operation = try view.next() {
      guard OperationKind.isAboutEntity(operation.kind) else { continue }
      var entity = try EntityOperationView(operation, nameCount: names.count)
      var fields: [String: Value] = [:]
      while let (name, value, raw) = try entity.nextField() {
        fields[names[name]] = value.value
        try require(
          value.value.canonicalBytes.elementsEqual(raw), "a field's bytes are not its value's")
      }
      let (collection, id) = (names[entity.collection], entity.id.text)
      let expected: Operation =
        switch operation.kind {
        case OperationKind.insert: .insert(collection: collection, id: id, fields: fields)
        case OperationKind.update: .update(collection: collection, id: id, fields: fields)
        case OperationKind.delete: .delete(collection: collection, id: id)
        case OperationKind.restore: .restore(collection: collection, id: id)
        case OperationKind.erase: .erase(collection: collection, id: id)
        case OperationKind.undo:
          .undo(
            Undo(
              collection: collection, id: id, isUndone: entity.undo?.isUndone ?? false,
              turn: entity.undo?.turn ?? 0, events: entity.undo?.events ?? []))
        default:
          .edit(
            TextEdit(
              collection: collection, id: id, field: entity.edit.map { names[$0.field] } ?? "",
              base: entity.edit?.base ?? EventID(ReplicaID(high: 0, low: 0), 0),
              baseOperation: entity.edit?.baseOperation ?? 0,
              script: entity.edit.map { Array($0.script) } ?? [],
              isComparison: entity.edit?.isComparison ?? false))
        }
      try require(
        body.operations[operation.index] == expected,
        "an operation read in place is not the one that is decoded")
    }
  }
}
