import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import DaybookSimulation
import Foundation
import Testing

@testable import evtool

/// Texts that often break programs, as ids, values and arguments of the command.
@Suite struct NaughtyTextCommandTests {
  let folder: TemporaryFolder
  let store: String

  /// Makes a store in which each text is an id and a title, and is linked to the next text.
  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("store")
    try Evtool.run("init", store)
    let file = try folder.write(Self.lines(NaughtyTexts.all), "all.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
  }

  private static func json(_ text: String) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: [text], options: [.withoutEscapingSlashes])
    return String(decoding: (data ?? Data()).dropFirst().dropLast(), as: UTF8.self)
  }

  private static func lines(_ texts: [String]) -> String {
    var lines = [
      #"{"op":"define","collection":"notes","fields":["#
        + #"{"name":"title","type":"text","search":true},"#
        + #"{"name":"word","type":"text","search":true},{"name":"tags","type":"json"}]}"#,
      #"{"op":"define","collection":"links","relationship":true,"fields":[]}"#,
    ]
    for (number, text) in texts.enumerated() {
      let quoted = json(text)
      lines.append(
        #"{"op":"insert","collection":"notes","id":\#(quoted),"fields":{"title":\#(quoted),"#
          + #""word":"word\#(number)x","tags":{\#(quoted):\#(quoted)}}}"#)
    }
    for (text, next) in zip(texts, texts.dropFirst()) {
      lines.append(
        #"{"op":"insert","collection":"links","id":\#(json(text)),"source":\#(json(text)),"#
          + #""target":\#(json(next))}"#)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Parses lines of JSON. Foundation would read a text of only a byte order mark as an empty one.
  private func objects(_ text: String) throws -> [JSONValue] {
    try text.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
  }

  private func texts(_ objects: [JSONValue], _ key: String) -> [String] {
    objects.compactMap { if case .text(let text)? = $0[key] { text } else { nil } }
  }

  /// Compares texts by their bytes, and names those that are not in both.
  private func expectSame(
    _ texts: [String], _ expected: [String], isPart: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let (a, b) = (bytes(texts), bytes(expected))
    let odd = b.subtracting(a).union(isPart ? [] : a.subtracting(b))
    let shown = odd.map { String(decoding: $0, as: UTF8.self).debugDescription }
    #expect(odd.isEmpty, "\(shown.prefix(20))", sourceLocation: location)
  }

  private func bytes(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }

  @Test("an export has every id and value, and is the same after an import")
  func export() throws {
    let exported = try Evtool.run("export", store)
    #expect(exported.status == 0, "\(exported.errors)")
    let lines = try objects(exported.output)
    let notes = lines.filter { $0["collection"] == .text("notes") && $0["op"] == .text("insert") }
    expectSame(texts(notes, "id"), NaughtyTexts.all)
    for note in notes {
      let fields = try #require(note["fields"])
      #expect(fields["title"] == note["id"])
      guard case .object(let tags)? = fields["tags"] else { throw NoText() }
      #expect(tags.map(\.value) == [note["id"]] && tags.map { .text($0.key) } == [note["id"]])
    }
    expectSame(texts(lines, "source"), Array(NaughtyTexts.all.dropLast()))
    let other = folder.path("other")
    try Evtool.run("init", other)
    #expect(try Evtool.run(["import", other, "-"], input: exported.output).status == 0)
    #expect(try Evtool.run("export", other).output.utf8.elementsEqual(exported.output.utf8))
    // An export of the past, and one of events, give the same.
    let past = try Evtool.run("export", store, "--at", "2999-01-01")
    #expect(past.output.utf8.elementsEqual(exported.output.utf8))
    let events = try Evtool.run("export", store, "--format", "events")
    let third = folder.path("third")
    try Evtool.run("init", third)
    let imported = try Evtool.run(
      ["import", third, "-", "--format", "events"], input: events.output)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try Evtool.run("export", third).output.utf8.elementsEqual(exported.output.utf8))
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("query and log print every text whole, as JSON, as CSV and in tables")
  func reading() throws {
    let rows = try Evtool.run("query", store, "SELECT id, title FROM notes", "--json").output
    let json = try JSONParser.parse(Array(rows.utf8))
    guard case .array(let read) = json else { throw NoText() }
    expectSame(texts(read, "id"), NaughtyTexts.all)
    expectSame(texts(read, "title"), NaughtyTexts.all)
    let csv = try Evtool.run("query", store, "SELECT title FROM notes ORDER BY id", "--csv").output
    expectSame(Self.cells(csv), NaughtyTexts.all, isPart: true)
    let table = try Evtool.run("query", store, "SELECT id, title FROM notes")
    #expect(table.output.utf8.count { $0 == 0x0A } == NaughtyTexts.all.count + 1)
    #expect(!table.output.utf8.contains { $0 == 0x1B || $0 == 0 })
    let log = try objects(try Evtool.run("log", store, "--json").output)
    var operations: [JSONValue] = []
    for event in log { if case .array(let some)? = event["operations"] { operations += some } }
    expectSame(texts(operations.filter { $0["op"] == .text("insert") }, "id"), NaughtyTexts.all)
  }

  /// Returns the cells of CSV with one column.
  private static func cells(_ csv: String) -> [String] {
    var cells: [String] = []
    var cell = String.UnicodeScalarView()
    var isQuoted = false
    /// Whether the scalar before was a quote that has ended the cell, unless another follows.
    var hasEnded = false
    for scalar in csv.unicodeScalars {
      if scalar == "\"" {
        if hasEnded { cell.append(scalar) }
        hasEnded = isQuoted
        isQuoted.toggle()
        continue
      }
      hasEnded = false
      if scalar == "\n", !isQuoted {
        cells.append((String(cell).rest(before: "\r") ?? "").description)
        cell = .init()
      } else {
        cell.append(scalar)
      }
    }
    return cells
  }

  @Test("every text is found by show in the shell on the past")
  func replay() throws {
    // Texts with a line feed cannot be in a line of the shell.
    let texts = NaughtyTexts.all.filter { !$0.utf8.contains { $0 == 0x0A } }
    func quoted(_ text: String) -> String {
      "'" + text.replacing("'", by: "'\\''") + "'"
    }
    var script: [String] = []
    for (number, text) in texts.enumerated() {
      script.append("show -- notes \(quoted(text))")
      guard number.isMultiple(of: 4) else { continue }
      script.append("history -- notes \(quoted(text))")
      script.append("graph neighbors --direction outgoing -- \(quoted(text))")
    }
    let searched = stride(from: 0, to: NaughtyTexts.all.count, by: 4)
    for number in searched { script.append("search word\(number)x") }
    let result = try Evtool.run(
      ["replay", store, "--json"], input: script.joined(separator: "\n") + "\n")
    let lines = result.output.split(separator: "\n").dropFirst()
    var shown: [String] = []
    var found: [String] = []
    for line in lines {
      guard let json = try? JSONParser.parse(Array(line.utf8)) else {
        Issue.record("no JSON: \(line.debugDescription)")
        continue
      }
      if json["fields"] != nil {
        shown += self.texts([json], "id")
        #expect(json["fields"]?["title"] == json["id"])
      } else if case .array(let hits) = json, let hit = hits.first, hit["score"] != nil {
        #expect(hits.count == 1)
        found += self.texts(hits, "id")
      }
    }
    expectSame(shown, texts)
    expectSame(found, searched.map { NaughtyTexts.all[$0] })
    // The last text has no link; all others are found.
    #expect(result.errors.split(separator: "\n").count <= 1, "\(result.errors.prefix(2000))")
  }

  @Test("an argument is taken as it stands, whichever scalars it has")
  func arguments() throws {
    let other = folder.path("arguments")
    try Evtool.run("init", other)
    let file = try folder.write(
      #"{"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}"#, "define")
    try Evtool.run("import", other, file)
    // The texts are each combining scalar directly behind the separator of the argument, and a few
    // texts of each kind.
    var texts = NaughtyTexts.combining.map { String(String.UnicodeScalarView([$0])) + "x" }
    texts += NaughtyTexts.arguments.enumerated().filter { $0.offset.isMultiple(of: 120) }.map(
      \.element)
    for (number, text) in texts.enumerated() {
      let put = try Evtool.run([
        "put", other, "notes", "n\(number)", "title=\(text)", "--label=\(text)", "--actor=\(text)x",
      ])
      #expect(put.status == 0, "\(text.debugDescription): \(put.errors)")
      let shown = try objects(
        try Evtool.run("show", other, "notes", "n\(number)", "--json").output)
      #expect(shown[0]["fields"]?["title"] == .text(text), "\(text.debugDescription)")
      let log = try objects(
        try Evtool.run("log", other, "--newest", "--limit", "1", "--json").output)
      #expect(log[0]["label"] == .text(text) && log[0]["actor"] == .text(text + "x"))
      guard !text.begins(with: "-") else { continue }
      let byID = try Evtool.run("put", other, "notes", text, "title=\(number)")
      #expect(byID.status == 0, "\(text.debugDescription): \(byID.errors)")
    }
    let ids = self.texts(try objects(try Evtool.run("export", other).output), "id")
    expectSame(ids, texts.filter { !$0.begins(with: "-") }, isPart: true)
  }

  @Test("assignments, lines of the shell and queries are split by scalars")
  func splitting() throws {
    for mark in NaughtyTexts.combining {
      let value = String(String.UnicodeScalarView([mark, "x"]))
      let assignment = try #require(FieldAssignment(argument: "title=\(value)"))
      #expect(assignment.field == "title" && assignment.value?.isSame(as: value) == true)
      var null = ":null".unicodeScalars
      null.append(mark)
      #expect(FieldAssignment(argument: "title" + String(null)) == nil)
      for quote in ["'", "\""] as [Unicode.Scalar] {
        var text = String.UnicodeScalarView([quote])
        text.append(contentsOf: "\(value) y".unicodeScalars)
        text.append(quote)
        text.append(mark)
        let words = try ReplayLine.words(String(text))
        let expected = "\(value) y" + String(String.UnicodeScalarView([mark]))
        #expect(words.count == 1 && words[0].isSame(as: expected), "\(words)")
      }
      let type = TypeChoice(argument: String(String.UnicodeScalarView(["=", mark, "="])) + "real")
      #expect(type?.type == .real)
    }
    for text in NaughtyTexts.all {
      _ = try? ReplayLine(text)
      _ = try? ReplayLine("search \(text)")
      _ = try? ReplayLine("query \(text)")
      _ = try? ReplayLine("at \(text)")
      _ = FieldAssignment(argument: text)
      _ = TypeChoice(argument: text)
      _ = DelimiterChoice(argument: text)
      _ = Arguments.inOurQuotes(text)
      _ = Arguments.mistypedCommand([text, text])
      #expect(!Text.oneLine(text).utf8.contains { $0 < 0x20 || $0 == 0x7F })
      #expect(Text.width(Text.brief(text, 20)) <= 20)
    }
  }

  @Test("an argument that is not UTF-8 is refused, and is not stored")
  func notUTF8() throws {
    let script = "exec \"$0\" put \"$1\" notes n1 \"title=$(printf '\\377')\""
    let result = try RunningEvtool(
      [store], command: ["/bin/sh", "-c", script, Evtool.binary.path]
    ).wait()
    #expect(result.isRefusal(2, "argument 5 is not UTF-8"), "\(result.errors)")
    let line = try RunningEvtool(
      [store],
      command: [
        "/bin/sh", "-c", "printf 'show notes \\377\\nwhere\\n' | \"$0\" replay \"$1\"",
        Evtool.binary.path,
      ]
    ).wait()
    #expect(line.errors.contains("line 1: the line is not UTF-8"), "\(line.errors)")
    #expect(line.output.contains("at now"))
  }

  @Test("a table of any texts becomes entities with the same texts")
  func tables() throws {
    // CSV cannot have NUL.
    let texts = NaughtyTexts.arguments
    var csv = "id,title\n"
    for text in texts {
      let cell = "\"" + text.replacing("\"", by: "\"\"") + "\""
      csv += "\(cell),\(cell)\n"
    }
    let file = try folder.write(csv, "notes.csv")
    let other = folder.path("csv")
    try Evtool.run("init", other)
    let result = try Evtool.run("import", other, file)
    #expect(result.status == 0, "\(result.errors)")
    let inserts = try objects(try Evtool.run("export", other).output)
    expectSame(self.texts(inserts, "id"), texts)
    expectSame(self.texts(inserts.compactMap { $0["fields"] }, "title"), texts)
  }

  private struct NoText: Error {}
}
