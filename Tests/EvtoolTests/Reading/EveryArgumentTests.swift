import ArgumentParser
import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import evtool

/// Every argument and option of every command, as the command itself lists them, with texts that
/// often break programs.
@Suite struct EveryArgumentTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  // MARK: - The command's own list

  private struct Help: Decodable { var command: Command }

  private struct Command: Decodable {
    var commandName: String
    var subcommands: [Command]?
    var arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable { var name: String }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var isOptional: Bool
  }

  /// An argument of a command.
  private struct Place: CustomStringConvertible {
    var path: [String]
    /// The values that the command needs, in order.
    var needed: [Argument]
    /// The argument that gets the texts.
    var argument: Argument

    var description: String {
      "\(path.joined(separator: " ")) \(argument.valueName ?? argument.kind)"
    }
  }

  private func places() throws -> [Place] {
    let dump = try Evtool.run("--experimental-dump-help")
    let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8))
    var places: [Place] = []
    func add(_ command: Command, _ path: [String]) {
      for next in command.subcommands ?? [] { add(next, path + [next.commandName]) }
      guard command.subcommands?.isEmpty != false, path != ["help"] else { return }
      let values = (command.arguments ?? []).filter { $0.kind != "flag" }
      let needed = values.filter { $0.kind == "positional" && !$0.isOptional }
      for argument in values {
        places.append(Place(path: path, needed: needed, argument: argument))
      }
    }
    add(help.command, [])
    #expect(places.count > 120)
    return places
  }

  /// Returns the words of a command, `text` in its place and ordinary values for the rest.
  private func words(_ place: Place, _ text: String) -> [String] {
    var words = place.path
    if [["serve"], ["inspect"]].contains(place.path) { words.append("--listen=nowhere") }
    if place.path == ["token", "create"] { words += ["--zone=team", "--read"] }
    if let name = place.argument.names?.last?.name, place.argument.kind == "option" {
      words += text.begins(with: "-") ? ["--\(name)=\(text)"] : ["--\(name)", text]
    }
    words.append("--")
    for needed in place.needed {
      let isPlace =
        place.argument.kind == "positional"
        && needed.valueName == place.argument.valueName
      words.append(isPlace ? text : value(needed.valueName ?? "", place.path))
    }
    if place.argument.kind == "positional", place.argument.isOptional { words.append(text) }
    return words
  }

  private func value(_ name: String, _ path: [String]) -> String {
    switch (name, path.first) {
    case ("from", "diff"), ("to", "diff"): "2001-01-01"
    case ("store", _), ("source", _): store
    case ("collection", _): "notes"
    case ("id", _), ("from", _), ("vertex", _): "n1"
    case ("to", _): "n2"
    case ("sql", _): "SELECT 1"
    case ("fields", _): "title=x"
    case ("peer", _): folder.path("other")
    case ("folder", _), ("hub", _): folder.path("hub")
    case ("file", _): folder.path("table.csv")
    default: "oat"
    }
  }

  // MARK: - Tests

  @Test("any text in the place of any argument is taken or refused")
  func parsing() throws {
    var parsed = 0
    for (number, place) in try places().enumerated() {
      for (turn, text) in NaughtyTexts.arguments.enumerated()
      where (turn + number).isMultiple(of: 32) {
        do {
          _ = try Arguments.command(words(place, text))
          parsed += 1
        } catch {
          let code = EvtoolCommand.exitCode(for: error)
          #expect(code != .success, "\(place): \(text.debugDescription)")
          #expect(!EvtoolCommand.message(for: error).isEmpty)
        }
      }
    }
    #expect(parsed > 500)
  }

  /// The texts are used as paths, too: those that lead out of the folder of the test are left out.
  @Test("every command with any text in any of its arguments ends in order")
  func running() throws {
    try folder.write("id,title\nc1,Tea\n", "table.csv")
    try Evtool.run("init", folder.path("other"))
    try FileManager.default.createDirectory(
      atPath: folder.path("work"), withIntermediateDirectories: true)
    let texts = NaughtyTexts.arguments.filter { text in
      !["/", "~", "http", "file:", "folder:"].contains { text.begins(with: $0) }
        && !text.contains("..")
    }
    for (number, place) in try places().enumerated() {
      // Listening would not end.
      guard place.argument.valueName != "listen" else { continue }
      for turn in 0..<2 {
        let text = texts[(number * 37 + turn * 211) % texts.count]
        let result = try RunningEvtool(
          words(place, text),
          command: [
            "/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path("work"), Evtool.binary.path,
          ]
        ).wait()
        let story = "\(place): \(text.debugDescription): \(result.status) \(result.errors)"
        #expect((0...2).contains(result.status), "\(story)")
        #expect(!result.errors.contains("Fatal error"), "\(story)")
        if result.status == 2 { #expect(result.errors.contains("evtool: "), "\(story)") }
      }
    }
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("what follows “--” is one argument, whichever marks it has")
  func afterDashes() throws {
    for text in ["--a=\u{301}b", "--=\u{FE0F}"] {
      let found = try Evtool.run("show", store, "notes", "--", text)
      #expect(found.status == 1, "\(found.errors)")
    }
  }
}
