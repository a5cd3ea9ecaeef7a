import DaybookEventCore
import DaybookHubZone
import DaybookReplication
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Shared folders with more than one zone.
@Suite struct FolderZoneTests {
  private let place = SyncPlace()

  @Test("two zones in one folder are named with what each holds, and can be joined")
  func twoZones() async throws {
    defer { place.remove() }
    let (folder, other) = (try place.shared(), try place.shared("other"))
    let (a, b) = (try await place.storeWithNote("a"), try await place.storeWithNote("b"))
    let zone = try await a.syncOnce(with: folder.peer()).zone
    let second = try await b.syncOnce(with: other.peer()).zone
    let before = try await b.digest()
    await #expect {
      try await b.syncOnce(with: folder.peer())
    } throws: { error in
      guard let error = (error as? StoreError)?.syncError else { return false }
      return error.code == .wrongZone && error.message.contains(zone.description)
        && error.message.contains(second.description)
    }
    for file in other.files { try folder.write(try other.read(file), file) }
    // Each store goes on in its own zone, and is told of the other one.
    for (store, foreign) in [(a, second), (b, zone)] {
      let report = try await store.syncOnce(with: folder.peer())
      let finding = try #require(report.findings.first)
      #expect(finding.code == .otherZone && report.findings.count == 1)
      #expect(finding.message.contains("zone \(foreign) holds 2 events of 1 store"))
    }
    #expect(try await b.digest() == before)
    // A store without a zone cannot know which one is meant.
    let c = try await place.store("c")
    await #expect {
      try await c.syncOnce(with: folder.peer())
    } throws: { error in
      guard let error = (error as? StoreError)?.syncError else { return false }
      return error.code == .wrongZone && error.message.contains(zone.description)
        && error.message.contains(second.description) && error.hint?.contains("join") == true
    }
    let zones = try await folder.peer().zones()
    #expect(Set(zones.map(\.id)) == [zone, second])
    #expect(zones.allSatisfy { $0.events == 2 && $0.stores == 1 && $0.files == 1 && !$0.isEmpty })
    #expect(zones.allSatisfy { ($0.lastChange ?? 0) > 0 })
    try await b.close()
    #expect(try await Store.join(zone: zone, at: b.url) == second)
    #expect(try await Store.join(zone: zone, at: b.url) == nil)
    let joined = try await Store.open(at: b.url)
    for store in [joined, a, joined] { try await store.syncOnce(with: folder.peer()) }
    #expect(try await place.titles(a) == ["a 0", "b 0"])
    #expect(try await a.digest() == joined.digest())
    // What is left of the other zone moves out of the way, and nobody speaks of it any more.
    let names = try await folder.peer().setAside(second)
    #expect(names == ["removed-zone-\(second)"] && folder.files.count == 3)
    try await c.syncOnce(with: folder.peer())
    #expect(try await a.syncOnce(with: folder.peer()).findings.isEmpty)
    #expect(try await c.digest() == a.digest())
    await #expect(throws: StoreError.self) { try await folder.peer().setAside(second) }
    try await place.close([a, joined, c])
  }

  /// Joining store by store: what another store has signed for the old zone is handed on when that
  /// store has joined, too.
  @Test("a group of stores joins another zone one after another", arguments: [false, true])
  func joinedGroup(meetsBetween: Bool) async throws {
    defer { place.remove() }
    let (folder, other) = (try place.shared(), try place.shared("other"))
    let a = try await place.storeWithNote("a")
    let zone = try await a.syncOnce(with: folder.peer()).zone
    var group = [try await place.storeWithNote("b"), try await place.storeWithNote("c")]
    for store in group + group { try await store.syncOnce(with: other.peer()) }
    for index in group.indices {
      try await group[index].close()
      _ = try await Store.join(zone: zone, at: group[index].url)
      group[index] = try await Store.open(at: group[index].url)
      guard meetsBetween else { continue }
      let report = try await group[index].syncOnce(with: folder.peer())
      #expect(report.refusals.isEmpty)
      try await place.add(group[index], "later-\(index)")
    }
    for store in [a] + group + [a] + group + [a] {
      let report = try await store.syncOnce(with: folder.peer())
      #expect(report.refusals.isEmpty && report.findings.isEmpty, "\(report)")
    }
    let digest = try await a.digest()
    for store in group { #expect(try await store.digest() == digest) }
    #expect(try await place.titles(a).count == (meetsBetween ? 5 : 3))
    try await place.close([a] + group)
  }

  @Test("a store whose zone has a hub does not leave it")
  func boundZone() async throws {
    defer { place.remove() }
    let team = try place.zone("team")
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.storeWithNote("b"))
    try await a.syncOnce(with: ZonePeer(team))
    let zone = try await b.syncOnce(with: folder.peer()).zone
    try await a.close()
    await #expect {
      _ = try await Store.join(zone: zone, at: a.url)
    } throws: { error in
      guard let error = (error as? StoreError)?.syncError else { return false }
      return error.code == .wrongZone && error.hint?.contains(team.zone.description) == true
    }
    try await b.close()
    try team.close()
  }

  /// Found by `02-empty-zone-stops-all.sh`: a new device synced before the sync program had brought
  /// the folder's files. Its zone without files then stopped all devices.
  @Test(
    "an empty zone gives way to one with files", arguments: [false, true], [false, true])
  func emptyZone(keepsFolder: Bool, writesBefore: Bool) async throws {
    defer { place.remove() }
    let (there, here) = (try place.shared("there"), try place.shared("here"))
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    let zone = try await a.syncOnce(with: there.peer()).zone
    let empty = try await b.syncOnce(with: here.peer()).zone
    #expect(empty != zone && here.files.isEmpty)
    // Some sync programs do not carry empty folders.
    if !keepsFolder { here.remove("zone-\(empty)") }
    if keepsFolder {
      try FileManager.default.createDirectory(
        atPath: there.path("zone-\(empty)"), withIntermediateDirectories: true)
    }
    for file in there.files { try here.write(try there.read(file), file) }
    if writesBefore, keepsFolder {
      try await b.write { tx in
        try tx.define(SyncPlace.notes)
        try tx.insert("notes", "b-0", ["title": .text("b 0")])
      }
    }
    let report = try await b.syncOnce(with: here.peer())
    #expect(report.zone == zone && report.eventsReceived == 2 && report.findings.isEmpty)
    for file in here.files { try there.write(try here.read(file), file) }
    let back = try await a.syncOnce(with: there.peer())
    #expect(back.zone == zone && back.findings.isEmpty && back.refusals.isEmpty)
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  @Test("new devices whose zones are all empty agree on one")
  func emptyZones() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    for (store, name) in [(a, "one"), (b, "two")] {
      let own = try place.shared(name)
      let zone = try await store.syncOnce(with: own.peer()).zone
      try FileManager.default.createDirectory(
        atPath: folder.path("zone-\(zone)"), withIntermediateDirectories: true)
    }
    let first = try await a.syncOnce(with: folder.peer()).zone
    #expect(try await b.syncOnce(with: folder.peer()).zone == first)
    try await place.close([a, b])
  }

  @Test("a store that holds others' events keeps its zone, though it is empty in the folder")
  func emptyZoneOfGroup() async throws {
    defer { place.remove() }
    let (folder, own) = (try place.shared(), try place.shared("own"))
    let (a, b, c) = (
      try await place.storeWithNote("a"), try await place.storeWithNote("b"),
      try await place.storeWithNote("c")
    )
    for store in [b, c, b] { try await store.syncOnce(with: own.peer()) }
    let zone = try await b.syncOnce(with: own.peer()).zone
    try await a.syncOnce(with: folder.peer())
    try FileManager.default.createDirectory(
      atPath: folder.path("zone-\(zone)"), withIntermediateDirectories: true)
    await #expect {
      try await b.syncOnce(with: folder.peer())
    } throws: { error in
      guard let error = (error as? StoreError)?.syncError else { return false }
      return error.code == .wrongZone && error.hint?.contains("evtool zones join") == true
        && error.explanation.contains("holds 2 events of 1 store")
    }
    try await place.close([a, b, c])
  }
}
