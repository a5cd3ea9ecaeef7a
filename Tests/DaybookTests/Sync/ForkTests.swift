import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct ForkTests {
  private let place = SyncPlace()

  /// Makes a store and a copy of it with its key, and lets each write on by itself.
  private func cloned(_ peer: some SyncPeer) async throws -> (original: Store, clone: URL) {
    let a = try await place.store("a")
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
    }
    try await a.syncOnce(with: peer)
    try await a.close()
    let copy = place.folder.appending(path: "c")
    try FileManager.default.copyItem(at: a.url, to: copy)
    let original = try await Store.open(at: a.url)
    try await original.write { tx in try tx.insert("notes", "n2", ["title": .text("bread")]) }
    let clone = try await Store.open(at: copy)
    try await clone.write { tx in try tx.update("notes", "n1", ["title": .text("soy milk")]) }
    try await clone.write(label: "second") { tx in
      try tx.insert("notes", "n3", ["title": .text("salt")])
    }
    try await clone.close()
    return (original, copy)
  }

  @Test("the events of a clone are written again under a new identity")
  func cloneRenewed() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let (a, copy) = try await cloned(hub)
    try await a.syncOnce(with: hub)
    var c = try await Store.open(at: copy)
    let refused = try await c.syncOnce(with: hub)
    #expect(refused.refusals.map(\.code) == [.fork])
    #expect(refused.refusals.first?.event.origin == a.replica)
    // The clone is unchanged so far.
    #expect(try await place.titles(c) == ["soy milk", "salt"])
    try await c.close()

    let reports = try await Store.settleForks(at: copy, with: hub)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.origin == a.replica && report.common == 2 && report.events == 2)
    #expect(report.reissued == 2 && report.renewed != nil)
    guard case .removed(let folder) = report.outcome else {
      Issue.record("the clone's branch was kept")
      return
    }
    #expect(FileManager.default.fileExists(atPath: copy.appending(path: folder).path + "/log"))

    c = try await Store.open(at: copy)
    #expect(c.replica == report.renewed)
    #expect(try await c.syncOnce(with: hub).refusals.isEmpty)
    try await a.syncOnce(with: hub)
    for store in [a, c] {
      #expect(try await place.titles(store) == ["soy milk", "bread", "salt"])
    }
    #expect(try await a.digest() == c.digest())
    let history = try await c.history(of: "notes", "n3")
    #expect(history.map(\.label) == ["second"])
    #expect(try await Store.verify(at: copy).isSound)
    // There is nothing more to settle.
    try await c.close()
    #expect(try await Store.settleForks(at: copy, with: hub).isEmpty)
    try await a.close()
    try zone.close()
  }

  /// An event that is written again gets the name of the original event and the context of its
  /// author. A transaction of the largest size has no room for them.
  @Test("a transaction of the largest size is written again whole")
  func largestTransaction() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let (a, copy) = try await cloned(hub)
    try await a.syncOnce(with: hub)
    var c = try await Store.open(at: copy)
    var length = Body.eventBytesMax
    var written = false
    while !written {
      length -= 8
      let text = String(repeating: "x", count: length)
      do {
        try await c.write(label: "large") { try $0.insert("notes", "n4", ["title": .text(text)]) }
        written = true
      } catch let error as StoreError where error.code == .tooLarge {}
    }
    try await c.close()

    let report = try #require(try await Store.settleForks(at: copy, with: hub).first)
    #expect(report.events == 3 && report.reissued == 3)
    c = try await Store.open(at: copy)
    #expect(try await c.syncOnce(with: hub).refusals.isEmpty)
    try await a.syncOnce(with: hub)
    for store in [a, c] {
      #expect(try await place.titles(store).map(\.utf8.count).sorted() == [4, 5, 8, length])
    }
    #expect(try await a.digest() == c.digest())
    #expect(try await c.history(of: "notes", "n4").map(\.label) == ["large"])
    #expect(try await Store.verify(at: copy).isSound)
    try await place.close([a, c])
    try zone.close()
  }

  /// A server without a key that answered “fork” made stores take events out of their logs.
  @Test("a peer that proves no fork changes nothing")
  func unprovenFork() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let (a, copy) = try await cloned(hub)
    try await a.syncOnce(with: hub)
    let c = try await Store.open(at: copy)
    let titles = try await place.titles(c)
    try await c.close()
    for shows in [SpoilingPeer.Shows.nothing, .forgedSignatures, .denial] {
      let peer = SpoilingPeer(inner: hub, shows: shows)
      #expect(try await Store.settleForks(at: copy, with: peer).isEmpty)
      let c = try await Store.open(at: copy)
      #expect(try await place.titles(c) == titles && c.replica == a.replica)
      #expect(try await c.syncOnce(with: peer).refusals.contains { $0.code == .fork })
      try await c.close()
    }
    // The hub itself can prove the fork.
    #expect(try await Store.settleForks(at: copy, with: hub).map(\.events) == [2])
    try await a.close()
    try zone.close()
  }

  /// A user gives a copy a new identity and writes on, and the fork is settled only then. The
  /// branch still counts as the own work of the copy.
  @Test("a clone whose identity was renewed before the fork is settled loses nothing")
  func renewedFirst() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let (a, copy) = try await cloned(hub)
    try await a.syncOnce(with: hub)
    let (before, between) = try await Store.renewIdentity(at: copy)
    #expect(before == a.replica)
    var c = try await Store.open(at: copy)
    try await c.write { tx in try tx.insert("notes", "n4", ["title": .text("tea")]) }
    try await c.close()

    let reports = try await Store.settleForks(at: copy, with: hub)
    #expect(reports.map(\.origin) == [a.replica] && reports.map(\.reissued) == [2])
    let renewed = try #require(reports.first?.renewed)
    #expect(renewed != between && renewed != before)
    c = try await Store.open(at: copy)
    #expect(c.replica == renewed)
    let everything = ["soy milk", "bread", "salt", "tea"]
    // The events reach the hub through a store that has not met it. A head closes the events of the
    // time in between.
    let b = try await place.store("b")
    try await b.syncOnce(with: StorePeer(c))
    #expect(
      b.core.log.vector[between] == c.core.log.vector[between] && b.core.log.vector[between] > 0)
    #expect(try await c.syncOnce(with: hub).refusals.isEmpty)
    for store in [a, b] { #expect(try await store.syncOnce(with: hub).refusals.isEmpty) }
    for store in [a, b, c] { #expect(try await place.titles(store) == everything) }
    #expect(try await a.digest() == c.digest())
    try await place.close([a, b, c])
    try zone.close()
  }

  /// The file also has the last event that the store wrote under each identity.
  @Test("the identity file keeps the former identities of a store")
  func formerIdentities() throws {
    let (first, second, third) = (
      try Identity(seed: Array(repeating: 1, count: 32)),
      try Identity(seed: Array(repeating: 2, count: 32)),
      try Identity(seed: Array(repeating: 3, count: 32))
    )
    let file = IdentityFile(first).renewed(as: second, through: 7).renewed(as: third, through: 0)
    #expect(try IdentityFile(text: file.text) == file)
    #expect(file.written(as: first.id, current: 99) == 7)
    #expect(file.written(as: second.id, current: 99) == 0)
    #expect(file.written(as: third.id, current: 99) == 99)
    #expect(file.hasWritten(Branch(origin: first.id, from: 7), current: 99))
    #expect(!file.hasWritten(Branch(origin: first.id, from: 8), current: 99))
    var many = IdentityFile(first)
    for _ in 0..<100 { many = many.renewed(as: second, through: 1) }
    #expect(many.former.count == 64)
    #expect(throws: StoreError.self) {
      try IdentityFile(text: file.text.replacing(" 7\n", with: " 8\n"))
    }
  }

  /// Without stamps, the smaller chain value decides, the same way for both sides.
  @Test("both sides of a fork choose the same branch without a hub")
  func branchWithoutHub() async throws {
    defer { place.remove() }
    let b = try await place.store("b")
    let (a, copy) = try await cloned(StorePeer(b))
    try await a.syncOnce(with: StorePeer(b))
    try await a.close()
    let c = try await Store.open(at: copy)
    try await c.syncOnce(with: StorePeer(b))
    try await c.close()
    let open = try await Store.open(at: a.url)
    let ofClone = try await Store.settleForks(at: copy, with: StorePeer(open))
    let cloneStands = ofClone.map(\.outcome) == [.kept]
    try await open.close()
    if cloneStands {
      let other = try await Store.open(at: copy)
      let ofOriginal = try await Store.settleForks(at: a.url, with: StorePeer(other))
      #expect(ofOriginal.count == 1 && ofOriginal.first?.outcome != .kept)
      try await other.close()
    }
    let (one, two) = (try await Store.open(at: a.url), try await Store.open(at: copy))
    #expect(try await one.syncOnce(with: StorePeer(two)).refusals.isEmpty)
    #expect(try await place.titles(one) == ["soy milk", "bread", "salt"])
    #expect(try await one.digest() == two.digest())
    try await place.close([one, two, b])
  }

  /// The power fails while the logs change places, after any number of moves.
  @Test("an interrupted removal of a branch is finished by the next opening")
  func interruptedRemoval() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let (a, copy) = try await cloned(ZonePeer(zone))
    let original = a.replica
    try await a.close()
    let files = StoreFiles(folder: copy)
    let log = try EventLog.reading(files)
    let outcome = try BranchRemoval(files: files, environment: .system).run(
      .init(origin: original, from: 3), log, try IdentityFile.read(files))
    try log.close()
    for moved in 0...4 {
      let url = place.folder.appending(path: "cut-\(moved)")
      try FileManager.default.copyItem(at: copy, to: url)
      let files = StoreFiles(folder: url)
      let aside = url.appending(path: outcome.quarantined).path
      try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
      let moves = [
        (files.log, aside + "/log"), (files.nextLog + "/log", files.log),
        (files.nextLog + "/identity.key", files.key),
        (files.nextLog + "/identity", files.identity),
      ]
      for (from, to) in moves.prefix(moved) { #expect(rename(from, to) == 0) }
      let store = try await Store.open(at: url)
      #expect(store.replica == outcome.renewed && store.damage.isEmpty)
      #expect(try await place.titles(store) == ["soy milk", "salt"])
      #expect(store.core.log.vector[original] == 2)
      try await store.write { tx in try tx.insert("notes", "n4", ["title": .text("tea")]) }
      try await store.close()
      #expect(!FileManager.default.fileExists(atPath: files.removal))
      #expect(try await Store.verify(at: url).isSound)
    }
    try zone.close()
  }

  @Test("a copy whose identity is renewed before it writes has no fork")
  func renewedCopy() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let a = try await place.store("a")
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
    }
    try await a.close()
    let copy = place.folder.appending(path: "c")
    try FileManager.default.copyItem(at: a.url, to: copy)
    let (before, after) = try await Store.renewIdentity(at: copy)
    #expect(before == a.replica && after != before)
    let c = try await Store.open(at: copy)
    try await c.write { tx in try tx.insert("notes", "n2", ["title": .text("salt")]) }
    // The events of the former identity are sent too, though no store has sent them before.
    #expect(try await c.syncOnce(with: hub).refusals.isEmpty)
    let b = try await place.store("b")
    try await b.syncOnce(with: hub)
    #expect(try await place.titles(b) == ["milk", "salt"])
    let again = try await Store.open(at: a.url)
    try await again.write { tx in try tx.insert("notes", "n3", ["title": .text("tea")]) }
    #expect(try await again.syncOnce(with: hub).refusals.isEmpty)
    #expect(try await place.titles(again) == ["milk", "salt", "tea"])
    try await place.close([again, b, c])
    try zone.close()
  }

  @Test("the events of a restored backup are sent although its key is missing")
  func restoredBackup() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let a = try await place.store("a")
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
    }
    let backup = place.folder.appending(path: "backup")
    _ = try await Store.backup(at: a.url, to: backup)
    try await a.close()
    let restored = place.folder.appending(path: "r")
    _ = try await Store.restore(backup: backup, to: restored)
    let r = try await Store.open(at: restored)
    let report = try await r.syncOnce(with: hub)
    #expect(report.refusals.isEmpty && report.eventsSent >= 2)
    let b = try await place.store("b")
    try await b.syncOnce(with: hub)
    #expect(try await place.titles(b) == ["milk"])
    #expect(r.replica == a.replica, "the name that it was opened under")
    try await place.close([r, b])
    try zone.close()
  }

  @Test("the store of a zone refuses local writes")
  func writesToZone() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let a = try await place.store("a")
    try await a.write { tx in try tx.define(SyncPlace.notes) }
    try await a.syncOnce(with: ZonePeer(zone))
    try await a.close()
    try zone.close()
    let store = try await Store.open(at: zone.folder)
    #expect(try await store.schema()["notes"] != nil)
    await #expect {
      try await store.write { tx in try tx.insert("notes", "n1", ["title": .text("x")]) }
    } throws: { ($0 as? StoreError)?.code == .readOnly }
    try await store.close()
  }
}

/// A peer that claims forks and does not prove them.
private struct SpoilingPeer: SyncPeer {
  enum Shows { case nothing, forgedSignatures, denial }

  let inner: ZonePeer
  let shows: Shows

  var address: String { inner.address }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    var response = try await inner.exchange(request)
    switch shows {
    case .nothing: response.ranges = []
    case .forgedSignatures:
      for index in response.ranges.indices {
        response.ranges[index].signature = Array(repeating: 0, count: 64)
      }
    case .denial:
      response.ranges = []
      guard case .entries(_, let known) = request.report else { break }
      response.refusals = known.entries(in: .max).map { origin, entry in
        SyncResponse.Refusal(.fork, EventID(origin, entry.through), tag: ChainTag(.zero))
      }
    }
    return response
  }
}
