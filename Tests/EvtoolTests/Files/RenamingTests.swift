import Foundation
import Testing

/// Renamed fields on the command line.
@Suite struct RenamingTests {
  @Test("a renamed field works in query, search, put, exports and imports")
  func everywhere() throws {
    let folder = try TemporaryFolder()
    let store = try folder.makeStore()
    let rename =
      #"{"op":"define","collection":"notes","fields":[{"name":"headline","formerly":"title"}]}"#
    let file = try folder.write(rename, "rename.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let query = try Evtool.run(
      "query", store, "SELECT headline FROM notes WHERE id = 'n1'", "--csv")
    #expect(query.output.contains("Oat milk"), "\(query.errors)")
    #expect(try Evtool.run("search", store, "headline:oat").status == 0)
    #expect(try Evtool.run("put", store, "notes", "n1", "headline=Soy milk").status == 0)
    #expect(try Evtool.run("put", store, "notes", "n2", "title=by its first name").status == 0)
    let history = try Evtool.run("history", store, "notes", "n1")
    #expect(history.output.contains("headline"))
    let export = try Evtool.run("export", store).output
    #expect(export.contains(#"{"name":"headline","formerly":"title","#))
    #expect(export.contains(#""headline":"by its first name""#))
    let events = try Evtool.run("export", store, "--format", "events").output
    for (name, text, format) in [("state", export, "ndjson"), ("events", events, "events")] {
      let other = folder.path(name)
      try Evtool.run("init", other)
      let file = try folder.write(text, "\(name).ndjson")
      let result = try Evtool.run("import", other, file, "--format", format)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Evtool.run("export", other).output == export)
      #expect(try Evtool.run("verify", other).status == 0)
    }
    let taken = try folder.write(
      #"{"op":"define","collection":"notes","fields":[{"name":"body","formerly":"title"}]}"#,
      "taken.ndjson")
    #expect(try Evtool.run("import", store, taken).isRefusal(2, "taken.ndjson:1", "body"))
  }
}
