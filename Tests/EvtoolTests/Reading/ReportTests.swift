import Foundation
import Testing

/// What a command reports: text and JSON say the same.
@Suite struct ReportTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  @Test("the facts of a report are in its text, too")
  func facts() throws {
    let text = try Evtool.run("digest", store).output
    let json = try #require(try Evtool.run("digest", store, "--json").json() as? [String: Any])
    let digest = try #require(json["digest"] as? String)
    let vector = try #require(json["vector"] as? [String: Any])
    #expect(!vector.isEmpty && text.contains("digest \(digest)\n"))
    for (origin, events) in vector { #expect(text.contains("\(origin)  \(events) event")) }
  }

  @Test("a table has a row for each record, in the same order")
  func table() throws {
    let hub = folder.path("hub")
    for zone in ["one", "two"] {
      #expect(try Evtool.run("token", "create", hub, "--zone", zone, "--read").status == 0)
    }
    let list = try Evtool.run("token", "list", hub, "--json").json()
    let records = try #require(list as? [[String: Any]])
    let rows = try Evtool.run("token", "list", hub).lines.dropFirst()
    #expect(records.count == 2 && rows.count == 2)
    for (record, row) in zip(records, rows) {
      let words = row.split(separator: " ")
      #expect(words[0] == record["id"] as? String ?? "")
      #expect(words[1] == record["zone"] as? String ?? "")
    }
  }

  @Test(
    "an empty list is a sentence for people, and an empty array for programs",
    arguments: [
      "hidden": "nothing is hidden", "conflicts": "no conflicts",
      "deleted": "nothing that can be restored",
    ])
  func empty(command: String, sentence: String) throws {
    #expect(try Evtool.run(command, store).output == sentence + "\n")
    #expect(try Evtool.run(command, store, "--json").output == "[]\n")
  }

  @Test("of columns that are called the same, each shows its own cells")
  func columns() throws {
    let sql = "SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS a"
    #expect(try Evtool.run("query", store, sql).output == "a  b  a  a\n1  2  3  4\n")
    let json = try Evtool.run("query", store, sql, "--json").output
    #expect(json == #"[{"a":1,"b":2,"a":3,"a":4}]"# + "\n")
  }
}
