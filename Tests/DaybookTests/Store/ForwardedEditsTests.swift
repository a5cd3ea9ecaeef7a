import Daybook
import Foundation
import Testing

/// A store that a build from before edits has left, with edits that it had received and forwarded.
///
/// `Golden/before-edits` was made by that build's `evtool`, between stores of later builds: see
/// docs/measurements/2026-11-texts.md. It cannot be made again by a build that knows edits.
@Suite struct ForwardedEditsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "forwarded-\(UUID())", directoryHint: .isDirectory)

  /// A copy of the store, as the upgraded software finds it.
  private func copy() throws -> URL {
    let golden = try #require(Bundle.module.url(forResource: "Golden", withExtension: nil))
    try FileManager.default.copyItem(at: golden.appending(path: "before-edits"), to: folder)
    return folder
  }

  /// The digest of the stores of the later build, which held the same events.
  private static let digest = "6d8aa425c2fec02aeabff6eba62d522f6916250d516fac5b5cb5e7c3da45699b"

  @Test("a store that had forwarded edits shows them once it is opened, and the others' digest")
  func opened() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await Store.open(at: try copy())
    let digest = try await store.digest()
    #expect(digest.isComplete)
    #expect("\(digest.digest)" == Self.digest)
    // Written by two authors of a later build who were apart; the title by the old build.
    let list = try await store.fetch("notes", "n1")
    #expect(list?["body"] == "Oat milk, rye bread, salt" && list?["title"] == "Shopping")
    // Assigned by the old build, then edited by a later one.
    #expect(try await store.fetch("notes", "n2")?["body"] == "zero one two three")
    #expect(try await store.conflicts().all().isEmpty)
    #expect(try await store.hidden().all().isEmpty)
    let blame = try await store.blame(of: "notes", "n1", text: "body")
    #expect(blame.map(\.text) == ["Oat m", "ilk, ", "rye ", "bread", ", salt"])
    #expect(try await store.search("salt", in: "notes").map(\.id) == ["n1"])
    try await store.close()
    let verification = try await Store.verify(at: folder)
    #expect(verification.isSound && verification.isCompared)
  }

  @Test("without its old read model, such a store shows the same")
  func rebuilt() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.removeItem(at: try copy().appending(path: "read-model.sqlite"))
    let store = try await Store.open(at: folder)
    let digest = try await store.digest()
    #expect("\(digest.digest)" == Self.digest)
    try await store.close()
  }
}
