import DaybookEventCore
import DaybookReplication
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Five stores, each on a machine with its own copy of the shared folder. A program carries files
/// between the copies as such programs do: late, out of order, twice, under other names, in part,
/// with placeholders, and with removed files that come back.
@Suite struct FolderChaosTests {
  /// One machine.
  private struct Machine {
    var store: Store
    var folder: SharedFolder
    var peer: FolderPeer
  }

  private final class World {
    let place = SyncPlace()
    var random: SplitMix64
    var machines: [Machine] = []
    /// All files that ever were, by path. Restored old versions come from here.
    var old: [String: Data] = [:]
    var written = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    func begin(_ count: Int) async throws {
      for number in 0..<count {
        let store = try await place.store("store-\(number)")
        let folder = try SharedFolder(place.folder.appending(path: "machine-\(number)"))
        try await store.write { try $0.define(SyncPlace.notes) }
        machines.append(Machine(store: store, folder: folder, peer: folder.peer()))
      }
      // All machines have one zone: the first makes it, and the others wait for its file.
      try await machines[0].store.syncOnce(with: machines[0].peer)
      for machine in machines.dropFirst() { carryAll(from: machines[0], to: machine) }
    }

    func end() async throws {
      try await place.close(machines.map(\.store))
      place.remove()
    }

    // MARK: - What people do

    func write() async throws {
      let store = random.pick(machines).store
      written += 1
      let (id, title) = ("n\(random.pick(0...9))", "\(written)")
      try await store.write { try $0.put("notes", id, ["title": .text(title)]) }
    }

    func sync() async throws {
      let machine = random.pick(machines)
      // Sometimes the sync is by a process that remembers nothing.
      let peer = random.chance(50) ? machine.peer : machine.folder.peer()
      let report = try await machine.store.syncOnce(with: peer)
      // As long as the first file of a store is missing, the signatures of later files cannot be
      // checked.
      #expect(report.refusals.allSatisfy { $0.code == .gap }, "\(report.refusals)")
    }

    // MARK: - What the program does that synchronises

    /// Returns whether the file is the machine's own.
    private func isOwn(_ path: String, _ machine: Machine) -> Bool {
      path.contains("/\(machine.store.replica)/")
    }

    func carry() throws {
      let from = random.pick(machines)
      let to = random.pick(machines)
      let files = from.folder.files.filter { isOwn($0, from) && !$0.contains("~") }
      guard from.store.replica != to.store.replica, !files.isEmpty else { return }
      let path = random.pick(files)
      let bytes = try from.folder.read(path)
      old[path] = bytes
      switch random.pick(0...9) {
      case 0:
        try to.folder.write(bytes, path.renamed { $0.replacing(".events", with: " 2.events") })
      case 1:
        try to.folder.write(bytes, path)
        try to.folder.write(
          bytes,
          path.renamed {
            $0.replacing(".events", with: ".sync-conflict-20261121-101010-ABCDEFG.events")
          })
      case 2: try to.folder.write(bytes.prefix(random.pick(0...bytes.count - 1)), path)
      case 3: try to.folder.write(Data(), path.renamed { ".\($0).icloud" })
      case 4: try to.folder.write(bytes, path.renamed { "~syncthing~\($0).tmp" })
      case 5: try to.folder.write(bytes, path.renamed { _ in "mail \(random.pick(1...3)).events" })
      default: try to.folder.write(bytes, path)
      }
    }

    /// Removes a file of another owner from a machine, which that owner may have removed earlier or
    /// not.
    func uncarry() {
      let machine = random.pick(machines)
      let files = machine.folder.files.filter { !isOwn($0, machine) }
      guard !files.isEmpty else { return }
      machine.folder.remove(random.pick(files))
    }

    /// Removes a file from its own machine, or brings a removed file back.
    func meddle() throws {
      let machine = random.pick(machines)
      let own = machine.folder.files.filter { isOwn($0, machine) }
      if random.chance(50), !own.isEmpty { machine.folder.remove(random.pick(own)) }
      if let path = old.keys.sorted().randomElement(using: &random), let bytes = old[path] {
        try machine.folder.write(bytes, path)
      }
    }

    // MARK: - Healing

    private func carryAll(from: Machine, to: Machine) {
      for path in from.folder.files where isOwn(path, from) && !path.contains("~") {
        if let bytes = try? from.folder.read(path) { try? to.folder.write(bytes, path) }
      }
    }

    /// Lets every file arrive whole.
    func heal() async throws {
      for _ in 1...3 {
        for machine in machines {
          // A file that was cut off no longer counts as arriving.
          for path in machine.folder.files { try machine.folder.age(path, seconds: 3600) }
          try await machine.store.syncOnce(with: machine.folder.peer())
        }
        for from in machines {
          for to in machines where from.store.replica != to.store.replica {
            carryAll(from: from, to: to)
          }
        }
      }
      for machine in machines {
        let report = try await machine.store.syncOnce(with: machine.folder.peer())
        #expect(report.refusals.isEmpty, "\(report.refusals)")
      }
    }
  }

  @Test(
    "stores are equal once all files have arrived, whatever happened to the files",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func converge(seed: UInt64) async throws {
    let world = World(seed: seed)
    do {
      try await world.begin(5)
      for _ in 0..<120 {
        switch world.random.pick(0...9) {
        case 0...2: try await world.write()
        case 3...4: try await world.sync()
        case 5...7: try world.carry()
        case 8: world.uncarry()
        default: try world.meddle()
        }
      }
      try await world.heal()
      var digests: [Store.DigestReport] = []
      for machine in world.machines { digests.append(try await machine.store.digest()) }
      #expect(Set(digests).count == 1, "seed \(seed): \(digests)")
      // Each store has an identity event and a definition, and no write is lost or invented.
      let events = digests[0].vector.entries.reduce(0) { $0 + $1.sequence }
      #expect(events == UInt64(world.written) + 10, "seed \(seed)")
    } catch {
      try? await world.end()
      throw error
    }
    try await world.end()
  }
}
