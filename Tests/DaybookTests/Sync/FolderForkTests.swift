import DaybookEventCore
import DaybookFrames
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookPeers

/// Forks that a shared folder shows.
@Suite struct FolderForkTests {
  private let place = SyncPlace()

  /// A clone writes into the folder of its original as the same writer.
  @Test("a clone that syncs with the same folder is found and healed")
  func cloneInFolder() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (original, clone) = try await place.cloned(folder)
    // Both write several events, in one file each.
    for number in 0..<4 { try await place.add(original, "original-\(number)") }
    for number in 0..<3 { try await place.add(clone, "clone-\(number)") }
    #expect(try await original.syncOnce(with: folder.peer()).refusals.isEmpty)
    var refused = try await clone.syncOnce(with: folder.peer()).refusals
    // The store with the branch that stands gets no refusal. The other store gets one when it
    // syncs.
    if refused.isEmpty { refused = try await original.syncOnce(with: folder.peer()).refusals }
    #expect(refused.map(\.code) == [.fork])
    try await clone.close()
    try await original.close()
    // Forks can be settled through the folder, whichever branch stands.
    var settled: [Store.ForkReport] = []
    for url in [original.url, clone.url] {
      settled += try await Store.settleForks(at: url, with: folder.peer())
    }
    #expect(settled.map(\.common) == [2] && settled.map(\.outcome) != [.kept])
    let (one, two) = (
      try await Store.open(at: original.url), try await Store.open(at: clone.url)
    )
    for store in [two, one, two, one] {
      #expect(try await store.syncOnce(with: folder.peer()).refusals.isEmpty)
    }
    // The files of the branch that was given up are still there, and mislead no store.
    let new = try await place.store("new")
    #expect(try await new.syncOnce(with: folder.peer()).refusals.isEmpty)
    let all = ["a 0"] + (0..<3).map { "clone-\($0)" } + (0..<4).map { "original-\($0)" }
    for store in [one, two, new] {
      #expect(try await place.titles(store).sorted() == all)
      #expect(try await store.digest() == new.digest())
    }
    try await place.close([one, two, new])
  }

  @Test(
    "pipes and links in a folder are reported, and do not block a sync",
    .timeLimit(.minutes(10)))
  func specialFiles() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let a = try await place.storeWithNote("a")
    try await a.syncOnce(with: folder.peer())
    let name = try #require(folder.files.first)
    let writer = folder.path((name as NSString).deletingLastPathComponent)
    try #require(mkfifo(writer + "/pipe.events", 0o644) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: writer + "/link.events", withDestinationPath: writer + "/pipe.events")
    try FileManager.default.createSymbolicLink(
      atPath: writer + "/zero.events", withDestinationPath: "/dev/zero")
    let b = try await place.store("b")
    let report = try await b.syncOnce(with: folder.peer())
    #expect(report.findings.map(\.code) == [.unreadable, .unreadable, .unreadable])
    #expect(try await place.titles(b) == ["a 0"])
    try await place.close([a, b])
  }

  /// The branch that stands was refused for ever, and the command that the refusal recommends found
  /// no fork.
  @Test("events of another branch beyond a gap give way to the branch that stands")
  func foreignBeyondGap() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (original, clone) = try await place.cloned(folder)
    for number in 0..<2 {
      try await place.add(clone, "clone-\(number)")
      try await clone.syncOnce(with: folder.peer(graceSeconds: 600))
    }
    folder.remove(try #require(folder.files.first { $0.contains(".3-3.") }))
    let reader = try await place.store("reader")
    #expect(try await reader.syncOnce(with: folder.peer()).eventsReceived == 3)
    for number in 0..<3 { try await place.add(original, "original-\(number)") }
    try await expectFork(of: reader, with: original)
    try await place.close([original, clone])
  }

  /// Expects that a store refuses the branch of another, and that it gives up its own by settling
  /// the fork. Closes the store.
  private func expectFork(of reader: Store, with original: Store) async throws {
    let refused = try await reader.syncOnce(with: StorePeer(original)).refusals
    #expect(refused.map(\.code) == [.fork])
    try await reader.close()
    let reports = try await Store.settleForks(at: reader.url, with: StorePeer(original))
    #expect(reports.map(\.events) == [1] && reports.map(\.outcome) != [.kept])
    let healed = try await Store.open(at: reader.url)
    #expect(try await healed.syncOnce(with: StorePeer(original)).refusals.isEmpty)
    #expect(try await healed.digest() == original.digest())
    try await healed.close()
  }

  /// The two histories share the missing event, and part behind it. The event is so large that it
  /// ends a range, and all numbers of the next range are held.
  @Test("events of another branch behind a gap of common events give way, too")
  func foreignBehindCommonGap() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (original, clone) = try await place.cloned(folder) { store in
      var random = SplitMix64(seed: 1)
      let text = String(decoding: random.bytes(100_000).map { 32 + $0 % 64 }, as: UTF8.self)
      try await store.write { try $0.insert("notes", "large", ["title": .text(text)]) }
    }
    try await place.add(clone, "clone")
    try await clone.syncOnce(with: folder.peer(graceSeconds: 600))
    folder.remove(try #require(folder.files.first { $0.contains(".3-3.") }))
    let reader = try await place.store("reader")
    #expect(try await reader.syncOnce(with: folder.peer()).eventsReceived == 3)
    try await place.add(original, "original")
    try await expectFork(of: reader, with: original)
    try await place.close([original, clone])
  }

  /// A file whose events their origin has not signed hides no others, wherever it claims that they
  /// belong.
  @Test("a file with a forged signature hides no events", arguments: ["longer", "other"])
  func forgedFile(_ kind: String) async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let a = try await place.storeWithNote("a")
    try await a.syncOnce(with: folder.peer())
    let name = try #require(folder.files.first)
    let genuine = try folder.read(name).withUnsafeBytes { try FolderFile(decoding: $0) }
    let forger = try await place.storeWithNote("forger")
    if kind == "longer" { for number in 0..<9 { try await place.add(forger, "forged-\(number)") } }
    // The file has the forger's own events, under the origin of a.
    let replica = try StoreReplica(forger.core)
    let range = try #require(
      try replica.range(of: forger.replica, after: 0, through: .max, hasGap: true))
    let forged = EventRange(
      origin: genuine.origin, first: 1, chainBefore: genuine.chainBefore, frames: range.frames,
      isZoneless: range.isZoneless, signature: Array(repeating: 0, count: 64))
    var chain = Chain(value: genuine.chainBefore)
    for frame in range.frames {
      _ = try Frame(
        origin: genuine.origin, firstSequence: 1, count: frame.count, codec: frame.codec,
        rawLength: frame.rawLength, stored: frame.stored, chain: &chain
      ) { _, _, _ in }
    }
    let file = FolderFile(
      zone: genuine.zone, writer: forger.replica, ranges: [forged], chainAfter: chain.value)
    let bytes = file.encoded()
    let zone = try #require(name.split(separator: "/").first)
    try folder.write(Data(bytes), "\(zone)/\(forger.replica)/\(file.name(of: bytes))")

    let reader = try await place.store("reader")
    let report = try await reader.syncOnce(with: folder.peer())
    #expect(report.refusals.isEmpty && report.findings.map(\.code) == [.damaged], "\(report)")
    #expect(try await place.titles(reader) == ["a 0"])
    // The file does not make the origin give up any event.
    try await place.add(a, "later")
    #expect(try await a.syncOnce(with: folder.peer()).refusals.isEmpty)
    try await a.close()
    #expect(try await Store.settleForks(at: a.url, with: folder.peer()).isEmpty)
    try await reader.syncOnce(with: folder.peer())
    #expect(try await place.titles(reader) == ["a 0", "later"])
    try await place.close([reader, forger])
  }

  /// Two stores with one key that have each written another third event, and which one stands.
  private func forked(_ folder: SharedFolder) async throws -> (winner: Store, loser: Store) {
    let (original, clone) = try await place.cloned(folder)
    try await place.add(original, "original")
    try await place.add(clone, "clone")
    let event = EventID(original.replica, 3)
    let tags = try [original, clone].map {
      ChainTag(try #require(try $0.core.log.snapshot().chain(after: event)))
    }
    return tags[0] < tags[1] ? (original, clone) : (clone, original)
  }

  /// Seed 904318 of the lives of a zone. The folder's events after the missing file said nothing to
  /// a store that has written more events than they are. Once that store had another identity, it
  /// did not write the missing file again either, and its sync ended as if nothing were wrong.
  @Test("a fork is found while a file of common events is missing", arguments: [false, true])
  func forkBehindMissingFile(isRenewed: Bool) async throws {
    defer { place.remove() }
    let folder = try place.shared()
    var (winner, loser) = try await forked(folder)
    for number in 0..<3 { try await place.add(loser, "more-\(number)") }
    if isRenewed {
      try await loser.close()
      _ = try await Store.renewIdentity(at: loser.url)
      loser = try await Store.open(at: loser.url)
    }
    let common = try #require(folder.files.first)
    try await winner.syncOnce(with: folder.peer())
    folder.remove(common)

    let report = try await loser.syncOnce(with: folder.peer())
    #expect(report.refusals.map(\.code) == [.fork])
    try await loser.close()
    let settled = try await Store.settleForks(at: loser.url, with: folder.peer())
    #expect(settled.map(\.common) == [2] && settled.map(\.events) == [4])
    #expect(settled.map(\.outcome) != [.kept] && settled.map(\.reissued) == [4])
    loser = try await Store.open(at: loser.url)
    for store in [winner, loser, winner] {
      #expect(try await store.syncOnce(with: folder.peer()).refusals.isEmpty)
    }
    #expect(
      try await place.titles(loser)
        == ["a 0", "clone", "more-0", "more-1", "more-2", "original"].sorted())
    #expect(try await winner.digest() == loser.digest())
    try await place.close([winner, loser])
  }

  /// The folder remembered that the damaged file had told nothing, although it is there whole now.
  @Test("a fork is found once the damaged file that shows it is there again")
  func forkInFileWrittenAgain() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (winner, loser) = try await forked(folder)
    let common = folder.files
    try await winner.syncOnce(with: folder.peer())
    let branch = try #require(folder.files.first { !common.contains($0) })
    let whole = try folder.read(branch)
    var damaged = whole
    damaged[damaged.count / 2] ^= 1
    try folder.write(damaged, branch)
    let peer = folder.peer()
    let report = try await loser.syncOnce(with: peer)
    #expect(report.refusals.isEmpty && Set(report.findings.map(\.code)) == [.damaged])
    folder.remove(branch)
    try folder.write(whole, branch)
    #expect(try await loser.syncOnce(with: peer).refusals.map(\.code) == [.fork])
    try await place.close([winner, loser])
  }

  /// Two machines wrote two histories before either saw the other's, which the names of the files
  /// show.
  @Test("two histories of one origin in a folder are reported as a fork")
  func twoHistories() async throws {
    defer { place.remove() }
    let (folder, other) = (try place.shared(), try place.shared("other"))
    let (original, clone) = try await place.cloned(folder)
    for file in folder.files { try other.write(try folder.read(file), file) }
    try await place.add(original, "original")
    try await place.add(clone, "clone")
    try await original.syncOnce(with: folder.peer())
    try await clone.syncOnce(with: other.peer())
    for file in other.files { try folder.write(try other.read(file), file) }
    let reader = try await place.store("reader")
    let report = try await reader.syncOnce(with: folder.peer())
    #expect(report.findings.map(\.code) == [.fork] && report.eventsReceived == 3)
    let refusals = try await [
      original.syncOnce(with: folder.peer()).refusals, clone.syncOnce(with: folder.peer()).refusals,
    ]
    // The store whose branch does not stand is told of the other.
    #expect(refusals.map { $0.map(\.code) }.filter { $0 == [.fork] }.count == 1)
    try await place.close([original, clone, reader])
  }
}
