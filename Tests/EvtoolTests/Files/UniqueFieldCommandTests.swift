import Foundation
import Testing

/// Unique fields on the command line.
@Suite struct UniqueFieldCommandTests {
  private static let people = """
    {"op":"define","collection":"people","fields":[{"name":"mail","type":"text","unique":true},\
    {"name":"name","type":"text"}]}
    {"op":"insert","collection":"people","id":"ann","fields":{"mail":"a@x"}}
    {"op":"insert","collection":"people","id":"bob","fields":{"name":"Bob"}}

    """

  private func store(_ folder: TemporaryFolder, _ text: String) throws -> String {
    let store = folder.path("store")
    try Evtool.run("init", store)
    let result = try Evtool.run("import", store, try folder.write(text, "people.ndjson"))
    #expect(result.status == 0, "\(result.errors)")
    return store
  }

  @Test("a clash is refused with the owner, and the definition survives an export")
  func refusal() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, Self.people)
    let put = try Evtool.run("put", store, "people", "bob", "mail=a@x")
    #expect(put.isRefusal(2, "people.mail", "ann", "a@x"), "\(put.errors)")
    let line = #"{"op":"insert","collection":"people","id":"c","fields":{"mail":"a@x"}}"#
    let more = try Evtool.run("import", store, try folder.write(line, "more.ndjson"))
    #expect(more.isRefusal(2, "more.ndjson:1", "people.mail", "ann"), "\(more.errors)")
    #expect(try Evtool.run("export", store).output == Self.people)
  }

  @Test("a parked entity is counted by status, found by query, and named by an export")
  func parked() throws {
    let folder = try TemporaryFolder()
    let store = try store(
      folder,
      """
      {"op":"define","collection":"people","fields":[{"name":"mail","type":"text"}]}
      {"op":"insert","collection":"people","id":"ann","fields":{"mail":"a@x"}}
      {"op":"insert","collection":"people","id":"bob","fields":{"mail":"a@x"}}
      {"op":"drop","collection":"people"}
      {"op":"define","collection":"people","fields":[{"name":"mail","type":"text","unique":true}]}

      """)
    let status = try Evtool.run("status", store)
    #expect(status.output.contains("parked"))
    #expect(
      (try Evtool.run("status", store, "--json").json() as? [String: Any])?["parked"] as? Int == 1)
    let rows = try Evtool.run("query", store, "SELECT id, owner FROM _daybook_parked", "--json")
    #expect(try rows.json() as? [[String: String]] == [["id": "bob", "owner": "ann"]])
    let export = try Evtool.run("export", store)
    #expect(export.status == 0 && export.lines.count == 2)
    #expect(export.errors.contains("1 entity is parked"), "\(export.errors)")
    #expect(try Evtool.run("verify", store).status == 0)
  }
}
