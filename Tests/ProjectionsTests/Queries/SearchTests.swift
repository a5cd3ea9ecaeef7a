import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookProjections

@Suite struct SearchTests {
  private func fixture() throws -> QueryFixture {
    func note(_ id: String, _ title: String, _ body: String) -> Operation {
      .insert(id, ["title": .text(title), "body": .text(body)])
    }
    return try QueryFixture([
      .define(
        Definition(
          "notes",
          [
            .text("title").searchable(weight: 10),
            .text("body").searchable(),
            .integer("count"),
          ])),
      .define(
        Definition("tasks", [.text("what").searchable(weight: 0.5)])),
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

  @Test("a field of greater weight ranks first, and deleted entities are not found")
  func ranking() throws {
    let hits = try fixture().search("swift")
    #expect(hits.map(\.id) == ["n1", "n2"])
    #expect(hits[0].score > hits[1].score)
    #expect(try fixture().search("swift", limit: 1).map(\.id) == ["n1"])
  }

  @Test("a snippet has the found words between the markers")
  func snippets() throws {
    let hits = try fixture().search("bird", in: "notes", markers: ("<b>", "</b>"))
    #expect(hits.first?.snippet.contains("<b>") == true, "\(hits)")
  }

  @Test(
    "queries have words, phrases, prefixes, exclusions, alternatives and fields",
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
    "a query without a word to find is an error",
    arguments: ["", " ", "-swift", "\"", "***", "-", "(", "OR"])
  func nothing(text: String) throws {
    #expect { try ids(text) } throws: { ($0 as? ProjectionError)?.code == .invalidQuery }
  }

  @Test("a search in an unknown collection is an error")
  func unknown() throws {
    #expect { try ids("swift", in: "birds") } throws: {
      ($0 as? ProjectionError)?.code == .unknownName
    }
  }

  // Of 225 questions that were typed as whole sentences, 216 found nothing.
  @Test(
    "a search for any word ranks hits with more and rarer words first",
    arguments: [
      ("where does the swift sleep?", ["n2", "n1"]),
      ("what is concurrency in swift", ["n1", "n2"]),
      ("unicorns OR dragons milk", ["n3", "t1"]), ("milk milk milk", ["n3", "t1"]),
      ("swift oat -concurrency", ["n2", "n3", "t1"]), ("\"oat milk\" unicorn", ["n3", "t1"]),
      ("unicorns", []),
    ])
  func anyWord(text: String, expected: [String]) throws {
    let fixture = try fixture()
    let found = try fixture.search(text, match: .any)
    #expect(Set(found.map(\.id)) == Set(expected))
    #expect(found.map(\.score) == found.map(\.score).sorted(by: >))
    if text.hasPrefix("wh") { #expect(found.first?.id == expected.first) }
  }

  @Test("a search falls back to any word only if no hit has all of several words")
  func allOrAny() throws {
    let fixture = try fixture()
    func search(_ text: String, limit: Int = 10) throws -> String {
      let request = SearchRequest(text, limit: limit, markers: ("[", "]"))
      let found = try fixture.probe.view { view, _ in try view.searchAllOrAny(request) }
      return "\(found.match): \(found.hits.map(\.id).sorted().joined(separator: " "))"
    }
    #expect(try search("swift concurrency") == "all: n1")
    #expect(try search("swift dragons") == "any: n1 n2")
    for text in ["dragons unicorns", "dragons", "\"dragons and unicorns\""] {
      #expect(try search(text) == "all: ")
    }
    #expect(try search("swift dragons", limit: 0) == "all: ")
    #expect(try search("swift dragons", limit: 1).count == 7)
  }

  @Test("a negative limit is an error, and any other limit bounds the hits")
  func limits() throws {
    let fixture = try fixture()
    for limit in [-1, Int.min] {
      #expect { try fixture.search("swift", limit: limit) } throws: {
        ($0 as? ProjectionError)?.code == .invalidQuery
      }
    }
    for (limit, count) in [(0, 0), (1, 1), (2, 2), (Int.max, 2)] {
      #expect(try fixture.search("swift", limit: limit).count == count)
      #expect(try fixture.search("swift", in: "notes", limit: limit).count == count)
    }
  }

  // FTS5 reads no exponents, so that a weight of 0.00001 made every search fail.
  @Test(
    "any weight that a field may have ranks its hits",
    arguments: [
      .real(.leastNonzeroMagnitude), .real(1e-5), .real(1e300), .real(.greatestFiniteMagnitude),
      .integer(.max), .real(0.1),
    ] as [Value])
  func weights(weight: Value) throws {
    let fixture = try QueryFixture([
      .define(
        Definition(
          "notes",
          [
            .init("title", ["type": "text", "search": weight]),
            .text("body").searchable(weight: 1),
          ])),
      .insert("n1", ["title": "swift", "body": "bird"]),
      .insert("n2", ["title": "bird", "body": "swift"]),
    ])
    let found = try fixture.search("swift")
    let isHeavy =
      switch weight {
      case .real(let weight): weight > 1
      default: true
      }
    #expect(found.map(\.id) == (isHeavy ? ["n1", "n2"] : ["n2", "n1"]))
    #expect(found.allSatisfy { $0.score.isFinite })
  }

  @Test("an id with NUL is found whole, and a quote with a combining mark is a quote")
  func wholeTexts() throws {
    let fixture = try QueryFixture([
      .define(
        Definition("notes", [.text("title").searchable()])
      ),
      .insert("a\0b", ["title": "oat milk"]),
    ])
    #expect(try fixture.search("oat").map { Array($0.id.utf8) } == [[0x61, 0, 0x62]])
    #expect(try fixture.search("\"\u{301}oat milk\"").count == 1)
    #expect(try fixture.search("\"milk oat\"\u{301}").isEmpty)
    #expect(try fixture.search("-\u{FE0F}unicorn milk").count == 1)
  }

  // `日本` did not find `日本語テキスト`, because such a text was one word.
  @Test(
    "any part of a text in an unspaced script is found, also after a rebuild",
    arguments: [
      ("日本", ["j1", "j2"]), ("日", ["j1", "j2"]), ("本語", ["j1"]), ("テキスト", ["j1"]), ("語本", []),
      ("日本 旅行", ["j2"]), ("\"日本 旅行\"", ["j2"]), ("日本語テキスト", ["j1"]), ("iPhone", ["j2"]),
      ("iphoneケース", ["j2"]), ("スト*", ["j1"]), ("한국", ["k1"]), ("한국어", ["k1"]), ("ภาษา", ["t1"]),
      ("ไทย", ["t1"]), ("title:日本", ["j1"]), ("日本 -旅行", ["j1"]), ("中国 OR 한국", ["k1"]),
      ("running", ["k1"]), ("𠮷", ["j2"]),
    ])
  func unspaced(text: String, expected: [String]) throws {
    let fixture = try QueryFixture(Self.scripts())
    #expect(try fixture.search(text).map(\.id).sorted() == expected)
    let folder = try ProjectionFolder()
    #expect(try fixture.probe.differenceFromRebuilt(folder: folder.url) == nil)
  }

  private static func scripts(tokenizer: Value? = nil) -> [Operation] {
    var notes = Definition(
      "notes",
      [
        .text("title").searchable(),
        .text("body").searchable(),
      ])
    notes.attributes["tokenizer"] = tokenizer
    return [
      .define(notes), .insert("j1", ["title": "日本語テキスト"]),
      .insert("j2", ["title": "iPhoneケース、𠮷野家", "body": "日本・旅行"]),
      .insert("k1", ["title": "한국어를 배우다", "body": "a run in the park"]),
      .insert("t1", ["title": "ภาษาไทย"]), .insert("e1", ["title": "runner"]),
    ]
  }

  @Test("a question in an unspaced script ranks hits by common pairs of characters")
  func unspacedQuestion() throws {
    let fixture = try QueryFixture(Self.scripts())
    let found = try fixture.search("日本語は難しいですか", match: .any)
    #expect(found.map(\.id) == ["j1", "j2"])
    let request = SearchRequest("日本語は難しいですか", limit: 5, markers: ("[", "]"))
    let either = try fixture.probe.view { view, _ in try view.searchAllOrAny(request) }
    #expect(either.match == .any && either.hits.map(\.id) == ["j1", "j2"])
    #expect(try fixture.search("日本", in: "notes").contains { $0.snippet.contains("[日本]") })
  }

  @Test("the definition of a collection chooses its tokenizer, and may change it")
  func tokenizers() throws {
    for (tokenizer, expected) in [
      (nil, ["e1", "k1"]), ("stemmed", ["e1", "k1"]), ("words", ["e1"]), ("unknown", ["e1", "k1"]),
      (.integer(1), ["e1", "k1"]),
    ] as [(Value?, [String])] {
      var operations = Self.scripts(tokenizer: tokenizer)
      operations.append(.update(collection: "notes", id: "k1", fields: ["body": "running"]))
      operations.append(.update(collection: "notes", id: "e1", fields: ["body": "runs"]))
      let fixture = try QueryFixture(operations)
      #expect(try fixture.search("runs").map(\.id).sorted() == expected)
      #expect(try fixture.search("日本").map(\.id).sorted() == ["j1", "j2"])
      operations.append(
        .define(Definition(collection: "notes", attributes: ["tokenizer": "words"])))
      let changed = try QueryFixture(operations)
      #expect(try changed.search("runs").map(\.id) == ["e1"])
      let folder = try ProjectionFolder()
      #expect(try changed.probe.differenceFromRebuilt(folder: folder.url) == nil)
    }
  }

  @Test("no query text makes FTS5 fail")
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
    for _ in 0..<700 {
      let text = (0..<random.pick(1...10)).map { _ in random.pick(alphabet) }.joined()
      do {
        let found = try fixture.search(text)
        let some = try fixture.search(text, match: .any)
        #expect(Set(found.map(\.id)).isSubset(of: some.map(\.id)), "\(text.debugDescription)")
        ran += 1
      } catch let error as ProjectionError where error.code == .invalidQuery {
      } catch { Issue.record("\(text.debugDescription): \(error)") }
    }
    #expect(ran > 170)
  }
}
