import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections
import DaybookTexts

extension FuzzTarget {
  /// A line of interchange, read as JSON and as an operation.
  static let interchange = FuzzTarget("interchange") {
    let lines = [
      #"{"op":"define","collection":"notes","fields":[{"name":"x","type":"text","search":2.5}]}"#,
      #"{"op":"define","collection":"knows","relationship":true,"fields":[]}"#,
      #"{"op":"define","collection":"knows","key":["a","b"],"fields":[{"name":"a","type":"text"},"#
        + #"{"name":"b","formerly":"c","type":"text","unique":true,"references":"knows","#
        + #""tree":true}]}"#,
      #"{"op":"insert","collection":"days","fields":{"date":1,"kind":"x"}}"#,
      #"{"op":"drop","collection":"things","field":"title"}"#,
      #"{"op":"update","collection":"things","id":"t1","fields":{"count":null,"weight":-1e-7}}"#,
      #"{"op":"insert","collection":"links","id":"l1","source":"a","target":"b","fields":{}}"#,
      #"{"op":"edit","collection":"things","id":"t1","field":"title","#
        + #""script":[3," with milk",-2]}"#,
      #"{"op":"edit","collection":"things","id":"t1","field":"title","#
        + #""script":["\u00e9\ud83d\ude42"],"#
        + #""base":"6ba7b8109dad11d180b400c04fd430c8:7","operation":1}"#,
      #"{"op":"delete","collection":"things","id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#,
      #"{"op":"erase","collection":"things","id":"\u00e9\ud83d\ude42\n"}"#,
      #"{"op":"put","collection":"things","id":"t","fields":{"data":"AAEC","at":1700000000000}}"#,
      ##"{"op":"insert","collection":"things","id":"t2","fields":{"title":"Oat \"milk\"","##
        + #""count":9223372036854775807,"weight":1.5,"done":true,"data":"AP8=","#
        + #""at":"2026-11-21T09:30:00.000Z","tags":{"b":[1,2.0,"é"],"a":{}},"parent":"t1"}}"#,
      #"[null,true,[[-0.0,1E400]],"\u0000",{"a":1,"a":2}]"#,
    ]
    return lines.map { Array($0.utf8) }
  } check: { bytes in
    do {
      let canonical = JSONWriter.canonical(try JSONParser.parse(bytes))
      let again = (try? JSONParser.parse(canonical)).map(JSONWriter.canonical)
      try require(again == canonical, "canonical JSON is not what it was made from")
    } catch let error as JSONError { try checkColumn(InterchangeError(error), bytes) }
    do {
      let line = try InterchangeLine(parsing: bytes)
      switch try line.operation(schema: interchangeSchema) {
      case .operation(let operation): try checkAgain(operation)
      case .edit(let collection, let id, let field, let script, let isComparison):
        let edit = TextEdit(
          collection: collection, id: id, field: field,
          base: EventID(ReplicaID(high: 1, low: 2), 3),
          baseOperation: 4, script: script.encoded, isComparison: isComparison)
        try checkAgain(
          .edit(edit),
          as: .edit(
            collection: collection, id: id, field: field, script: script,
            isComparison: isComparison))
      default: break
      }
    } catch let error as InterchangeError { try checkColumn(error, bytes) }
  }

  private static func checkColumn(_ error: InterchangeError, _ bytes: UnsafeRawBufferPointer)
    throws
  {
    try require(
      error.column.map { (1...bytes.count + 1).contains($0) } ?? true,
      "an error at column \(error.column ?? 0) of \(bytes.count): \(error)")
    try require(
      !error.description.utf8.contains { $0 < 0x20 }, "an error that is not one line: \(error)")
  }

  /// Checks that an operation survives being written as a line and read back.
  ///
  /// - Parameter typed: The operation that the line must read as; nil for the same operation.
  private static func checkAgain(_ operation: Operation, as typed: InterchangeOperation? = nil)
    throws
  {
    var writer = JSONWriter()
    InterchangeWriter.operation(operation, schema: interchangeSchema, to: &writer)
    do {
      let line = try InterchangeLine(parsing: writer.bytes)
      let again = try line.operation(schema: interchangeSchema)
      try require(again == typed ?? .operation(operation), "\(operation) is written as \(again)")
    } catch let error as InterchangeError {
      throw FuzzFinding("\(operation) is written as a line that is refused: \(error)")
    }
  }

  /// A schema with a field of each type, a relationship, and a collection with a key.
  private static let interchangeSchema: StoreSchema = {
    let text = Value.text("text")
    let definitions = [
      Definition(
        "things",
        [
          .init("title", ["type": text, "search": .real(2.5)]),
          .integer("count").indexed(),
          .real("weight"), .boolean("done"),
          .blob("data"), .timestamp("at"),
          .json("tags").searchable(),
          .init("parent", ["type": text, "references": .text("things")]),
        ]),
      Definition(
        collection: "links", attributes: ["relationship": .boolean(true)],
        fields: [.init("kind", ["type": text])]),
      Definition(
        collection: "days", attributes: ["key": .text("day,kind")],
        fields: [
          .init("day", ["type": .text("integer"), "name": .text("date")]),
          .init("kind", ["type": text]),
        ]),
    ]
    return StoreSchema(folding: definitions)
  }()
}
