import Foundation
import Testing

/// `sync` with another folder, and `conflicts`.
@Suite struct SyncTests {
  private let folder: TemporaryFolder
  private let a: String
  private let b: String

  init() throws {
    folder = try TemporaryFolder()
    (a, b) = (folder.path("a"), folder.path("b"))
    for store in [a, b] { try Evtool.run("init", store) }
    let notes = try folder.write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"title","type":"text","search":true}]}
      {"op":"insert","collection":"notes","id":"n1","fields":{"title":"milk"}}

      """, "notes.ndjson")
    #expect(try Evtool.run("import", a, notes).status == 0)
    #expect(try Evtool.run("sync", b, a).status == 0)
    #expect(
      try Evtool.run("update", a, "notes", "n1", "title=oat milk", "--actor", "ann").status == 0)
    #expect(
      try Evtool.run("update", b, "notes", "n1", "title=soy milk", "--actor", "bob").status == 0)
  }

  @Test("two stores that sync hold the same, and a conflict is explained and settled")
  func foldersSync() throws {
    let sync = try Evtool.run("sync", b, a)
    #expect(sync.status == 0 && sync.output.contains("1 new conflict"))
    #expect(try Evtool.run("sync", b, a).output == "both hold the same already\n")
    let digests = try [a, b].map { try Evtool.run("digest", $0, "--json").output }
    #expect(digests[0] == digests[1])

    let list = try Evtool.run("conflicts", a)
    #expect(list.status == 0)
    for part in ["notes n1, title", "oat milk", "soy milk", "ann", "bob", "counts"] {
      #expect(list.output.contains(part), "\(part) in \(list.output)")
    }
    #expect(try Evtool.run("conflicts", b).output == list.output)
    let json = try Evtool.run("conflicts", b, "--json").json()
    let writes = (json as? [[String: Any]])?.first?["writes"] as? [[String: Any]]
    #expect(writes?.count == 2 && writes?.filter { $0["wins"] as? Bool == true }.count == 1)

    let resolved = try Evtool.run(
      "conflicts", "resolve", a, "notes", "n1", "title", "--value", "any milk")
    #expect(resolved.status == 0 && resolved.output.contains("settled n1 in notes"))
    #expect(try Evtool.run("sync", b, a).status == 0)
    for store in [a, b] {
      let none = try Evtool.run("conflicts", store)
      #expect(none.status == 0 && none.output == "no conflicts\n")
      #expect(try Evtool.run("show", store, "notes", "n1").output.contains("any milk"))
    }
    let status = try Evtool.run("status", b).output
    #expect(status.contains("has all of this store's events") && status.contains("zone"))
  }

  @Test("a sync turns the two histories of a copied store into those of two replicas")
  func copyWithItsKey() throws {
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: a, toPath: copy)
    for (store, word) in [(a, "here"), (copy, "there")] {
      #expect(try Evtool.run("put", store, "notes", word, "title=\(word)").status == 0)
    }
    // The store with the branch that does not stand settles the fork, and the other has nothing to
    // do.
    let syncs = try [(a, copy), (copy, a)].map { try Evtool.run("sync", $0.0, $0.1, "--json") }
    let settled = try syncs.flatMap { sync in
      ((try sync.json() as? [String: Any])?["forks"] as? [[String: Any]]) ?? []
    }
    let removed = settled.filter { $0["kept"] as? Bool == false }
    #expect(removed.count == 1, "\(settled)")
    #expect(removed.first?["reissued"] as? Int == 1)
    #expect(try Evtool.run("sync", a, copy).status == 0)
    #expect(try Evtool.run("sync", a, copy).output == "both hold the same already\n")
    let digests = try [a, copy].map { try Evtool.run("digest", $0, "--json").output }
    #expect(digests[0] == digests[1])
    for store in [a, copy] {
      for word in ["here", "there"] {
        #expect(try Evtool.run("show", store, "notes", word).output.contains(word))
      }
      #expect(try Evtool.run("verify", store).status == 0)
    }
  }

  /// It read the conflict outside of its transaction, so the second one took back the first.
  @Test("of two processes that settle a conflict at once, one is told that there is none any more")
  func settledAtOnce() throws {
    #expect(try Evtool.run("sync", b, a).status == 0)
    for round in 0..<6 {
      let running = try ["winner", "other"].map { choice in
        try RunningEvtool(["conflicts", "resolve", a, "notes", "n1", "title", "--take", choice])
      }
      let results = try running.map { try $0.wait() }
      let refused = results.filter { $0.status != 0 }
      #expect(refused.count == 1, "round \(round)")
      #expect(refused.allSatisfy { $0.isRefusal(1, "no conflict") })
      // The next conflict.
      #expect(try Evtool.run("sync", b, a).status == 0)
      for store in [a, b] {
        let title = "title=\(round) \(store)"
        #expect(try Evtool.run("update", store, "notes", "n1", title).status == 0)
      }
      #expect(try Evtool.run("sync", b, a).status == 0)
    }
  }

  @Test("an impossible choice is refused and changes nothing")
  func badChoices() throws {
    #expect(try Evtool.run("sync", b, a).status == 0)
    let before = try Evtool.run("digest", a).output
    #expect(
      try Evtool.run("conflicts", "resolve", a, "notes", "n1", "title").isRefusal(2, "--take"))
    #expect(
      try Evtool.run("conflicts", "resolve", a, "notes", "n2", "title", "--take", "other")
        .isRefusal(1, "no conflict"))
    #expect(
      try Evtool.run("conflicts", "resolve", a, "notes", "n1", "--take", "other")
        .isRefusal(1, "no conflict", "title"))
    #expect(
      try Evtool.run("conflicts", "resolve", a, "nets", "n1", "--take", "other")
        .isRefusal(2, "nets"))
    #expect(try Evtool.run("digest", a).output == before)
  }

  @Test("a peer that is no store, or of another zone, is refused in one sentence")
  func badPeers() throws {
    #expect(
      try Evtool.run("sync", a, folder.path("nowhere")).isRefusal(2, "there is no store"))
    let (c, d) = (folder.path("c"), folder.path("d"))
    for store in [c, d] { try Evtool.run("init", store) }
    #expect(try Evtool.run("sync", c, d).status == 0)
    let before = try Evtool.run("digest", a).output
    #expect(try Evtool.run("sync", a, c).isRefusal(2, "zone"))
    #expect(try Evtool.run("digest", a).output == before)
  }

  @Test("a live sync sends later writes of other processes, and ends on request")
  func live() throws {
    #expect(try Evtool.run("sync", b, a).status == 0)
    let live = try RunningEvtool(["sync", b, a, "--live", "--json"])
    // Each write is by another process, and the live sync has to notice it.
    for number in 2...4 {
      #expect(try Evtool.run("put", b, "notes", "n\(number)", "title=from b").status == 0)
    }
    let deadline = ContinuousClock.now + .seconds(300)
    while try !Evtool.run("query", a, "--csv", "SELECT count(*) FROM notes").output.contains("4") {
      guard ContinuousClock.now < deadline else {
        Issue.record("the notes have not arrived")
        break
      }
    }
    live.process.interrupt()
    let ended = try live.wait()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.contains("\"state\":\"idle\""))
    #expect(try Evtool.run("digest", a).output == Evtool.run("digest", b).output)
  }
}
