import Daybook
import DaybookEventCore
import DaybookHubZone
import DaybookLocks
import DaybookLogEngine
import DaybookSimulation
package import Foundation
import GRDB

/// A random life of an app: several versions on several devices, launched, synced, killed and
/// rebuilt in any order.
///
/// Each version must read and write what it knows. The versions' types are made while the program
/// runs.
package final class AppLife {
  /// A device and the version of the app that runs on it.
  struct Device {
    let url: URL
    var store: Store
    var version: Int
  }

  private(set) var random: SplitMix64
  private let seed: UInt64
  let versions: [AppVersion]
  private let types: [any AppRunner.Type]
  private let folder: URL
  var devices: [Device] = []
  /// A hub in this process, in most lives: its stamps put writes into another order.
  private var hub: ZonePeer?
  /// What went wrong.
  package private(set) var wrong: [String] = []
  private var log: [String] = []
  private var written = 0
  /// How often a device went on with what a power failure had left.
  package var powerFailures = 0
  /// How often a device and the hub exchanged what they had.
  package private(set) var exchanges = 0

  /// The last things that happened, and the versions.
  package var story: [String] { log.suffix(20) + versions.map { "\($0)" } }

  package init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    var versions = [AppVersion.first(&random)]
    for _ in 0..<Int.random(in: 2...5, using: &random) {
      versions.append(versions[versions.count - 1].next(&random))
    }
    self.versions = versions
    types = versions.map(AppVersions.type)
    self.random = random
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path())
    folder = (isThere ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "daybook-lives-\(UUID().uuidString)")
  }

  func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  func fail(_ message: String) { wrong.append("seed \(seed): \(message)") }

  /// Lives the life. What goes wrong is in ``wrong``.
  package func run() async {
    do { try await live() } catch { fail("\(error)") }
  }

  private func live() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let zone =
      pick(3) > 0
      ? try Zone.open(
        at: folder.appending(path: "hub"),
        authority: try Identity(seed: Array(repeating: 1, count: 32))) : nil
    hub = zone.map { ZonePeer($0) }
    for number in 0...Int.random(in: 1...4, using: &random) {
      let place = folder.appending(path: "\(number)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let url = place.appending(path: "store", directoryHint: .isDirectory)
      guard let (store, version) = try await launch(url, pick(2)) else { continue }
      devices.append(Device(url: url, store: store, version: version))
    }
    guard !devices.isEmpty else { return }
    // The hub's zone comes before one that two devices would make.
    for index in devices.indices { try await syncWithHub(index) }
    for index in devices.indices { try await sync(0, index) }
    for _ in 0..<40 where wrong.isEmpty && !devices.isEmpty { try await step() }
    if wrong.isEmpty { try await end() }
    for device in devices { try await device.store.close() }
    try zone?.close()
  }

  /// Opens a store with a version; nil if the store refuses it, because another version has
  /// another type for a field or because of what unique fields hold.
  func launch(_ url: URL, _ version: Int) async throws -> (Store, Int)? {
    let device = url.deletingLastPathComponent().lastPathComponent
    log.append("launch \(device) with \(version)")
    let type = types[version]
    let migrations = (0...version).filter { versions[$0].takesOver }.map { number in
      let type = types[number]
      return Migration(number + 1, "rules") { tx in
        func define<E: Entity>(_ type: E.Type) throws { try tx.define(type) }
        try define(type)
      }
    }
    do {
      let store = try await Store.open(
        at: url, schema: [type], migrations: migrations, options: StoreRun.options)
      return (store, version)
    } catch let error as StoreError {
      let causes: [StoreError.Code] = [.contradiction, .valueTaken, .migrationFailed]
      if !causes.contains(error.code) { fail("launch: \(error)") }
      log.append("refused: \(error)")
      return nil
    }
  }

  private func step() async throws {
    let index = pick(devices.count)
    let device = devices[index]
    let type = types[device.version]
    switch pick(10) {
    case 0: try await relaunch(index)
    case 1: try await sync(index, pick(devices.count))
    case 2: try await syncWithHub(index)
    case 3:
      if pick(2) == 0 { try await device.store.rebuild() } else { try await losePower(index) }
    case 4: try await remove(index)
    case 5:
      wrong += try await type.check(device.store, random.next()).map { "seed \(seed): \($0)" }
    default: try await write(index)
    }
  }

  /// Closes a store, and opens it with any version. What the device has must stay as it was.
  private func relaunch(_ index: Int) async throws {
    let device = devices[index]
    let before = try await Raw(device.store)
    try await device.store.close()
    let wanted = pick(versions.count)
    var opened = try await launch(device.url, wanted)
    if opened == nil { opened = try await launch(device.url, device.version) }
    guard let (store, version) = opened else {
      // The version that ran has met a definition that stands against it. It stays as it was.
      let store = try await Store.open(at: device.url, options: StoreRun.options)
      if try await Raw(store).entities != before.entities {
        fail("a refused launch changed data")
      }
      try await store.close()
      devices.remove(at: index)
      return
    }
    devices[index].store = store
    devices[index].version = version
    let after = try await Raw(store)
    // A migration may take defaults away.
    let hasTakenOver = (0...version).contains { versions[$0].takesOver }
    for (id, values) in before.entities {
      guard let now = after.entities[id] else {
        fail("\(id) is hidden since version \(version) was launched")
        continue
      }
      for (name, value) in values where now[name] ?? .null != value && !hasTakenOver {
        fail("\(id).\(name) was \(value) and is \(now[name] ?? .null) since the launch")
      }
    }
    // The second launch has nothing new to say.
    try await store.close()
    guard let (again, _) = try await launch(device.url, version) else {
      return fail("version \(version) was refused at its second launch")
    }
    devices[index].store = again
    if try await again.digest().vector != after.vector {
      fail("the second launch wrote something")
    }
  }

  private func sync(_ a: Int, _ b: Int) async throws {
    guard a != b else { return }
    log.append("sync \(a) \(b)")
    try await devices[a].store.syncOnce(with: StorePeer(devices[b].store))
    let (first, second) = (
      try await devices[a].store.digest(), try await devices[b].store.digest()
    )
    if first != second { fail("the digests differ after a sync") }
  }

  private func syncWithHub(_ index: Int) async throws {
    guard let hub else { return }
    log.append("sync \(index) with the hub")
    exchanges += 1
    try await devices[index].store.syncOnce(with: hub)
  }

  func tell(_ what: String) { log.append(what) }

  func write(_ index: Int) async throws {
    let device = devices[index]
    let type = types[device.version]
    let seen = try await type.view(of: device.store)
    let isNew = seen.isEmpty || pick(3) == 0
    written += 1
    let id = isNew ? "i\(written)" : seen.keys.sorted()[pick(seen.count)]
    log.append("write \(id) on \(index), version \(device.version)")
    let written: [String: Value]
    do {
      written = try await type.write(id, isNew, random.next(), to: device.store)
    } catch let error as StoreError
      where error.code == .valueTaken
      || error.code == .wrongType && error.message.contains("items.o")
    {
      // Another item has the code, or another version has defined "o" with another type before.
      return
    }
    let now = try await type.view(of: device.store)
    guard let item = now[id] else { return fail("\(id) was written and is not there") }
    let kept = try await device.store.schema()["items"]?.fields.filter { $0.kept != nil } ?? []
    for (name, value) in written
    where item[name] != value && !kept.contains(where: { $0.identity == name }) {
      fail("\(id).\(name) was written as \(value) and reads \(item[name] ?? .null)")
    }
    // Nothing else changes, apart from what the store keeps.
    for (other, values) in seen where other != id && now[other] != values {
      fail("\(other) changed with \(id)")
    }
  }

  private func remove(_ index: Int) async throws {
    let device = devices[index]
    let type = types[device.version]
    let seen = try await type.view(of: device.store)
    guard let id = seen.keys.sorted().first else { return }
    log.append("delete \(id) on \(index), version \(device.version)")
    try await type.remove(id, from: device.store)
    // What goes along follows from the rule of this version.
    var gone: Set<String> = [id]
    let parent = type.version.field(.parent)
    if let parent, parent.rule == .cascade {
      var isGrowing = true
      while isGrowing {
        let more = seen.filter { other, values in
          guard case .text(let above)? = values[parent.identity] else { return false }
          return gone.contains(above) && !gone.contains(other)
        }
        gone.formUnion(more.keys)
        isGrowing = !more.isEmpty
      }
    }
    let left = Set(try await type.view(of: device.store).keys)
    // An entity that was parked may appear when the one that had its value goes.
    if !left.isDisjoint(with: gone) || !left.isSuperset(of: Set(seen.keys).subtracting(gone)) {
      fail("deleting \(id) left \(left.sorted()) of \(seen.keys.sorted()), not without \(gone)")
    }
  }

  /// Syncs all devices: they must have the same, and each version must see the same on each.
  private func end() async throws {
    for _ in 0..<2 {
      for index in devices.indices { try await syncWithHub(index) }
      for a in devices.indices { for b in devices.indices { try await sync(a, b) } }
    }
    for (number, type) in types.enumerated() {
      var views: [[String: [String: Value]]] = []
      for index in devices.indices {
        try await devices[index].store.close()
        let opened = try await launch(devices[index].url, number)
        if let opened {
          views.append(try await type.view(of: opened.0))
          wrong += try await type.check(opened.0, random.next()).map { "seed \(seed): \($0)" }
          try await opened.0.close()
        }
        devices[index].store = try await Store.open(
          at: devices[index].url, options: StoreRun.options)
        if !(try await devices[index].store.verify().isSound) { fail("a store is not sound") }
      }
      // Launching may have said something, so that the devices meet again.
      for a in devices.indices { try await sync(0, a) }
      for a in devices.indices { try await sync(0, a) }
      if views.count == devices.count, Set(views.map { $0.keys.sorted() }).count > 1 {
        fail("version \(number) sees other entities on other devices")
      }
    }
  }

  /// What a store has, without regard to types: the values of all entities in the table, by the
  /// first names of fields.
  struct Raw {
    var entities: [String: [String: Value]] = [:]
    var vector: VersionVector

    init(_ store: Store) async throws {
      vector = try await store.digest().vector
      let schema = try await store.schema()
      guard let items = schema["items"] else { return }
      let ids = try await store.read {
        try String.fetchAll($0, sql: "SELECT id FROM items ORDER BY id")
      }
      for id in ids {
        guard let entity = try await store.fetch("items", id) else { continue }
        var values: [String: Value] = [:]
        for field in items.fields where field.identity != "d" {
          values[field.identity] = entity[identity: field.identity]
        }
        entities[id] = values
      }
    }
  }
}
