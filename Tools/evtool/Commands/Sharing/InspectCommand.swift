import ArgumentParser
import Daybook
import DaybookInspector
import Foundation

/// The command `evtool inspect`.
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Opens a page about a store: what waits, its history, data and health.",
    discussion: """
      The page is part of this command and is served on this machine only, to whoever has the \
      address with its token. It shows what is to be synced, conflicts, a timeline to move along, \
      tables, search, SQL, pictures and the store's health. It can settle conflicts and undo \
      events; each such step is an event by you. With --sync it also syncs with a peer, as \
      `evtool sync --live` does. The command ends with Ctrl-C. The same address has an API, which \
      docs/http-api.md describes.

      Examples:
        evtool inspect notes.daybook
        evtool inspect notes.daybook --sync http://127.0.0.1:8080/team
        evtool inspect notes.daybook --read-only --listen 127.0.0.1:8420
      """)

  @OptionGroup var store: StoreArgument
  @Option(
    help: "The address to listen at, HOST:PORT, of this machine only. Port 0 takes a free one.")
  var listen = "127.0.0.1:0"
  @Flag(help: "Let the page only read.")
  var readOnly = false
  @Option(help: "A peer to sync with: a store's folder, folder:PATH, or http://HOST:PORT/ZONE.")
  var sync: String?
  @Flag(help: "Print the address, and open no browser.")
  var noOpen = false
  @Option(help: "The author of what the page writes. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?
  @OptionGroup var access: PeerAccess

  func validate() throws {
    if readOnly, sync != nil {
      throw ValidationError("--sync writes to the store, and --read-only does not")
    }
  }

  func run() async throws {
    if readOnly {
      try await store.read { try await serve($0, nil) }
    } else {
      try await store.write(actor: actor) { store in
        guard let sync else { return try await serve(store, nil) }
        try await access.use(sync, try self.store.verbosity.options) { peer in
          try await serve(store, peer)
        }
      }
    }
  }

  private func serve(_ store: Store, _ peer: (any SyncPeer)?) async throws {
    Interrupt.listen()
    let inspection = Inspection(
      store,
      .init(
        name: store.url.lastPathComponent, actor: store.options.actor,
        isReadOnly: readOnly || store.options.isReadOnly,
        version: EvtoolCommand.configuration.version))
    let server: InspectorServer
    do { server = try await InspectorServer.start(inspection, listen: listen) } catch {
      guard let error = error as? InspectorError else { throw error }
      throw Failure(.usage, error.message, hint: error.hint)
    }
    if let peer { inspection.sync(with: [peer]) }
    StandardOutput.line(server.address)
    StandardOutput.flush()
    if !noOpen { Browser.open(server.address) }
    await Interrupt.wait()
    await inspection.end()
    await server.stop()
  }
}

/// The browser of the person at the machine.
private enum Browser {
  /// Opens an address, if there is a program for that. The address is on the output anyway.
  static func open(_ address: String) {
    #if os(macOS)
      let program = "/usr/bin/open"
    #else
      let program = "/usr/bin/xdg-open"
    #endif
    guard FileManager.default.isExecutableFile(atPath: program) else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}
