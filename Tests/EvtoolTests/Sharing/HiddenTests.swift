import Foundation
import Testing

/// `evtool hidden` lists values and entities that tables do not show.
@Suite struct HiddenTests {
  @Test("misfits, parked entities and circles are listed with their reasons")
  func reasons() throws {
    let folder = try TemporaryFolder()
    let (store, other) = (folder.path("store"), folder.path("other"))
    // The first type of a field counts, and the other store defines another one later.
    let rules = try folder.write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"code","type":"text","unique":true},\
      {"name":"count","type":"integer"},{"name":"parent","type":"text","references":"notes",\
      "tree":true}]}

      """, "rules.ndjson")
    let notes = try folder.write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"code","type":"text"},{"name":"count",\
      "type":"text"},{"name":"parent","type":"text","references":"notes"}]}
      {"op":"insert","collection":"notes","id":"n1","fields":{"code":"x","count":"many",\
      "parent":"n2"}}
      {"op":"insert","collection":"notes","id":"n2","fields":{"parent":"n1"}}
      {"op":"insert","collection":"notes","id":"n3","fields":{"code":"x"}}

      """, "notes.ndjson")
    for (store, file) in [(store, rules), (other, notes)] {
      try Evtool.run("init", store)
      #expect(try Evtool.run("import", store, file).status == 0)
    }
    let none = try Evtool.run("hidden", store)
    #expect(none.status == 0 && none.output.contains("nothing is hidden"))
    #expect(try Evtool.run("sync", store, other).status == 0)
    let hidden = try Evtool.run("hidden", store)
    #expect(hidden.status == 0)
    #expect(hidden.output.contains("not of type integer"))
    #expect(hidden.output.contains("parked: n1 has it"))
    #expect(hidden.output.contains("closes a circle"))
    let json = try Evtool.run("hidden", store, "--json", "--collection", "notes").json()
    let rows = try #require(json as? [[String: Any]])
    #expect(rows.map { $0["id"] as? String } == ["n1", "n3", "n2"])
    #expect(rows.map { $0["reason"] as? String } == ["misfit", "parked", "cycle"])
    #expect(rows.map { $0["value"] as? String } == ["many", "x", "n1"])
    let status = try Evtool.run("status", store)
    #expect(status.output.contains("cycles") && status.output.contains("parked"))
    let loop = try Evtool.run("put", store, "notes", "n1", "parent=n1")
    #expect(loop.isRefusal(2, "notes.parent", "n1"), "\(loop.errors)")
    #expect(try Evtool.run("verify", store).status == 0)
  }
}
