import ArgumentParser
import DaybookProjections
import Foundation
import Testing

@testable import evtool

/// Suggestions for mistyped names.
@Suite struct SuggestionTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  @Test("a mistyped name of any kind is answered with the nearest name")
  func meant() throws {
    let csv = try folder.write("isbn,title\n1,x\n", "books.csv")
    let line = try folder.write(
      #"{"op":"insert","collection":"note","id":"x","fields":{}}"#, "collection.ndjson")
    let field = try folder.write(
      #"{"op":"insert","collection":"notes","id":"x","fields":{"titel":"x"}}"#, "field.ndjson")
    let cases: [([String], String)] = [
      (["statu", store], "`evtool status`"), (["serach", store, "x"], "`evtool search`"),
      (["help", "improt"], "`evtool import`"), (["stat"], "`evtool status`"),
      (["graph", "neigbors", store, "n1"], "`evtool graph neighbors`"),
      (["conflicts", "reslove", store, "notes", "n1"], "`evtool conflicts resolve`"),
      (["token", "creat", "hub"], "`evtool token create`"),
      (["show", store, "nots", "n1"], "“notes”"),
      (["put", store, "Note", "n1", "title=x"], "“notes”"),
      (["put", store, "notes", "n1", "titel=x"], "“title”"),
      (["search", store, "x", "--collection", "noets"], "“notes”"),
      (["graph", "neighbors", store, "n1", "--via", "link"], "“links”"),
      (["query", store, "SELECT * FROM nots"], "“notes”"),
      (["query", store, "SELECT titel FROM notes"], "“title”"),
      (["query", store, "SELECT n.ratting FROM notes n"], "“rating”"),
      (["export", store, "--collection", "noes"], "“notes”"),
      (["rebuild", store, "--collection", "lins"], "“links”"),
      (["import", store, csv, "--id", "ibsn"], "“isbn”"),
      (["import", store, csv, "--search", "titel"], "“title”"),
      (["import", store, line], "“notes”"), (["import", store, field], "“title”"),
      (["search", store, "x", "--colection", "notes"], "“--collection”"),
    ]
    for (arguments, meant) in cases {
      let result = try Evtool.run(arguments)
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.contains(meant), "\(arguments): \(result.errors)")
      #expect(result.errors.lowercased().contains("did you mean"), "\(result.errors)")
    }
  }

  @Test("a name without a near one is answered with the list, without a suggestion")
  func nothingNear() throws {
    for (arguments, words) in [
      (["frobnicate"], "there is no command “frobnicate”"), (["x"], "`evtool help` lists them"),
      (["show", store, "zzzzzz", "n1"], "There are: links, notes"),
      (["query", store, "SELECT * FROM zzzzzz"], "There are: links, notes"),
      (["put", store, "notes", "n1", "zzzzzzz=1"], "There are: title, body"),
    ] {
      let result = try Evtool.run(arguments)
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
      #expect(!result.errors.lowercased().contains("did you mean"), "\(result.errors)")
    }
    // An argument of the default command is no mistyped command.
    #expect(try Evtool.run("conflicts", store).status == 0)
    #expect(try Evtool.run("conflicts", folder.path("missing")).errors.contains("no store"))
  }

  @Test("the nearest name has the fewest typing errors, and distant or long names have none")
  func nearest() {
    let names = ["status", "search", "show", "sync", "id", "Notes"]
    #expect(NameSuggestion.nearest(to: "statsu", among: names) == "status")
    #expect(NameSuggestion.nearest(to: "sea", among: names) == "search")
    #expect(NameSuggestion.nearest(to: "shwo", among: names) == "show")
    #expect(NameSuggestion.nearest(to: "notes", among: names) == "Notes")
    #expect(NameSuggestion.nearest(to: "x", among: names) == nil)
    #expect(NameSuggestion.nearest(to: "", among: names) == nil)
    #expect(NameSuggestion.nearest(to: "elephant", among: names) == nil)
    let long = String(repeating: "s", count: 1_000_000)
    #expect(NameSuggestion.nearest(to: long, among: names + [long]) == nil)
  }

  @Test("help lists the commands under headings, and every command has an explicit name")
  func groups() throws {
    let help = try Evtool.run("--help").output
    for heading in ["FILES", "READING", "WRITING", "HISTORY", "SHARING", "CARE"] {
      #expect(help.contains("\(heading) SUBCOMMANDS:"), "\(heading) in \(help)")
    }
    // ArgumentParser finds the name of a command without an explicit name by looking through every
    // type of the program, at each start.
    for command in Self.commands() {
      #expect(command.type.configuration.commandName != nil, "\(command.type)")
    }
  }

  @Test("the help of each command has an example, and the page of commands has the command")
  func examples() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/cli.md"), encoding: .utf8)
    let commands = Self.commands().filter { $0.type.configuration.subcommands.isEmpty }
    #expect(commands.count > 35)
    for (path, type) in commands {
      let help = EvtoolCommand.helpMessage(for: type)
      #expect(help.contains("xample"), "\(path)")
      #expect(help.contains("evtool \(path) "), "\(path)")
      #expect(page.contains("`\(path) ") || page.contains("`\(path)`"), "\(path)")
    }
  }

  /// The commands and groups of commands, each with the words that call it.
  private static func commands() -> [(path: String, type: any ParsableCommand.Type)] {
    func below(_ types: [any ParsableCommand.Type], _ path: String)
      -> [(path: String, type: any ParsableCommand.Type)]
    {
      types.flatMap { type in
        let name = path + (type.configuration.commandName ?? "")
        // A command that its group runs by default is called by the group's name.
        let subcommands = below(type.configuration.subcommands, name + " ").map { found in
          found.type == type.configuration.defaultSubcommand ? (name, found.type) : found
        }
        return [(name, type)] + subcommands
      }
    }
    return below(EvtoolCommand.configuration.subcommands, "")
  }

  @Test("messages of ArgumentParser get the same quotation marks as ours")
  func quotes() {
    #expect(
      Arguments.inOurQuotes("Unknown option '--x'. Did you mean '--y'?")
        == "Unknown option “--x”. Did you mean “--y”?")
    #expect(
      Arguments.inOurQuotes("See 'evtool help x' for more.") == "See `evtool help x` for more.")
    #expect(Arguments.inOurQuotes("The value 'don't' is none") == "The value “don't” is none")
    #expect(Arguments.inOurQuotes("it's fine") == "it's fine")
  }
}
