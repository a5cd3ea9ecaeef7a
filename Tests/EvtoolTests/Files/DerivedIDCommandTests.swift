import Foundation
import Testing

/// Ids that follow from a key, on the command line.
@Suite struct DerivedIDCommandTests {
  private static let readings = """
    {"op":"define","collection":"readings","key":["sensor","day"],"fields":[{"name":"sensor",\
    "type":"text"},{"name":"day","type":"integer"},{"name":"value","type":"real"}]}
    {"op":"insert","collection":"readings","fields":{"sensor":"a","day":1,"value":0.5}}

    """

  @Test("lines, rows and put may omit an id that follows from a key")
  func leftOut() throws {
    let folder = try TemporaryFolder()
    let store = folder.path("store")
    try Evtool.run("init", store)
    let file = try folder.write(Self.readings, "readings.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let put = try Evtool.run(
      "put", store, "readings", "-", "sensor=a", "day=1", "value=2", "--json")
    let id = try #require((try put.json() as? [String: Any])?["id"] as? String)
    #expect(id.count == 36)
    let show = try Evtool.run("show", store, "readings", id, "--json")
    #expect(show.output.contains(#""value":2"#), "\(show.output)\(show.errors)")
    let rows = try folder.write("sensor,day,value\na,1,3\na,2,4\n", "readings.csv")
    let imported = try Evtool.run("import", store, rows, "--put")
    #expect(
      imported.status == 0 && imported.errors.contains("collection's key"), "\(imported.errors)")
    let query = try Evtool.run("query", store, "SELECT count(*), sum(value) FROM readings", "--csv")
    #expect(query.output.contains("2,7.0"), "\(query.output)")
    let update = try Evtool.run("update", store, "readings", id, "day=9")
    #expect(update.isRefusal(2, "readings.day", "sensor, day"), "\(update.errors)")
    // The export makes the same entities in another store.
    let export = try Evtool.run("export", store).output
    let other = folder.path("other")
    try Evtool.run("init", other)
    #expect(try Evtool.run("import", other, try folder.write(export, "all.ndjson")).status == 0)
    #expect(try Evtool.run("export", other).output == export)
    let wrong = try Evtool.run("put", other, "readings", "r1", "sensor=b")
    #expect(wrong.isRefusal(2, "follows from sensor, day"), "\(wrong.errors)")
  }
}
