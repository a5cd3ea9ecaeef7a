import Foundation
import Testing

extension TemporaryFolder {
  /// Two stores that have synced, of which each has then written the same field: one conflict.
  func makeConflict() throws -> (ann: String, bob: String) {
    let (ann, bob) = (try makeStore("ann.daybook"), path("bob.daybook"))
    try Evtool.run("init", bob)
    try Evtool.run("sync", bob, ann)
    #expect(
      try Evtool.run(
        "update", ann, "notes", "n1", "title=Oat milk, two", "--actor", "ann", "--label",
        "more milk"
      ).status == 0)
    #expect(
      try Evtool.run("update", bob, "notes", "n1", "title=Soy milk", "--actor", "bob").status == 0)
    try Evtool.run("sync", ann, bob)
    return (ann, bob)
  }

  /// What a store shows of an entity.
  func fields(_ store: String, _ id: String) throws -> [String: Any] {
    let shown = try Evtool.run("show", store, "notes", id, "--json").json() as? [String: Any]
    return shown?["fields"] as? [String: Any] ?? shown ?? [:]
  }
}
