import Foundation
import Testing

/// The command on a machine whose clock is wrong. The program `faketime` sets the clock of a
/// process.
@Suite struct ClockTests {
  private static let program = ["/usr/bin/faketime", "/opt/homebrew/bin/faketime"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private static func run(at time: String, _ arguments: [String]) throws -> Evtool.Result {
    try RunningEvtool(arguments, command: [program ?? "", "-f", "@\(time)", Evtool.binary.path])
      .wait()
  }

  /// 2^63 nanoseconds since 1970 end on 11 April 2262; two digits more end 48 bits of milliseconds.
  @Test(
    "no clock ends a command, and what a command acknowledged is there",
    .enabled(if: program != nil),
    arguments: [
      "1902-01-01 00:00:00", "1970-01-01 00:00:00", "2200-01-01 00:00:00", "2262-04-11 23:47:15",
      "2262-04-12 00:00:00", "2300-01-01 00:00:00", "9999-12-31 23:59:59",
    ])
  func clock(time: String) throws {
    let folder = try TemporaryFolder()
    let store = folder.path("store")
    let lines = try folder.write(
      #"{"op":"define","collection":"n","fields":[{"name":"t","type":"text"}]}"# + "\n",
      "lines.ndjson")
    let commands: [[String]] = [
      ["init", store], ["import", store, lines], ["put", store, "n", "1", "t=x"],
      ["update", store, "n", "1", "t=y"], ["show", store, "n", "1"], ["status", store],
      ["history", store, "n", "1"], ["sync", store, "folder:" + folder.path("shared")],
      ["backup", store, folder.path("backup")], ["rebuild", store], ["verify", store],
      ["token", "create", folder.path("hub"), "--zone", "team", "--write", "--expires", "90d"],
      ["token", "list", folder.path("hub")],
    ]
    try FileManager.default.createDirectory(
      atPath: folder.path("shared"), withIntermediateDirectories: false)
    for command in commands {
      let result = try Self.run(at: time, command)
      // A signal would be 128 and more.
      #expect(result.status <= 1, "\(command[0]) at \(time): \(result.status) \(result.errors)")
    }
    let shown = try Evtool.run("show", store, "n", "1", "--json")
    #expect(shown.status == 0 && shown.output.contains("\"y\""), "\(shown.output)")
  }
}
