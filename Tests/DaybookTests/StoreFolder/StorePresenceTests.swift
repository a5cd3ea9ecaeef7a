import DaybookLocks
import DaybookLogEngine
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Processes that come to one folder in different ways, where no lock reaches the other.
@Suite struct StorePresenceTests {
  /// This process as it would be elsewhere.
  static func user(
    mount: UInt64? = nil, boot: UInt32? = nil, machine: UInt32? = nil, process: Int32? = nil,
    start: Int64? = nil
  ) -> @Sendable (String) -> StoreUser {
    { folder in
      var user = StoreUser(of: folder)
      user.mount = mount
      user.boot = boot ?? user.boot
      user.machine = machine ?? user.machine
      user.process = process ?? user.process
      user.start = start ?? user.start
      return user
    }
  }

  let folder: TemporaryStore
  let files: StoreFiles

  init() throws {
    folder = try TemporaryStore()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    files = StoreFiles(folder: folder.url)
  }

  private func presence(_ user: @escaping @Sendable (String) -> StoreUser) -> StorePresence {
    StorePresence(files, timeout: .milliseconds(20), makeUser: user)
  }

  private var names: [String] { (try? DiskPath.list(files.sides) ?? []) ?? [] }

  @Test("a name stands for a user, and nothing else does")
  func naming() {
    for mount in [nil, 0, 0x3a, UInt64.max] {
      var user = Self.user(mount: mount)(folder.url.path)
      #expect(StoreUser(name: user.name) == user)
      user.start = -1
      #expect(StoreUser(name: user.name) == user)
    }
    for name in [
      "", ".", ".DS_Store", "disk", "disk.1.2.3.4.5", "disk.1.2.3.4.5.g", "disk.1.2.3.4.5.6.7",
      "disk..2.3.4.5.6", "mount-.1.2.3.4.5.6", "mount-x.1.2.3.4.5.6", "tape.1.2.3.4.5.6",
      "disk.100000000.2.3.4.5.6", "disk.1.2.3.ffffffffff.5.6",
    ] {
      #expect(StoreUser(name: name) == nil, "\(name)")
    }
  }

  @Test("processes of one side have the store open together")
  func oneSide() throws {
    for mount in [nil, 7 as UInt64?] {
      let users = (0..<3).map { _ in presence(Self.user(mount: mount)) }
      for user in users { try user.enter() }
      #expect(names.count == 3)
      for user in users { user.leave() }
      #expect(try !DiskPath.exists(files.sides))
    }
  }

  @Test("a store is open on one side at a time", arguments: [nil, 8 as UInt64?])
  func twoSides(mount: UInt64?) throws {
    let (one, two) = (presence(Self.user(mount: 7)), presence(Self.user(mount: mount)))
    try one.enter()
    let error = #expect(throws: StoreError.self) { try two.enter() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process \(getpid()) has the store open") == true)
    #expect(names.count == 1, "the one that was refused leaves nothing")
    one.leave()
    try two.enter()
    #expect(throws: StoreError.self) { try one.enter() }
  }

  @Test("a process that has ended stands in nobody's way, nor does one before a restart")
  func gone() throws {
    let ended = [
      Self.user(mount: 7, process: Int32.max), Self.user(mount: 7, start: 1),
      Self.user(mount: 7, boot: 1),
    ]
    for user in ended {
      let left = user(folder.url.path)
      try FileManager.default.createDirectory(
        atPath: files.sides, withIntermediateDirectories: true)
      #expect(
        FileManager.default.createFile(atPath: files.sides + "/" + left.name, contents: nil))
      let next = presence(Self.user(mount: nil))
      #expect(throws: Never.self) { try next.enter() }
      #expect(!names.contains(left.name))
      next.leave()
    }
  }

  @Test("of a process on another machine nobody knows if it has ended, and the cure is named")
  func elsewhere() throws {
    let one = presence(Self.user(mount: 7, boot: 1, machine: 2, process: Int32.max))
    try one.enter()
    let name = try #require(names.first)
    let error = #expect(throws: StoreError.self) { try presence(Self.user()).enter() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("another machine") == true)
    #expect(error?.hint?.contains(name) == true)
    #expect(throws: StoreError.self) { try StorePresence.requireNoOther(files) }
    try FileManager.default.removeItem(atPath: files.sides + "/" + name)
    try presence(Self.user()).enter()
  }

  @Test("of many that come at once from two sides, never two sides are in")
  func race() async throws {
    let crowd = Crowd()
    let files = files
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask { crowd.come(to: files, mount: UInt64(7 + number % 2)) }
      }
    }
    #expect(crowd.visits.withLock { $0 } > 0)
    #expect(try !DiskPath.exists(files.sides))
  }

  /// Those who are in, by their mount.
  private final class Crowd: Sendable {
    let inside = Mutex<[UInt64: Int]>([:])
    let visits = Mutex(0)

    func come(to files: StoreFiles, mount: UInt64) {
      let presence = StorePresence(
        files, timeout: .milliseconds(200), makeUser: StorePresenceTests.user(mount: mount))
      for _ in 0..<50 {
        guard (try? presence.enter()) != nil else { continue }
        let others = inside.withLock { inside -> Int in
          inside[mount, default: 0] += 1
          return inside.filter { $0.key != mount }.values.reduce(0, +)
        }
        #expect(others == 0)
        visits.withLock { $0 += 1 }
        sched_yield()
        inside.withLock { $0[mount, default: 0] -= 1 }
        presence.leave()
      }
    }
  }

  @Test("a store says while it is open that it is, and a gate of another side is refused")
  func store() async throws {
    let store = try await Store.create(at: folder.url.appending(path: "s"))
    let files = StoreFiles(folder: folder.url.appending(path: "s"))
    #expect(try DiskPath.list(files.sides)?.count == 1)
    let elsewhere = StoreGate(
      files, StorePresence(files, timeout: .zero, makeUser: Self.user(mount: 7)))
    // The lock, too, would refuse the exclusive gate here; a shared one it grants.
    let error = #expect(throws: StoreError.self) { try elsewhere.share() }
    #expect(error?.code == .locked)
    try await store.close()
    #expect(try !DiskPath.exists(files.sides))
    try elsewhere.share()
    await #expect(throws: StoreError.self) {
      try await Store.open(at: folder.url.appending(path: "s"), options: Self.hasty)
    }
    elsewhere.release()
    try await Store.open(at: folder.url.appending(path: "s")).close()
  }

  private static var hasty: Store.Options {
    var options = Store.Options()
    options.lockTimeout = .milliseconds(20)
    return options
  }
}
