import EventCore
import Simulation
import Testing

@testable import Projections

@Suite struct SearchTests {
  private func fixture() throws -> QueryFixture {
    func note(_ id: String, _ title: String, _ body: String) -> Operation {
      .insert(id, ["title": .text(title), "body": .text(body)])
    }
    return try QueryFixture([
      .define(
        Definition(
          collection: "notes",
          fields: [
            .init("title", ["type": "text", "search": .integer(10)]),
            .init("body", ["type": "text", "search": .boolean(true)]),
            .init("count", ["type": "integer"]),
          ])),
      .define(
        Definition(
          collection: "tasks", fields: [.init("what", ["type": "text", "search": .real(0.5)])])),
      note("n1", "Swift concurrency", "actors and tasks"),
      note("n2", "Birds", "the swift is a bird; it sleeps in the air"),
      note("n3", "Café menu", "oat milk at 12:30, or later"),
      note("n4", "Operators", "AND OR NOT NEAR are words here"),
      note("n5", "gone", "swift and forgotten"), .delete("n5"),
      .insert(collection: "tasks", id: "t1", fields: ["what": "buy oat milk"]),
    ])
  }

  private func ids(_ text: String, in collection: String? = nil) throws -> [String] {
    try fixture().search(text, in: collection).map(\.id).sorted()
  }

  @Test("a title that weighs more ranks first, and deleted entities are not found")
  func ranking() throws {
    let hits = try fixture().search("swift")
    #expect(hits.map(\.id) == ["n1", "n2"])
    #expect(hits[0].score > hits[1].score)
    #expect(try fixture().search("swift", limit: 1).map(\.id) == ["n1"])
  }

  @Test("a snippet shows the words found between the markers")
  func snippets() throws {
    let hits = try fixture().search("bird", in: "notes", markers: ("<b>", "</b>"))
    #expect(hits.first?.snippet.contains("<b>") == true, "\(hits)")
  }

  @Test(
    "words, phrases, prefixes, exclusion, alternatives and fields",
    arguments: [
      ("swift concurrency", ["n1"]), ("swift -concurrency", ["n2"]), ("conc*", ["n1"]),
      ("\"oat milk\"", ["n3", "t1"]), ("\"milk oat\"", []), ("birds OR actors", ["n1", "n2"]),
      ("title:swift", ["n1"]), ("body:swift", ["n2"]), ("title:\"swift conc\"*", ["n1"]),
      ("cafe", ["n3"]), ("CAFÉ", ["n3"]), ("12:30", ["n3"]), ("NOT near", ["n4"]),
      ("sleeping", ["n2"]), ("-body:actors swift", ["n2"]), ("oat -body:oat", ["t1"]),
      ("nothing", []), ("swift \0 bird", ["n2"]), ("OR swift", ["n1", "n2"]),
    ])
  func language(text: String, expected: [String]) throws {
    #expect(try ids(text) == expected)
  }

  @Test(
    "what asks for nothing, or only for absence, is an error",
    arguments: ["", " ", "-swift", "\"", "***", "-", "(", "OR"])
  func nothing(text: String) throws {
    #expect { try ids(text) } throws: { ($0 as? ProjectionError)?.code == .invalidQuery }
  }

  @Test("a collection that is not there or not searched is an error")
  func unknown() throws {
    #expect { try ids("swift", in: "birds") } throws: {
      ($0 as? ProjectionError)?.code == .unknownName
    }
  }

  @Test("no text whatever makes FTS5 fail")
  func hostile() throws {
    let alphabet = [
      "\"", "'", "(", ")", "AND", "OR", "NOT", "NEAR", "NEAR(", ":", "*", "^", "-", "+", "{", "}",
      " ", " ", "\0", "\t", "a", "swift", "title", "body:", "title:", "é", "e\u{301}", "漢", "🙂",
      "\u{200D}", "\u{2014}", "\u{A0}", "\u{FEFF}", ",", ".", "\\", "%", "_", "1", "''", "\"\"",
      "\u{301}", "\n", "\r\n", ";", "--", "/*", "?1", "rank", "#",
    ]
    let fixture = try fixture()
    var random = SplitMix64(seed: 7)
    var ran = 0
    for _ in 0..<2_000 {
      let text = (0..<random.pick(1...10)).map { _ in random.pick(alphabet) }.joined()
      do {
        _ = try fixture.search(text)
        ran += 1
      } catch let error as ProjectionError where error.code == .invalidQuery {
      } catch { Issue.record("\(text.debugDescription): \(error)") }
    }
    #expect(ran > 500)
  }
}
