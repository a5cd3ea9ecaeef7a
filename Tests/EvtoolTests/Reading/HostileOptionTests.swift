import Foundation
import Testing

/// Every option and argument, with any value, ends in order: impossible values are refused, and
/// none ends the process with a trap.
@Suite struct HostileOptionTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private static let numbers = [
    "-1", "0", "1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e3",
    "0x10",
    "", " 1", "٣",
  ]
  private static let texts = [
    "", " ", "'", "\"", "`", ";", "x' OR 1=1 --", "%", "*", "/", "notes/", "/n1", "é", "e\u{301}",
    "\u{301}",
    "=\u{301}", "a=\u{FE0F}b", "\u{202E}", "漢字", "{", "{\"a\":", ":", "0:0",
    "ffff:18446744073709551616", "OR", "title:", "rowid", "select", "sqlite_schema",
    String(repeating: "x", count: 2000),
  ]

  private func expectOrder(_ arguments: [String], input: String? = nil) throws {
    let result = try Evtool.run(arguments, input: input)
    #expect((0...2).contains(result.status), "\(arguments): \(result.status) \(result.errors)")
    #expect(!result.errors.contains("Fatal error"), "\(arguments): \(result.errors)")
    if result.status == 2 { #expect(result.errors.contains("evtool: "), "\(arguments)") }
  }

  /// Each command gets a quarter of the numbers, because the same code reads them for all commands.
  @Test(
    "every option with any number ends in order",
    arguments: [
      ["search", "STORE", "oat", "--limit=#"], ["log", "STORE", "--limit=#"],
      ["log", "STORE", "--newest", "--limit=#"], ["graph", "reach", "STORE", "n1", "--depth=#"],
      ["graph", "reach", "STORE", "n1", "--limit=#"], ["deleted", "STORE", "--limit=#"],
      ["conflicts", "STORE", "--limit=#"], ["deleted", "STORE", "--since=#"],
      ["audit", "STORE", "--limit=#"], ["audit", "STORE", "--since=#"],
      ["graph", "components", "STORE", "--limit=#"], ["graph", "cycles", "STORE", "--limit=#"],
      ["graph", "neighbors", "STORE", "n2", "--limit=#"],
      ["graph", "subgraph", "STORE", "n1", "--depth=#"],
      ["graph", "importance", "STORE", "--limit=#"],
      ["import", "STORE", "FILE", "--dry-run", "--batch=#"],
      ["import", "STORE", "FILE", "--again", "--put", "--batch=#"],
      ["import", "STORE", "FILE", "--from=#"], ["show", "STORE", "notes", "n1", "--at=#"],
      ["serve", "HUB", "--listen=nowhere", "--max-zone-bytes=#"],
      ["serve", "HUB", "--listen=nowhere", "--max-request-bytes=#"],
      ["serve", "HUB", "--listen=nowhere", "--max-live-clients=#"],
      ["serve", "HUB", "--listen=nowhere", "--max-token-seconds=#"],
      ["token", "create", "HUB", "--zone=team", "--read", "--expires=#"],
      ["token", "create", "HUB", "--zone=team", "--read", "--expires=#d"],
    ])
  func numbers(command: [String]) throws {
    let csv = try folder.write("id,title\nc1,Tea\n", "notes.csv")
    for number in Self.numbers {
      let isTaken = (number + command.joined()).utf8.reduce(0) { $0 &+ Int($1) }.isMultiple(of: 4)
      guard isTaken else { continue }
      try expectOrder(
        command.map { word in
          switch word {
          case "STORE": store
          case "FILE": csv
          case "HUB": folder.path("hub")
          default: word.replacing("#", with: number)
          }
        })
    }
  }

  @Test("the steps of a replay are numbers or are refused")
  func steps() throws {
    let lines = ["next", "back", "step", "at"].flatMap { command in
      Self.numbers.map { "\(command) \($0)" }
    }
    let result = try Evtool.run(["replay", store], input: lines.joined(separator: "\n") + "\n")
    #expect(result.status == 2, "\(result.errors)")
    #expect(!result.errors.contains("Fatal error"))
  }

  /// Each text goes to a sixth of the commands, because the same code reads arguments for all
  /// commands.
  @Test("every argument with any text ends in order")
  func texts() throws {
    for (turn, text) in Self.texts.enumerated() {
      let commands = [
        ["search", store, "--", text], ["search", store, "oat", "--collection=\(text)", "--any"],
        ["graph", "neighbors", store, "--", text],
        ["graph", "reach", store, "n1", "--via=\(text)", "--where=\(text)"],
        ["graph", "path", store, "n1", "n2", "--where=kind=\(text)", "--weight=\(text)"],
        ["show", store, "notes", "--", text], ["history", store, "--", text, text],
        ["put", store, "notes", "n1", "--", "title=\(text)"],
        ["put", store, "notes", "n1", "--", text],
        ["query", store, "--", text], ["log", store, "--after=\(text)", "--collection=\(text)"],
        ["deleted", store, "--match=\(text)", "--by=\(text)"], ["deleted", store, "--", text],
        ["conflicts", store, "--id=\(text)", "--field=\(text)", "--by=\(text)"],
        ["log", store, "--since=\(text)", "--by=\(text)"],
        ["diff", store, "--", text], ["rebuild", store, "--collection=\(text)"],
      ]
      for (number, command) in commands.enumerated() where (number + turn).isMultiple(of: 6) {
        try expectOrder(command)
      }
    }
    #expect(try Evtool.run("verify", store).status == 0)
  }
}
