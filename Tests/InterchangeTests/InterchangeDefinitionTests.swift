import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections
import Testing

@Suite struct InterchangeDefinitionTests {
  @Test("a renamed field is read from a define line and from the line of an event")
  func renamedField() throws {
    let renamed =
      #"{"op":"define","collection":"notes","fields":["#
      + #"{"name":"headline","formerly":"title","type":"text"}]}"#
    let schema = try schema(renamed)
    let notes = try #require(schema["notes"])
    #expect(notes.fields.map(\.name) == ["headline"] && notes.fields.map(\.identity) == ["title"])
    #expect(String(decoding: InterchangeWriter.define(notes), as: UTF8.self) == renamed)
    guard case .operation(let operation) = try InterchangeTests.operation(renamed, StoreSchema())
    else {
      return
    }
    var writer = JSONWriter()
    InterchangeWriter.operation(operation, schema: schema, to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == renamed)
    for name in ["title", "headline"] {
      let line = #"{"op":"insert","collection":"notes","id":"n1","fields":{"\#(name)":"x"}}"#
      #expect(try InterchangeTests.operation(line, schema).fields == ["title": .text("x")])
    }
    let twice =
      #"{"op":"insert","collection":"notes","id":"n1","fields":{"title":"x","headline":"y"}}"#
    let error = interchangeError { () throws(InterchangeError) in
      _ = try InterchangeTests.operation(twice, schema)
    }
    #expect(error?.code == .duplicateKey)
  }

  @Test("a line may omit an id that follows from a key, and no other id")
  func derivedID() throws {
    let keyed = try schema(
      #"{"op":"define","collection":"days","key":["day","kind"],"fields":["#
        + #"{"name":"day","type":"integer"},{"name":"kind","type":"text"}]}"#,
      #"{"op":"define","collection":"plain","fields":[]}"#)
    let id = DerivedID.id(collection: "days", key: [.integer(1), .text("a")])
    for op in ["insert", "put"] {
      #expect(throws: InterchangeError.self) {
        try operation(#"{"op":"\#(op)","collection":"days","fields":{"day":1}}"#, keyed)
      }
      let read = try operation(
        #"{"op":"\#(op)","collection":"days","fields":{"day":1,"kind":"a"}}"#, keyed)
      #expect(read.fields == ["day": .integer(1), "kind": .text("a")])
      if case .operation(.insert(_, let found, _)) = read { #expect(found == id) }
      if case .put(_, let found, _) = read { #expect(found == id) }
    }
    for line in [
      #"{"op":"insert","collection":"plain","fields":{}}"#,
      #"{"op":"update","collection":"days","fields":{"day":1}}"#,
      #"{"op":"define","collection":"x","key":["a","a"],"fields":[{"name":"a","type":"text"}]}"#,
      #"{"op":"define","collection":"x","key":[1],"fields":[]}"#,
      #"{"op":"define","collection":"x","key":true,"fields":[]}"#,
    ] {
      #expect(
        interchangeError { () throws(InterchangeError) in
          _ = try operation(line, keyed)
        }?.code == .notAnOperation, "\(line)")
    }
  }

  @Test("a key is exported with its definition")
  func exportedKey() throws {
    let links =
      #"{"op":"define","collection":"links","key":["source","target","kind"],"#
      + #""relationship":true,"fields":[{"name":"kind","type":"text"}]}"#
    let declared = try #require(try schema(links)["links"])
    let line = String(decoding: InterchangeWriter.define(declared), as: UTF8.self)
    #expect(line.contains(#""key":["source","target","kind"]"#))
    #expect(try schema(line)["links"]?.key == declared.key)
  }

  @Test("a tree is exported with its definition")
  func exportedTree() throws {
    let folders =
      #"{"op":"define","collection":"folders","fields":[{"name":"parent","#
      + #""type":"text","references":"folders","tree":true}]}"#
    let declared = try #require(try schema(folders)["folders"])
    let line = String(decoding: InterchangeWriter.define(declared), as: UTF8.self)
    #expect(try schema(line)["folders"]?[field: "parent"]?.isTree == true)
  }
}
