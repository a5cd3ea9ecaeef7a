import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct InterchangeLineTests {
  @Test("each operation is read, in any order of its keys")
  func operations() throws {
    let schema = try everyType()
    let cases: [(String, InterchangeOperation)] = [
      (
        #"""
        {"fields":{"title":"Oat milk","done":false},"id":"n1","collection":"things",\#
        "op":"insert"}
        """#,
        .operation(
          .insert(
            collection: "things", id: "n1",
            fields: ["title": .text("Oat milk"), "done": .boolean(false)]))
      ),
      (
        #"{"op":"insert","collection":"links","id":"l1","source":"n1","target":"n2"}"#,
        .operation(
          .insert(
            collection: "links", id: "l1",
            fields: ["source": .text("n1"), "target": .text("n2")]))
      ),
      (
        #"{"op":"update","collection":"things","id":"n1","fields":{"title":null}}"#,
        .operation(.update(collection: "things", id: "n1", fields: ["title": .null]))
      ),
      (
        #"{"\u006fp":"put","collection":"things","id":"n1","fields":{}}"#,
        .put(collection: "things", id: "n1", fields: [:])
      ),
      (
        #"{"op":"delete","collection":"things","id":"n1"}"#,
        .operation(.delete(collection: "things", id: "n1"))
      ),
      (
        #"{"op":"restore","collection":"things","id":"n1"}"#,
        .operation(.restore(collection: "things", id: "n1"))
      ),
      (
        #"{"op":"erase","collection":"things","id":"n1"}"#,
        .operation(.erase(collection: "things", id: "n1"))
      ),
      (
        #"{"op":"drop","collection":"things","field":"title"}"#,
        .operation(.drop(collection: "things", field: "title"))
      ),
      (
        #"{"op":"drop","collection":"things"}"#,
        .operation(.drop(collection: "things", field: nil))
      ),
    ]
    for (line, expected) in cases { #expect(try operation(line, schema) == expected) }
  }

  @Test("a define keeps every attribute, known or unknown")
  func define() throws {
    let line = """
      {"op":"define","collection":"notes","colour":"blue","fields":[{"name":"title","type":"text",\
      "search":2,"index":true,"position":3,"unit":"words"},{"name":"owner","type":"text",\
      "references":"people"}]}
      """
    let expected = Definition(
      collection: "notes", attributes: ["colour": .text("blue")],
      fields: [
        .init(
          "title",
          [
            "type": .text("text"), "search": .integer(2), "index": .boolean(true),
            "position": .integer(3), "unit": .text("words"),
          ]), .text("owner").references("people"),
      ])
    #expect(try operation(line, StoreSchema()) == .operation(.define(expected)))
  }

  @Test(
    "values get the types of their fields",
    arguments: [
      ("title", #""a""#, Value.text("a")), ("title", "null", .null), ("count", "7", .integer(7)),
      ("weight", "7", .real(7)), ("weight", "-0.0", .real(0)), ("weight", "1e3", .real(1000)),
      ("done", "true", .boolean(true)), ("data", #""Zm8=""#, .blob(Array("fo".utf8))),
      ("at", "1", .timestamp(1)), ("at", #""1970-01-01T00:00:00.250Z""#, .timestamp(250)),
      ("at", #""1970-01-01T01:00:00+01:00""#, .timestamp(0)),
      ("tags", #"{"b":1, "a":[1.50]}"#, .json(Array(#"{"a":[1.5],"b":1}"#.utf8))),
      ("tags", "null", .null), ("tags", #""a""#, .json(Array(#""a""#.utf8))),
    ] as [(String, String, Value)])
  func typing(field: String, text: String, expected: Value) throws {
    let line = #"{"op":"update","collection":"things","id":"n","fields":{"\#(field)":\#(text)}}"#
    #expect(try operation(line, try everyType()).fields == [field: expected])
  }

  @Test(
    "a value of another type is refused with field, type, value and cure",
    arguments: [
      ("title", "5", "declared as text, and the integer 5 is none; put it in double quotes"),
      ("count", "5.0", "declared as integer, and the real 5.0 is none; write it without quotes"),
      (
        "count", #""5""#, "declared as integer, and the text “5” is none; write it without quotes"
      ),
      ("weight", "9007199254740993", "a real holds 53 bits of it"),
      ("done", "1", "declared as boolean, and the integer 1 is none; write true or false"),
      ("data", #""Zg=""#, "write it as base64"), ("data", "[1]", "an array is none"),
      ("at", #""yesterday""#, "write it as ISO 8601"), ("at", "1.5", "write it as ISO 8601"),
      ("at", "999999999999999999", "the years 1 to 9999"),
    ])
  func wrongTypes(field: String, text: String, message: String) throws {
    let schema = try everyType()
    let line = #"{"op":"insert","collection":"things","id":"n","fields":{"\#(field)":\#(text)}}"#
    let error = interchangeError { () throws(InterchangeError) in _ = try operation(line, schema) }
    #expect(error?.code == .wrongType)
    #expect(error?.message.contains("the field \(field) of things") == true)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.column == 60 + field.utf8.count)
  }

  @Test(
    "an invalid operation is refused with a helpful message",
    arguments: [
      ("[]", .malformedJSON, "an object { … } should be"),
      ("{}", .notAnOperation, "“op” is missing"),
      (
        #"{"op":"upsert","collection":"things","id":"n"}"#, .notAnOperation,
        "known are define, drop"
      ),
      (#"{"op":5}"#, .notAnOperation, "must be a text, and it is the integer 5"),
      (#"{"op":"delete","id":"n"}"#, .notAnOperation, "“collection” is missing"),
      (#"{"op":"delete","collection":"things"}"#, .notAnOperation, "“id” is missing"),
      (#"{"op":"delete","collection":"things","id":""}"#, .invalidName, "an id has 1 to 1024"),
      (#"{"op":"delete","collection":"things","id":7}"#, .notAnOperation, "must be a text"),
      (#"{"op":"delete","collection":"no thing","id":"n"}"#, .invalidName, "a name is a letter"),
      (#"{"op":"delete","op":"erase"}"#, .duplicateKey, "stands twice"),
      (
        #"{"op":"delete","collection":"things","id":"n","fields":{}}"#, .notAnOperation,
        "it takes op, collection, id"
      ),
      (
        #"{"op":"insert","collection":"things","id":"n","feilds":{}}"#, .notAnOperation,
        "no key “feilds”"
      ),
      (
        #"{"op":"insert","collection":"things","id":"n","fields":[]}"#, .notAnOperation,
        "must be an object"
      ),
      (
        #"{"op":"insert","collection":"things","id":"n","fields":7}"#, .notAnOperation,
        "must be an object"
      ),
      (
        #"{"op":"insert","collection":"things","id":"n","fields":{"a":1,"a":2}}"#, .duplicateKey,
        "stands twice"
      ),
      (
        #"{"op":"insert","collection":"nothings","id":"n"}"#, .unknownCollection,
        "no collection nothings (there are links, things); did you mean “things”?"
      ),
      (
        #"{"op":"erase","collection":"nothings","id":"n"}"#, .unknownCollection, "put a define line"
      ),
      (
        #"{"op":"put","collection":"things","id":"n","fields":{"colour":1}}"#, .unknownField,
        "no field “colour” (it has at, count"
      ),
      (#"{"op":"drop","collection":"things","field":"colour"}"#, .unknownField, "no field"),
      (
        #"{"op":"insert","collection":"links","id":"l","source":"a"}"#, .notAnOperation,
        "“target” is missing; links is a relationship"
      ),
      (
        #"{"op":"insert","collection":"links","id":"l","source":1,"target":"b"}"#, .wrongType,
        "the integer 1 is none"
      ),
      (
        #"{"op":"put","collection":"links","id":"l","source":"a","fields":{"source":"c"}}"#,
        .duplicateKey, "only one can count"
      ),
      (
        #"{"op":"insert","collection":"things","id":"n","source":"a"}"#, .notAnOperation,
        "is for relationships, and things is none"
      ),
    ] as [(String, InterchangeError.Code, String)])
  func refused(line: String, code: InterchangeError.Code, message: String) throws {
    let schema = try everyType()
    let error = interchangeError { () throws(InterchangeError) in _ = try operation(line, schema) }
    #expect(error?.code == code, "\(error?.description ?? "no error")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(
    "an invalid definition is refused with a helpful message",
    arguments: [
      (#"{"op":"define","collection":"sqlite_x"}"#, .invalidName, "does not begin with sqlite_"),
      (#"{"op":"define","collection":"n","fields":{}}"#, .notAnOperation, "must be an array"),
      (
        #"{"op":"define","collection":"n","fields":["a"]}"#, .notAnOperation,
        "a field is defined by an object"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"Id","type":"text"}]}"#, .invalidName,
        "every table has that column already"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"é","type":"text"}]}"#, .invalidName,
        "ASCII"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a"}]}"#, .notAnOperation, "has no type"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"string"}]}"#,
        .notAnOperation, "one of text, integer"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"integer","search":true}]}"#,
        .notAnOperation, "is for text and json"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"text","search":-1}]}"#,
        .notAnOperation, "a weight above 0"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"text","index":1}]}"#,
        .notAnOperation, "true or false"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"text","references":7}]}"#,
        .notAnOperation, "name of a collection"
      ),
      (
        #"{"op":"define","collection":"n","fields":[{"name":"a","type":"text","x":[]}]}"#,
        .notAnOperation, "is an array"
      ),
      (
        #"""
        {"op":"define","collection":"n","fields":[{"name":"a","type":"text"},\#
        {"name":"A","type":"text"}]}
        """#,
        .notAnOperation, "defined twice"
      ),
      (
        #"{"op":"define","collection":"things","relationship":true}"#, .contradiction,
        "is no relationship in the store"
      ),
      (
        #"{"op":"define","collection":"n","relationship":"yes"}"#, .notAnOperation,
        "must be true or false"
      ),
      (
        #"{"op":"define","collection":"things","fields":[{"name":"title","type":"integer"}]}"#,
        .contradiction, "a type never changes"
      ),
      (
        #"{"op":"define","collection":"things","fields":[{"name":"Title","type":"text"}]}"#,
        .contradiction, "use one spelling"
      ),
      (
        #"{"op":"define","collection":"links","fields":[{"name":"source","type":"integer"}]}"#,
        .contradiction, "its type is text"
      ),
      (#"{"op":"define","collection":"n","a b":1}"#, .invalidName, "printable ASCII"),
    ] as [(String, InterchangeError.Code, String)])
  func refusedDefinitions(line: String, code: InterchangeError.Code, message: String) throws {
    let schema = try everyType()
    let error = interchangeError { () throws(InterchangeError) in _ = try operation(line, schema) }
    #expect(error?.code == code, "\(error?.description ?? "no error")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("a definition that repeats known facts is no contradiction")
  func repeatedDefinition() throws {
    let schema = try everyType()
    for collection in schema.sorted {
      let line = InterchangeWriter.define(collection)
      #expect(throws: Never.self) { try InterchangeLine(parsing: line).operation(schema: schema) }
    }
  }

  @Test("an operation over 16 MiB is refused, and a smaller one is not")
  func tooLarge() throws {
    let schema = try everyType()
    func line(_ count: Int) -> String {
      let text = String(repeating: "x", count: count)
      return #"{"op":"insert","collection":"things","id":"n","fields":{"title":"\#(text)"}}"#
    }
    #expect(throws: Never.self) { try operation(line(16_770_000), schema) }
    let error = interchangeError { () throws(InterchangeError) in
      _ = try operation(line(16_777_216), schema)
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("16 MiB") == true)
  }

  @Test("a name that a message quotes breaks neither its line nor the terminal")
  func quoting() throws {
    let schema = try everyType()
    let line =
      #"{"op":"put","collection":"things","id":"n","fields":{"\u001b[31m\n"#
      + String(repeating: "x", count: 1000) + #"":1}}"#
    let error = interchangeError { () throws(InterchangeError) in _ = try operation(line, schema) }
    let message = try #require(error?.message)
    #expect(message.utf8.allSatisfy { $0 >= 0x20 })
    #expect(message.utf8.count < 400)
  }

  @Test("only lines of white space are blank")
  func blank() {
    for (line, expected) in [("", true), (" \t\r\n", true), ("{", false), ("\u{0}", false)] {
      #expect(Array(line.utf8).withUnsafeBytes { InterchangeLine.isBlank($0) } == expected)
    }
  }
}
