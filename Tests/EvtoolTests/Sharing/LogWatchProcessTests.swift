import DaybookLogEngine
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// How processes that have one store open hear of each other's writes.
@Suite(.timeLimit(.minutes(10))) struct LogWatchProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a listener is woken by the write of another process")
  func otherProcess() async throws {
    let path = try folder.makeStore()
    let store = try await Store.open(at: URL(fileURLWithPath: path))
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
    let listener = store.core.watch.listen { continuation.yield() }
    for number in 1...3 {
      let before = store.core.log.durableEnd
      #expect(try Evtool.run("put", path, "notes", "n\(number)", "title=t").status == 0)
      if store.core.log.durableEnd == before {
        for await _ in wakes where store.core.log.durableEnd != before { break }
      }
    }
    store.core.watch.forget(listener)
    try await store.close()
  }

  #if os(Linux)
    /// How often each thread of a process has gone to sleep.
    private func sleeps(_ process: Process) throws -> [String: Int] {
      let tasks = "/proc/\(process.processIdentifier)/task"
      var sleeps: [String: Int] = [:]
      for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
        // A thread may have ended since.
        let status = (try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary") }
        sleeps[task] = line?.split(separator: "\t").last.flatMap { Int($0) }
      }
      return sleeps
    }

    @Test("a live sync at rest is not woken while other commands run, and then hears a write")
    func idle() throws {
      let (a, b) = (try folder.makeStore("a"), folder.path("b"))
      for store in [b, folder.path("c")] { try Evtool.run("init", store) }
      let live = try RunningEvtool(["sync", a, b, "--live"])
      let deadline = ContinuousClock.now + .seconds(120)
      // On Linux, libdispatch wakes a thread of its own once a second in every process. No other
      // thread may wake while commands run for three seconds.
      var (before, began) = (try sleeps(live.process), ContinuousClock.now)
      while live.process.isRunning, ContinuousClock.now - began < .seconds(3) {
        try Evtool.run("status", folder.path("c"))
        let now = try sleeps(live.process)
        let awake = now.filter { $0.value != before[$0.key] }
        if awake.count > 1 || now.count != before.count {
          (before, began) = (now, ContinuousClock.now)
        }
        guard ContinuousClock.now < deadline else {
          Issue.record("it does not come to rest: \(awake)")
          break
        }
      }
      #expect(try Evtool.run("put", a, "notes", "late", "title=late").status == 0)
      while live.process.isRunning, try Evtool.run("show", b, "notes", "late").status != 0 {}
      live.process.interrupt()
      let ended = try live.wait()
      #expect(ended.status == 0, "\(ended.errors)")
    }
  #endif
}
