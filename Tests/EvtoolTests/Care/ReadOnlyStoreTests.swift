import Foundation
import Testing

/// A store in a folder that the user cannot write to, such as on a read-only medium or in another
/// user's home. The superuser can write everything, so the command runs as another user.
@Suite(.enabled(if: Nobody.isPermitted, Nobody.reason))
struct ReadOnlyStoreTests {
  let folder: TemporaryFolder
  let temporary: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    temporary = try TemporaryFolder()
    store = try folder.makeStore()
    chmod(temporary.url.path, 0o777)
  }

  private func run(_ arguments: [String]) throws -> Evtool.Result {
    try RunningEvtool(
      arguments, environment: ["TMPDIR": temporary.url.path], command: try Nobody.command
    ).wait()
  }

  /// Every file under the store, with its content.
  private func content() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
      files[name] = FileManager.default.contents(atPath: store + "/" + name) ?? Data()
    }
    return files
  }

  private func origin() throws -> String {
    let line = try #require(try Evtool.run("log", store, "--json").lines.last)
    let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return try #require(event?["origin"] as? String)
  }

  @Test("every command that only reads works, with the same output and without a trace")
  func reading() throws {
    let commands = ReadingCommands.all(store, origin: try origin())
    let before = try content()
    for command in commands {
      let result = try run(command)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(result.errors.isEmpty, "\(command): \(result.errors)")
      if command[0] != "verify" {
        #expect(result.output == (try Evtool.run(command).output), "\(command)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    }
    #expect(try content() == before)
  }

  @Test("every command that writes is refused in one sentence, without a trace")
  func writing() throws {
    let file = try folder.writeInserts(10, prefix: "r", name: "read-only.ndjson")
    let before = try content()
    for command in [
      ["put", store, "notes", "n1", "title=x"], ["delete", store, "notes", "n1"],
      ["import", store, file], ["rebuild", store], ["repair", store],
    ] {
      let result = try run(command)
      #expect(result.isRefusal(2, "cannot be written"), "\(command): \(result.errors)")
    }
    let made = try run(["init", folder.path("new")])
    #expect(made.isRefusal(2, "cannot be made", "permissions"), "\(made.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
    #expect(try content() == before)
  }

  @Test("a dry run of a repair needs no right to write, and finds what is damaged")
  func dryRun() throws {
    var before = try content()
    let sound = try run(["repair", store, "--dry-run"])
    #expect(sound.status == 0, "\(sound.errors)")
    #expect(sound.output.contains("nothing to repair"), "\(sound.output)")
    #expect(try content() == before)
    let segment = URL(fileURLWithPath: store + "/log/0000000000000001.segment")
    var bytes = try Data(contentsOf: segment)
    bytes[bytes.count / 2] ^= 0x10
    try bytes.write(to: segment)
    let expected = try Evtool.run("repair", store, "--dry-run")
    before = try content()
    let damaged = try run(["repair", store, "--dry-run"])
    #expect(damaged.output == expected.output)
    #expect(damaged.status == expected.status)
    #expect(damaged.output.contains("found: "), "\(damaged.output)")
    #expect(try content() == before)
  }

  @Test("a read model that is behind cannot be read there, and is reported")
  func behind() throws {
    let readModel = store + "/read-model.sqlite"
    let old = try #require(FileManager.default.contents(atPath: readModel))
    #expect(try Evtool.run("put", store, "notes", "n1", "title=x").status == 0)
    try old.write(to: URL(fileURLWithPath: readModel))
    let before = try content()
    let result = try run(["show", store, "notes", "n1"])
    #expect(result.isRefusal(2, "cannot be written"), "\(result.errors)")
    #expect(try content() == before)
  }
}
