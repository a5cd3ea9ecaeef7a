#if os(Linux)
  import Foundation
  import Testing

  import DaybookLogEngine
  @testable import Daybook

  /// A store on a file system that runs as a program (FUSE). Neither locks nor mapped memory pass
  /// from the mount to the folder behind it.
  @Suite(.enabled(if: MirrorMount.isPermitted, MirrorMount.reason), .timeLimit(.minutes(10)))
  struct MountTests {
    static let hasty = ["DAYBOOK_LOCK_TIMEOUT": "0.05"]

    private let mirror: MirrorMount

    init() throws { mirror = try MirrorMount() }

    private func events(_ store: String) throws -> Int {
      try Evtool.run("log", store, "--json").lines.count
    }

    @Test("processes that use the mount write together, and nothing is lost")
    func oneSide() throws {
      let store = try mirror.makeStore()
      let writers = try (0..<4).map { writer in
        try mirror.writeMany(20, prefix: "w\(writer)-", to: store)
      }
      for writer in writers { #expect(try writer.wait().status == 0) }
      let count = try Evtool.run("query", store, "SELECT count(*) AS n FROM things")
      // The first line of each file is a definition.
      #expect(count.output.contains("76"), "\(count.output)")
      #expect(try Evtool.run("verify", store).status == 0)
      // What the mount has written is whole behind it.
      #expect(try Evtool.run("verify", mirror.behind(store)).status == 0)
    }

    @Test("writers on both sides take turns or are refused; no event is lost, none is damaged")
    func bothSides() throws {
      let store = try mirror.makeStore()
      let before = try events(store)
      var taken = 0
      for round in 0..<15 {
        let commands = try [store, mirror.behind(store)].enumerated().map { side, path in
          try RunningEvtool(
            ["put", path, "notes", "r\(round)-\(side)", "title=t"], environment: Self.hasty)
        }
        for command in commands {
          let result = try command.wait()
          if result.status == 0 {
            taken += 1
          } else {
            #expect(result.isRefusal(2, "has the store open"), "\(result.errors)")
          }
        }
      }
      #expect(taken > 0)
      for path in [store, mirror.behind(store)] {
        #expect(try events(path) == before + taken)
        let verified = try Evtool.run("verify", path)
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      }
    }

    @Test("an open store refuses the other side, for reading too, until it is closed or killed")
    func refusal() async throws {
      let store = try mirror.makeStore()
      for (here, there) in [(store, mirror.behind(store)), (mirror.behind(store), store)] {
        let open = try await Store.open(at: URL(fileURLWithPath: here))
        try await open.write { try $0.insert("notes", UUID().uuidString, [:]) }
        for command in [["put", there, "notes", "n9", "title=x"], ["status", there]] {
          let result = try Evtool.run(command, environment: Self.hasty)
          #expect(result.isRefusal(2, "has the store open"), "\(result.errors)")
        }
        #expect(try Evtool.run("put", here, "notes", "n8", "title=\(here)").status == 0)
        try await open.close()
        #expect(try Evtool.run("put", there, "notes", "n8", "title=\(there)").status == 0)
        #expect(try Evtool.run("verify", there).status == 0)
      }
    }

    @Test("a killed writer leaves a sound store to the other side, which goes on writing")
    func killed() throws {
      let store = try mirror.makeStore()
      for round in 0..<6 {
        let (here, there) =
          round % 2 == 0 ? (store, mirror.behind(store)) : (mirror.behind(store), store)
        let writer = try mirror.writeMany(100_000, prefix: "k\(round)-", to: here)
        writer.waitForMarks(3, in: here)
        kill(writer.process.processIdentifier, SIGKILL)
        _ = try writer.wait()
        let verified = try Evtool.run("verify", there)
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(try Evtool.run("put", there, "notes", "n1", "title=\(round)").status == 0)
        let shown = try Evtool.run("show", here, "notes", "n1")
        #expect(shown.status == 0 && shown.output.contains("\(round)"), "\(shown.errors)")
      }
    }

    @Test("a listener on a mount hears soon of what another process writes")
    func polling() async throws {
      let path = try mirror.makeStore()
      let store = try await Store.open(at: URL(fileURLWithPath: path))
      let (wakes, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
      let listener = store.core.watch.listen { continuation.yield(.now) }
      let before = store.core.log.durableEnd
      #expect(try Evtool.run("put", path, "notes", "n1", "title=heard").status == 0)
      let written = ContinuousClock.now
      var heard = written
      if store.core.log.durableEnd == before {
        for await wake in wakes where store.core.log.durableEnd != before {
          heard = wake
          break
        }
      }
      #expect(heard - written < .seconds(2))
      store.core.watch.forget(listener)
      try await store.close()
    }
  }

  /// A folder that a program shows at another place, by FUSE.
  final class MirrorMount {
    private static let program = ["/usr/bin/bindfs", "/usr/local/bin/bindfs"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let isPermitted = (try? MirrorMount()) != nil
    static let reason: Comment = "bindfs is not installed, or /dev/fuse cannot be used here"

    private let folder: TemporaryFolder
    private let mounted = Process()

    init() throws {
      let program = try #require(Self.program)
      folder = try TemporaryFolder()
      for name in ["behind", "mount"] {
        try FileManager.default.createDirectory(
          atPath: folder.path(name), withIntermediateDirectories: false)
      }
      mounted.executableURL = URL(fileURLWithPath: program)
      mounted.arguments = ["-f", folder.path("behind"), folder.path("mount")]
      mounted.standardError = FileHandle.nullDevice
      let before = Self.device(folder.path("mount"))
      try mounted.run()
      while Self.device(folder.path("mount")) == before {
        guard mounted.isRunning else { throw CocoaError(.featureUnsupported) }
        sched_yield()
      }
    }

    deinit {
      // It has the blocked signals of the thread that has started it, so only this one ends it.
      kill(mounted.processIdentifier, SIGKILL)
      mounted.waitUntilExit()
      for program in [["fusermount3", "-uz"], ["fusermount", "-uz"], ["umount", "-l"]] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = program + [folder.path("mount")]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { continue }
        process.waitUntilExit()
        if process.terminationStatus == 0 { return }
      }
    }

    private static func device(_ path: String) -> UInt64? {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.systemNumber] as? NSNumber)?.uint64Value
    }

    /// Makes a store, and returns its path in the mount.
    func makeStore() throws -> String {
      try folder.makeStore("behind/store")
      return folder.path("mount/store")
    }

    /// Returns the path of a store without the mount.
    func behind(_ store: String) -> String { folder.path("behind/store") }

    /// Starts an import of that many notes, each in an event of its own.
    func writeMany(_ count: Int, prefix: String, to store: String) throws -> RunningEvtool {
      let file = try folder.writeInserts(count, prefix: prefix, name: "\(prefix).ndjson")
      return try RunningEvtool(["import", store, file, "--batch", "1"])
    }
  }
#endif
