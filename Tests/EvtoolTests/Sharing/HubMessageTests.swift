import Foundation
import Testing

/// Messages of hubs and of clients that look for them.
@Suite struct HubMessageTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  /// Starts a hub, waits until it listens, and stops it.
  private func serve(_ arguments: String...) throws -> Evtool.Result {
    let running = try RunningEvtool(["serve", folder.path("hub")] + arguments)
    while running.process.isRunning, try !running.outputSoFar().hasSuffix("\n") { sched_yield() }
    running.process.terminate()
    return try running.wait()
  }

  @Test("a hub that other machines can reach without TLS warns, and a local one does not")
  func warning() throws {
    let open = try serve("--listen", "0.0.0.0:0")
    #expect(open.status == 0 && open.errors.contains("without TLS"), "\(open.errors)")
    #expect(open.errors.contains("warning"))
    let local = try serve("--listen", "127.0.0.1:0")
    #expect(local.status == 0 && !local.errors.contains("warning"), "\(local.errors)")
  }

  @Test("SIGHUP makes a hub read its tokens again, and does not end it")
  func hangup() throws {
    let hub = folder.path("hub")
    let token = ["token", "create", hub, "--zone", "team", "--write"]
    #expect(try Evtool.run(token).status == 0)
    let running = try RunningEvtool(["serve", hub, "--listen", "127.0.0.1:0"])
    func waits(for text: String) throws -> Bool {
      while running.process.isRunning {
        if try running.errorsSoFar().contains(text) { return true }
        sched_yield()
      }
      return false
    }
    #expect(try waits(for: "the hub listens"))
    kill(running.process.processIdentifier, SIGHUP)
    #expect(try waits(for: "the hub has read its certificate and tokens again"))
    try folder.write("nonsense", "hub/tokens")
    kill(running.process.processIdentifier, SIGHUP)
    #expect(try waits(for: "the hub could not read all of it again"))
    running.process.terminate()
    let result = try running.wait()
    #expect(result.status == 0 && result.errors.contains("the hub has stopped"), "\(result.errors)")
  }

  @Test("a failed connection is explained in words, with host, port and cure")
  func connections() throws {
    let hub = try HubProcess(folder.path("hub"), arguments: ["--insecure-local"])
    let taken = try Evtool.run(
      "serve", folder.path("other"), "--listen", "127.0.0.1:\(hub.port)")
    #expect(taken.isRefusal(2, "127.0.0.1:\(hub.port)", "name another port"), "\(taken.errors)")
    let port = hub.port
    _ = try hub.terminate()
    let cases: [([String], Int32, [String])] = [
      (
        ["sync", store, "http://127.0.0.1:\(port)/team"], 1,
        ["http://127.0.0.1:\(port) cannot be reached: nothing listens there", "Check the address"]
      ),
      (
        ["sync", store, "http://nowhere.invalid:80/team"], 1,
        ["http://nowhere.invalid:80 cannot be reached: no machine is called nowhere.invalid"]
      ),
      (
        ["serve", folder.path("third"), "--listen", "192.0.2.1:0"], 2,
        ["192.0.2.1:0", "The host is not this machine's"]
      ),
    ]
    for (arguments, status, words) in cases {
      let result = try Evtool.run(arguments)
      #expect(result.status == status, "\(result.errors)")
      for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
      for jargon in ["errno", "error set", "descriptor", "NIO", "Error"] {
        #expect(!result.errors.contains(jargon), "\(result.errors)")
      }
    }
  }

  @Test("a hub without TLS that is addressed with https is reported in words")
  func noTLS() throws {
    let hub = try HubProcess(folder.path("hub"), arguments: ["--insecure-local"])
    let result = try Evtool.run("sync", store, "https://127.0.0.1:\(hub.port)/team")
    #expect(result.status == 1 && result.errors.contains("does not speak TLS"), "\(result.errors)")
    #expect(!result.errors.contains("OPENSSL") && !result.errors.contains(".cc"))
  }
}
