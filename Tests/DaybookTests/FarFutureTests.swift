import EventCore
import Foundation
import GRDB
import Testing

@testable import Daybook

/// A device whose clock is at the end of time, and those that hear of it.
@Suite struct FarFutureTests {
  private let place = SyncPlace()

  private func store(_ name: String, wall: @escaping @Sendable () -> Int64) throws -> Store {
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    let url = place.folder.appending(path: name)
    var environment = StoreEnvironment.system
    environment.wallMilliseconds = wall
    let parts = try StoreOpening(url: url, options: .init(), environment: environment).create()
    return Store(parts, url: url, options: .init())
  }

  @Test("whatever the ids of their authors are, later writes show, on every replica")
  func laterWritesShow() async throws {
    defer { place.remove() }
    let liar = try store("liar") { Int64.max }
    try await liar.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("at the end of time")])
    }
    var stores = [liar]
    // Of six, as many have smaller ids than the liar as not.
    for number in 0..<6 {
      let store = try await place.store("s\(number)")
      try await store.sync(with: StorePeer(liar))
      for round in 0..<2 {
        let title = "store \(number), round \(round)"
        try await store.write { try $0.update("notes", "n1", ["title": .text(title)]) }
        #expect(try await place.titles(store) == [title])
        let time = try await store.history(of: "n1", in: "notes").last?.times.authored
        #expect(time.map { !$0.isFar } == true)
      }
      try await liar.sync(with: StorePeer(store))
      let title = "store \(number), round 1"
      #expect(try await place.titles(liar) == [title])
      try await liar.write { try $0.update("notes", "n1", ["title": .text("again")]) }
      #expect(try await place.titles(liar) == ["again"])
      #expect(try await store.status().farFuture == [liar.replica])
      stores.append(store)
    }
    for _ in 0..<2 {
      for store in stores.dropFirst() { try await store.sync(with: StorePeer(liar)) }
    }
    let digest = try await liar.digest()
    for store in stores {
      #expect(try await store.digest() == digest)
      #expect(try await Store.readModelDifference(at: store.url) == nil)
      try await store.rebuild()
      #expect(try await store.digest() == digest)
    }
    try await place.close(stores)
  }

  /// Found by a life of a zone: such a write ranked below what its author had seen.
  @Test("a write follows one whose own context never came, and shows when that comes")
  func contextThatComesLater() async throws {
    defer { place.remove() }
    let (a, c) = (try await place.store("a"), try await place.store("c"))
    let liar = try store("liar") { Int64.max }
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("first")])
    }
    try await liar.sync(with: StorePeer(a))
    try await liar.write { try $0.update("notes", "n1", ["title": .text("far")]) }
    try await a.sync(with: StorePeer(liar))
    try await a.write { try $0.update("notes", "n1", ["title": .text("a")]) }
    let folder = try SharedFolder(place.folder.appending(path: "shared"))
    try await a.sync(with: folder.peer())
    for file in folder.files where file.contains("/\(liar.replica).") { folder.remove(file) }
    try await c.sync(with: folder.peer())
    #expect(try await c.status().logVector[liar.replica] == 0)
    try await c.write { try $0.update("notes", "n1", ["title": .text("c")]) }
    for store in [c, a, liar, c] {
      try await store.sync(with: StorePeer(store === liar ? c : liar))
      if store === c { #expect(try await place.titles(c) == ["c"]) }
    }
    for store in [a, liar] {
      try await store.sync(with: StorePeer(c))
      #expect(try await place.titles(store) == ["c"])
      #expect(try await store.digest() == c.digest())
    }
    #expect(try await Store.readModelDifference(at: c.url) == nil)
    try await place.close([a, c, liar])
  }
}
