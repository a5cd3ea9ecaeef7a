import Foundation
import Testing

/// Commands while another process holds the commit lock, which here is the process of the tests.
@Suite struct LockedStoreTests {
  static let environment = ["DAYBOOK_LOCK_TIMEOUT": "0.2"]

  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private func whileLocked(_ body: () throws -> Void) throws {
    let descriptor = open(store + "/log", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    try body()
  }

  @Test("commands that write wait for the timeout, report the lock, and change nothing")
  func writing() throws {
    let digest = try Evtool.run("digest", store, "--json").output
    let file = try folder.writeInserts(10, prefix: "l", name: "locked.ndjson")
    try whileLocked {
      for command in [
        ["put", store, "notes", "n1", "title=x"], ["update", store, "notes", "n1", "title=x"],
        ["delete", store, "notes", "n1"], ["import", store, file], ["rebuild", store],
      ] {
        let result = try Evtool.run(command, environment: Self.environment)
        #expect(
          result.isRefusal(2, "another process has held the store's commit lock for 0.2 s"),
          "\(command): \(result.errors)")
      }
    }
    #expect(try Evtool.run("digest", store, "--json").output == digest)
    #expect(try Evtool.run("put", store, "notes", "n1", "title=x").status == 0)
  }

  @Test("commands that only read do not wait for the lock")
  func reading() throws {
    let event = try #require(
      try Evtool.run("log", store, "--json").lines.last.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      } ?? nil)
    let origin = try #require(event["origin"] as? String)
    try whileLocked {
      for command in ReadingCommands.all(store, origin: origin) {
        let result = try Evtool.run(command, environment: Self.environment)
        #expect(result.status == 0, "\(command): \(result.errors)")
        #expect(result.errors.isEmpty, "\(command): \(result.errors)")
      }
    }
  }

  @Test("a timeout that is no number is a usage error")
  func timeout() throws {
    let result = try Evtool.run(
      ["put", store, "notes", "n1", "title=x"], environment: ["DAYBOOK_LOCK_TIMEOUT": "soon"])
    #expect(result.isRefusal(2, "DAYBOOK_LOCK_TIMEOUT"), "\(result.errors)")
  }
}

/// Every command that only reads, on a store of ``TemporaryFolder/makeStore(_:)``.
enum ReadingCommands {
  static func all(_ store: String, origin: String) -> [[String]] {
    [
      ["status", store], ["show", store, "notes", "n1"],
      ["show", store, "notes", "n1", "--at", "\(origin):2"], ["history", store, "notes", "n1"],
      ["query", store, "SELECT * FROM notes ORDER BY body"], ["search", store, "oat"],
      ["graph", "path", store, "n1", "n3"], ["log", store], ["digest", store], ["export", store],
      ["export", store, "--at", "\(origin):2"], ["verify", store], ["rebuild", store, "--verify"],
    ]
  }
}
