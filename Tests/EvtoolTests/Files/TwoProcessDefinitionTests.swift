import Foundation
import Testing

/// Definitions by one process while another process writes.
@Suite struct TwoProcessDefinitionTests {
  @Test("definitions of a collection change while another process imports into it")
  func whileImporting() throws {
    let folder = try TemporaryFolder()
    let store = folder.path("store")
    try Evtool.run("init", store)
    let things = try folder.writeInserts(1_500, prefix: "a", name: "things.ndjson")
    let importing = try RunningEvtool(["import", store, things, "--batch", "5"])
    importing.waitForMarks(3, in: store)
    let changes = [
      #"[{"name":"title","search":false}]"#, #"[{"name":"size","type":"real","index":true}]"#,
      #"[{"name":"heading","formerly":"title"}]"#, #"[{"name":"heading","unique":true}]"#,
      #"[{"name":"heading","search":true}]"#,
    ]
    for (number, fields) in changes.enumerated() {
      let line = #"{"op":"define","collection":"things","fields":\#(fields)}"#
      let file = try folder.write(line, "define\(number).ndjson")
      let result = try Evtool.run("import", store, file)
      #expect(result.status == 0, "\(result.errors)")
    }
    let result = try importing.wait()
    #expect(result.status == 0, "\(result.errors)")
    let query = try Evtool.run(
      "query", store, "SELECT count(*), count(heading), count(size) FROM things", "--csv")
    #expect(query.output.contains("1499,1499,0"), "\(query.output)\(query.errors)")
    let found = try Evtool.run("search", store, "heading:thing", "--limit", "2000", "--json")
    #expect((try found.json() as? [Any])?.count == 1_499)
    let verified = try Evtool.run("verify", store)
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }
}
