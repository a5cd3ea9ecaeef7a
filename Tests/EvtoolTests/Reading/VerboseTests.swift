import Foundation
import Testing

/// The lines that `--verbose` and `$DAYBOOK_LOG` add to the error stream.
@Suite struct VerboseTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private var edit: [String] { ["put", store, "notes", "n9", "title=secretive"] }

  @Test("--verbose logs each step in a line, without values that are written")
  func verbose() throws {
    let result = try Evtool.run(edit + ["-v"])
    #expect(result.status == 0)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count >= 3, "\(result.errors)")
    for line in lines {
      #expect(line.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info) +\S/), "\(line)")
      #expect(line.contains("store="))
    }
    #expect(result.errors.contains("the store is open"))
    #expect(result.errors.contains("a group was committed"))
    #expect(!result.errors.contains("secretive") && !result.errors.contains("n9"))
    #expect(try Evtool.run(edit).errors.isEmpty)
  }

  @Test("$DAYBOOK_LOG sets the level, and an unknown level is refused")
  func level() throws {
    let info = try Evtool.run(["rebuild", store], environment: ["DAYBOOK_LOG": "info"])
    #expect(info.status == 0)
    #expect(info.errors.contains(" info ") && !info.errors.contains(" debug "))
    let trace = try Evtool.run(["status", store, "--json"], environment: ["DAYBOOK_LOG": "trace"])
    #expect(try trace.json() is [String: Any])
    let wrong = try Evtool.run(edit, environment: ["DAYBOOK_LOG": "loud"])
    #expect(wrong.isRefusal(2, "DAYBOOK_LOG", "loud", "trace"), "\(wrong.errors)")
  }
}
