import Foundation
import Testing

/// `evtool deleted` lists what `evtool restore` can bring back.
@Suite struct DeletedTests {
  private static let lines = """
    {"op":"define","collection":"notes","fields":[{"name":"title","type":"text"},\
    {"name":"pages","type":"integer"}]}
    {"op":"define","collection":"tags","fields":[{"name":"color","type":"integer"}]}
    {"op":"insert","collection":"notes","id":"n1","fields":{"title":"Oat milk","pages":3}}
    {"op":"insert","collection":"notes","id":"n2","fields":{"title":"Soy MILK"}}
    {"op":"insert","collection":"notes","id":"n3","fields":{"title":"Coffee"}}
    {"op":"insert","collection":"notes","id":"n4","fields":{"title":"Tea"}}
    {"op":"insert","collection":"tags","id":"t1","fields":{"color":7}}

    """

  /// Makes a store in which two actors have deleted all but one note.
  private func store(_ folder: TemporaryFolder) throws -> String {
    let store = folder.path("store")
    try Evtool.run("init", store)
    #expect(try Evtool.run("deleted", store).output == "nothing that can be restored\n")
    #expect(try Evtool.run("deleted", store, "--json").output == "[]\n")
    #expect(try Evtool.run("import", store, folder.write(Self.lines, "notes.ndjson")).status == 0)
    for (actor, collection, id) in [
      ("ann", "notes", "n1"), ("bob", "notes", "n2"), ("ann", "tags", "t1"), ("ann", "notes", "n3"),
    ] {
      let deleted = try Evtool.run(
        "delete", store, collection, id, "--actor", actor, "--label", "tidy up")
      #expect(deleted.status == 0, "\(deleted.errors)")
    }
    return store
  }

  private func ids(_ arguments: String...) throws -> [String] {
    let result = try Evtool.run(["deleted"] + arguments + ["--json"])
    #expect(result.status == 0, "\(result.errors)")
    let rows = try #require(try result.json() as? [[String: Any]])
    return rows.compactMap { $0["id"] as? String }
  }

  @Test("deleted entities are listed with who, when and what, and come back with a restore")
  func lists() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let shown = try Evtool.run("deleted", store)
    #expect(shown.status == 0 && shown.lines.count == 5)
    for words in ["Oat milk", "Soy MILK", "Coffee", "color 7", "ann", "bob"] {
      #expect(shown.output.contains(words), "\(words) in \(shown.output)")
    }
    let rows = try #require(
      try Evtool.run("deleted", store, "notes", "--json").json() as? [[String: Any]])
    #expect(rows.map { $0["id"] as? String } == ["n3", "n2", "n1"])
    let last = try #require(rows.last)
    #expect(last["actor"] as? String == "ann" && last["label"] as? String == "tidy up")
    #expect((last["fields"] as? [String: Any])?["pages"] as? Int == 3)
    #expect(last["event"] is String && last["authored"] is String && last["stamped"] is NSNull)

    #expect(try Evtool.run("restore", store, "notes", "n2").status == 0)
    #expect(try Evtool.run("erase", store, "notes", "n1").status == 0)
    #expect(try ids(store) == ["n3", "t1"])
  }

  @Test("actor, words, times and a limit choose among deleted entities")
  func filters() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    #expect(try ids(store, "--by", "ann") == ["n3", "t1", "n1"])
    #expect(try ids(store, "notes", "--by", "ann") == ["n3", "n1"])
    #expect(try ids(store, "--match", "milk") == ["n2", "n1"])
    #expect(try ids(store, "--match", "MILK oat") == ["n1"])
    #expect(try ids(store, "--limit", "2") == ["n3", "t1"])
    let rows = try #require(try Evtool.run("deleted", store, "--json").json() as? [[String: Any]])
    let event = try #require(rows[2]["event"] as? String)
    #expect(try ids(store, "--until", event) == ["n2", "n1"])
    #expect(try ids(store, "--since", event) == ["n3", "t1"])
    let time = try #require(rows[2]["authored"] as? String)
    #expect(try ids(store, "--since", time).contains("n2"))
    // A date alone is its beginning with --since, and its end with --until.
    let day = String(time.prefix(10))
    #expect(try ids(store, "--since", day).count == 4)
    #expect(try ids(store, "--until", "2020-01-01").isEmpty)
    #expect(try Evtool.run("deleted", store, "nots").isRefusal(2, "nots", "notes"))
    #expect(try Evtool.run("deleted", store, "--limit", "0").status == 2)
    #expect(try Evtool.run("deleted", store, "--since", "soon").isRefusal(2, "soon"))
  }

  @Test("a log shows the events of an actor, with a label, since a time")
  func log() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let byAnn = try Evtool.run("log", store, "--by", "ann")
    #expect(byAnn.lines.count == 3 && byAnn.lines.allSatisfy { $0.contains("ann:") })
    #expect(try Evtool.run("log", store, "--label", "tidy up").lines.count == 4)
    #expect(try Evtool.run("log", store, "--label", "tidy").lines.isEmpty)
    let first = try #require(byAnn.lines.first)
    let day = String(first.prefix(10))
    #expect(try Evtool.run("log", store, "--by", "bob", "--since", day).lines.count == 1)
    #expect(try Evtool.run("log", store, "--since", "2199-01-01").lines.isEmpty)
    let both = try Evtool.run("log", store, "--since", day, "--after", day)
    #expect(both.status == 2 && both.errors.contains("exclude each other"))
  }
}
