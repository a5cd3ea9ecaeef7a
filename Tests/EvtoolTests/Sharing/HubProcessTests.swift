import Foundation
import Testing

/// A real hub and real clients, over loopback.
@Suite struct HubProcessTests {
  private let folder: TemporaryFolder
  private let hub: String
  private let stores: [String]
  private let token: String

  init() throws {
    folder = try TemporaryFolder()
    hub = folder.path("hub")
    stores = ["a", "b", "c"].map { [folder] in folder.path($0) }
    let made = try Evtool.run("token", "create", hub, "--zone", "team", "--write")
    token = String(made.lines[0])
    let notes = try folder.write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}

      """, "notes.ndjson")
    for store in stores {
      try Evtool.run("init", store)
      #expect(try Evtool.run("import", store, notes).status == 0)
    }
  }

  private func sync(_ store: String, _ url: String, token: String? = nil) throws -> RunningEvtool {
    try RunningEvtool(
      ["sync", store, url], environment: ["DAYBOOK_TOKEN": token ?? self.token])
  }

  private func digests() throws -> Set<String> {
    Set(try stores.map { try Evtool.run("digest", $0, "--json").output })
  }

  /// Syncs every store twice, and expects that all hold the same.
  private func expectConvergence(_ url: String) throws {
    for _ in 0..<2 {
      for store in stores {
        let result = try sync(store, url).wait()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
      }
    }
    #expect(try digests().count == 1)
  }

  /// Writes 400 notes into a store, in several events.
  private func write(_ store: String, _ round: Int) throws {
    let name = URL(fileURLWithPath: store).lastPathComponent
    let lines = (0..<400).map { i in
      #"{"op":"put","collection":"notes","id":"\#(name)-\#(round)-\#(i)","#
        + #""fields":{"title":"\#(i)"}}"#
    }
    let file = try folder.write(lines.joined(separator: "\n") + "\n", "\(name).ndjson")
    #expect(try Evtool.run("import", store, file, "--batch", "20").status == 0)
  }

  /// All events waited for ever for those of the clone, and stores wrote more such events.
  @Test("events are stamped although a store has met a clone before the hub did")
  func cloneMetFirst() throws {
    let process = try HubProcess(hub)
    defer { process.kill() }
    let url = process.url()
    for store in stores { #expect(try sync(store, url).wait().status == 0) }
    let clone = folder.path("clone")
    try FileManager.default.copyItem(atPath: stores[0], toPath: clone)
    func put(_ store: String, _ id: String) throws {
      #expect(try Evtool.run("put", store, "notes", id, "title=\(id)").status == 0)
    }
    try put(stores[0], "original")
    #expect(try sync(stores[0], url).wait().status == 0)
    for number in 0..<8 { try put(clone, "clone-\(number)") }
    #expect(try Evtool.run("sync", stores[1], clone).status == 0)
    try put(stores[1], "reader")
    for _ in 0..<3 {
      for store in stores + [clone] { _ = try sync(store, url).wait() }
    }
    for store in stores { try put(store, "later") }
    for _ in 0..<2 {
      for store in stores + [clone] {
        let result = try sync(store, url).wait()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
      }
    }
    for store in stores + [clone] {
      let status = try Evtool.run("status", store, "--json").output
      #expect(status.contains("\"unstamped\":0"), "\(status)")
    }
    #expect(try digests().count == 1)
    let count = "SELECT count(*) AS n FROM notes"
    let notes = try Evtool.run("query", stores[2], count, "--json").output
    #expect(notes.contains("11"), "original, reader, later, and eight of the clone: \(notes)")
  }

  /// The hub died with SIGILL, after it had spun.
  @Test("a hub with few open files serves again once connections are closed")
  func fewFiles() throws {
    let process = try HubProcess(hub, files: 120)
    #expect(try sync(stores[0], process.url()).wait().status == 0)
    let connections = try (0..<300).map { _ in try Self.connection(to: process.port) }
    // The hub accepted as many connections as it has room for, and answers none without a request.
    #expect(process.running.process.isRunning)
    for connection in connections { close(connection) }
    for store in stores {
      let result = try sync(store, process.url()).wait()
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
    #expect(try process.terminate().status == 0)
  }

  /// Connects to the hub, and sends nothing.
  static func connection(to port: Int) throws -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0, "\(String(cString: strerror(errno)))")
    return descriptor
  }

  @Test("a hub and clients that are killed lose nothing, and end with the same state")
  func killedAtRandom() throws {
    var process = try HubProcess(hub)
    let port = process.port
    var random = BrokenProxy.SplitMix(11)
    for round in 0..<6 {
      for store in stores { try write(store, round) }
      let clients = try stores.map { try sync($0, process.url()) }
      usleep(UInt32(50_000 + random.next() % 400_000))
      if round.isMultiple(of: 2) {
        process.kill()
        process = try HubProcess(hub, port: port)
      } else {
        kill(clients[round % 3].process.processIdentifier, SIGKILL)
      }
      for client in clients { _ = try client.wait() }
    }
    try expectConvergence(process.url())
    for store in stores {
      let verify = try Evtool.run("verify", store)
      #expect(verify.status == 0, "\(verify.output)\(verify.errors)")
      let count = try Evtool.run("query", store, "SELECT count(*) AS n FROM notes", "--csv")
      #expect(count.output.contains("\r\n7200\r\n"), "\(count.output)")
    }
    #expect(try process.terminate().status == 0)
  }

  @Test("acknowledged events are there after the hub is killed")
  func acknowledgedIsKept() throws {
    var process = try HubProcess(hub)
    try write(stores[0], 0)
    #expect(try sync(stores[0], process.url()).wait().status == 0)
    process.kill()
    process = try HubProcess(hub)
    // The first store has nothing to send, and the second gets everything.
    let again = try sync(stores[0], process.url()).wait()
    #expect(again.output.contains("both hold the same already"))
    #expect(try sync(stores[1], process.url()).wait().status == 0)
    let count = try Evtool.run("query", stores[1], "SELECT count(*) AS n FROM notes", "--csv")
    #expect(count.output.contains("\r\n400\r\n"), "\(count.output)")
  }

  @Test("a proxy that cuts, delays and changes bytes does no lasting harm")
  func brokenProxy() throws {
    let process = try HubProcess(hub)
    let proxy = try BrokenProxy(to: process.port, seed: 5)
    for store in stores { try write(store, 0) }
    var fine = 0
    for round in 0..<12 {
      let result = try sync(stores[round % 3], "http://127.0.0.1:\(proxy.port)/team").wait()
      // Each sync succeeds, or explains its failure.
      #expect([0, 1, 2].contains(result.status), "\(result.errors)")
      if result.status == 0 { fine += 1 }
    }
    let count = proxy.count
    #expect(count.cuts > 0 && count.changes > 0 && count.connections >= 12, "\(count) \(fine)")
    try proxy.stop()
    try expectConvergence(process.url())
    for store in stores { #expect(try Evtool.run("verify", store).status == 0) }
  }

  @Test("a hub whose disk is lost is set up again with key and id, and refilled")
  func secondHub() throws {
    let first = try HubProcess(hub)
    for store in stores { try write(store, 0) }
    try expectConvergence(first.url())
    let report = try #require(
      try Evtool.run(
        ["sync", stores[0], first.url(), "--json"], environment: ["DAYBOOK_TOKEN": token]
      ).json() as? [String: Any])
    let zone = try #require(report["zone"] as? String)
    first.kill()
    let again = folder.path("again")
    try FileManager.default.createDirectory(
      atPath: again, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: hub + "/authority.key", toPath: again + "/authority.key")
    try FileManager.default.removeItem(atPath: hub)
    let made = try Evtool.run(
      "token", "create", again, "--zone", "team", "--write", "--zone-id", zone)
    #expect(made.status == 0, "\(made.errors)")
    let next = String(made.lines[0])
    let second = try HubProcess(again)
    #expect(
      try Evtool.run("put", stores[1], "notes", "later", "title=after").status == 0)
    for store in [stores[1], stores[0], stores[2]] {
      let result = try sync(store, second.url(), token: next).wait()
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
    for store in stores {
      let show = try Evtool.run("show", store, "notes", "later")
      #expect(show.status == 0 && show.output.contains("after"))
    }
    #expect(try digests().count == 1)
  }

  @Test("invalid tokens are refused, and a token for reading only fetches")
  func tokens() throws {
    let process = try HubProcess(hub)
    #expect(try sync(stores[0], process.url()).wait().status == 0)
    #expect(try Evtool.run("put", stores[0], "notes", "n", "title=t").status == 0)
    func refusal(_ token: String, _ words: String) throws {
      let result = try sync(stores[0], process.url(), token: token).wait()
      #expect(result.isRefusal(2, words), "\(result.status) \(result.errors)")
      #expect(!result.errors.contains(token) || token.isEmpty)
    }
    try refusal("nonsense", "token")
    let read = try Evtool.run("token", "create", hub, "--zone", "team", "--read")
    let pulled = try sync(stores[0], process.url(), token: String(read.lines[0])).wait()
    #expect(pulled.status == 0 && pulled.output.contains("1 event not sent"), "\(pulled)")
    let other = try Evtool.run("token", "create", hub, "--zone", "other", "--write")
    try refusal(String(other.lines[0]), "not for zone team")
    let short = try Evtool.run(
      "token", "create", hub, "--zone", "team", "--write", "--expires", "1s")
    // The token works until it expires.
    while try sync(stores[0], process.url(), token: String(short.lines[0])).wait().status == 0 {}
    try refusal(String(short.lines[0]), "expired")
    let id = String(token.split(separator: "_")[1])
    let list = try Evtool.run("token", "list", hub)
    #expect(list.output.contains(id) && list.output.contains("write"))
    #expect(try Evtool.run("token", "revoke", hub, id).status == 0)
    try refusal(token, "token")
    #expect(try Evtool.run("token", "revoke", hub, id).isRefusal(2, "no token"))
  }

  @Test("a hub without tokens serves its own machine only, and creates zones on request")
  func insecureLocal() throws {
    let open = folder.path("open")
    for address in ["0.0.0.0:0", "[::]:0"] {
      let result = try Evtool.run("serve", open, "--listen", address, "--insecure-local")
      #expect(result.isRefusal(2, "this machine only"), "\(result.errors)")
    }
    let process = try HubProcess(open, arguments: ["--insecure-local"])
    #expect(try Evtool.run("sync", stores[0], process.url("notes")).status == 0)
    #expect(try Evtool.run("sync", stores[1], process.url("notes")).status == 0)
    let second = try Evtool.run("serve", open, "--insecure-local")
    #expect(second.isRefusal(2, "another process serves"), "\(second.errors)")
    let stopped = try process.terminate()
    #expect(stopped.status == 0, "\(stopped.errors)")
    let gone = try Evtool.run("sync", stores[0], process.url("notes"))
    #expect(gone.isRefusal(1, "cannot be reached"), "\(gone.errors)")
  }

  @Test("invalid arguments are refused in one sentence")
  func usage() throws {
    let cases: [[String]] = [
      ["token", "create", hub, "--zone", "Team", "--read"],
      ["token", "create", hub, "--zone", "../x", "--read"],
      ["token", "create", hub, "--zone", "team", "--read", "--expires", "soon"],
      ["token", "create", hub, "--zone", "team", "--read", "--expires", "2001-01-01"],
      [
        "token", "create", hub, "--zone", "team", "--write", "--zone-id",
        String(repeating: "1", count: 32),
      ],
      ["token", "list", folder.path("nothing")], ["serve", hub, "--listen", "nonsense"],
      ["serve", hub, "--tls-cert", stores[0], "--tls-key", stores[0]],
      ["sync", stores[0], "http://127.0.0.1:1"], ["sync", stores[0], stores[1], "--token", "x"],
    ]
    for arguments in cases {
      #expect(try Evtool.run(arguments).isRefusal(2), "\(arguments.joined(separator: " "))")
    }
  }
}
