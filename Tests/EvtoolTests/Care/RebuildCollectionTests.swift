import Foundation
import Testing

/// `evtool rebuild --collection`.
@Suite struct RebuildCollectionTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
    try Evtool.run("update", store, "notes", "n1", "title=Soy milk")
    try Evtool.run("delete", store, "notes", "n2")
  }

  @Test("a rebuild of one collection keeps the digest, and leaves a sound store")
  func rebuilds() throws {
    let digest = try #require(try Evtool.run("digest", store, "--json").json() as? [String: Any])
    let exported = try Evtool.run("export", store).output
    for (collection, operations) in [("notes", 5), ("links", 2)] {
      let result = try Evtool.run("rebuild", store, "--collection", collection, "--json")
      #expect(result.status == 0, "\(result.errors)")
      let report = try #require(try result.json() as? [String: Any])
      #expect(report["operations"] as? Int == operations)
      #expect(report["consistent"] as? Bool == true)
      #expect(report["digest"] as? String == digest["digest"] as? String)
    }
    #expect(try Evtool.run("export", store).output == exported)
    #expect(try Evtool.run("search", store, "soy").status == 0)
    #expect(try Evtool.run("verify", store).status == 0)
    let text = try Evtool.run("rebuild", store, "--collection", "notes")
    #expect(text.output.contains("rebuilt notes from 5 operations"))
  }

  @Test("a rebuild of a collection that is impossible is refused in one sentence")
  func refusals() throws {
    let unknown = try Evtool.run("rebuild", store, "--collection", "nowhere")
    #expect(unknown.isRefusal(2, "nowhere", "There are: links, notes"), "\(unknown.errors)")
    let both = try Evtool.run("rebuild", store, "--collection", "notes", "--verify")
    #expect(both.status == 2 && both.errors.contains("--collection excludes"))
    let segment = URL(fileURLWithPath: store + "/log/0000000000000001.segment")
    var bytes = try Data(contentsOf: segment)
    bytes[bytes.count - 40] ^= 1
    try bytes.write(to: segment)
    let damaged = try Evtool.run("rebuild", store, "--collection", "notes")
    #expect(damaged.status == 3, "\(damaged.errors)")
    #expect(try Evtool.run("show", store, "notes", "n1").output.contains("Soy milk"))
  }

  @Test("a rebuild of a collection that is killed changes nothing")
  func kills() throws {
    let large = folder.path("large")
    try Evtool.run("init", large)
    let file = try folder.writeInserts(5_000, prefix: "k", name: "large.ndjson")
    #expect(try Evtool.run("import", large, file).status == 0)
    let digest = try Evtool.run("digest", large).output
    let before = try Evtool.run("export", large).output
    for _ in 0..<CrashTests.rounds {
      let running = try RunningEvtool(["rebuild", large, "--collection", "things"])
      // The rebuild holds the commit lock while it works.
      let descriptor = open(large + "/log", O_RDONLY)
      defer { close(descriptor) }
      while running.process.isRunning, flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        flock(descriptor, LOCK_UN)
        sched_yield()
      }
      for _ in 0..<Int.random(in: 0..<100_000) { sched_yield() }
      kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
      #expect(try Evtool.run("export", large).output == before)
      #expect(try Evtool.run("digest", large).output == digest)
    }
    #expect(try Evtool.run("verify", large).status == 0)
    #expect(try Evtool.run("rebuild", large, "--collection", "things").status == 0)
    #expect(try Evtool.run("verify", large).status == 0)
  }
}
