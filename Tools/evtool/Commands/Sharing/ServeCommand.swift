import ArgumentParser
import Daybook
import DaybookHubServer
import Foundation
import Logging

/// The command `evtool serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Runs a hub, which serves zones to stores over HTTP.",
    discussion: """
      The hub makes the folder if it is missing. `evtool token` gives and revokes access to zones, \
      also while the hub runs. SIGTERM and Ctrl-C stop the hub after it has finished its current \
      requests. SIGHUP makes it read its certificate and tokens again. Each zone is the folder of \
      a store, and can be backed up while the hub runs. Keep a copy of authority.key: clients \
      trust no other key.

      Examples:
        evtool serve hub --insecure-local
        evtool serve hub --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
      """)

  @Argument(help: "The hub's folder.", completion: .directory)
  var folder: String

  @Option(help: "The address to listen at, HOST:PORT. Port 0 takes a free port.")
  var listen = "127.0.0.1:8080"

  @Flag(
    help: "Accept clients of this machine without a token, and make zones at the first request."
  )
  var insecureLocal = false

  @Option(help: "The certificate chain for HTTPS, a PEM file.", completion: .file())
  var tlsCert: String?

  @Option(help: "The certificate's private key, a PEM file.", completion: .file())
  var tlsKey: String?

  @Option(
    help: "The limit of a zone in bytes: of its log, or of what its events cost its clients.")
  var maxZoneBytes: UInt64?

  @Option(help: "The limit of a request in bytes.")
  var maxRequestBytes: Int?

  @Option(help: "The limit of clients that listen for changes.")
  var maxLiveClients: Int?

  @Option(
    help: "The seconds of an hour that the exchanges of one token may take; others get the rest.")
  var maxTokenSeconds: Int?

  @Flag(
    help: "Offer a page about a zone at /inspect, for whoever has a token of that zone.")
  var inspect = false

  @OptionGroup var verbosity: VerboseOption

  func validate() throws {
    if inspect, insecureLocal {
      throw ValidationError("--inspect needs tokens, and --insecure-local has none")
    }
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-cert and --tls-key go together")
    }
    guard maxRequestBytes.map({ $0 >= 1024 }) ?? true, maxLiveClients.map({ $0 >= 0 }) ?? true,
      maxTokenSeconds.map({ (1...86_400).contains($0) }) ?? true
    else { throw ValidationError("a limit is too low or too high to be of use") }
  }

  func run() async throws {
    HubServer.tuneProcess()
    var options = HubOptions()
    options.listen = listen
    options.isInsecureLocal = insecureLocal
    options.handlesSignals = true
    options.logger = try LogLines.logger(isVerbose: verbosity.verbose, orElse: .info)
    if let tlsCert, let tlsKey { options.tls = .init(certificatePath: tlsCert, keyPath: tlsKey) }
    if let maxRequestBytes { options.limits.requestBytesMax = maxRequestBytes }
    if let maxLiveClients { options.limits.liveClientsMax = maxLiveClients }
    options.offersInspector = inspect
    options.limits.zoneBytesMax = maxZoneBytes
    options.limits.tokenTimeMax = maxTokenSeconds.map { .seconds($0) }
    options.limits.lockTimeout = try StoreArgument.lockTimeout
    let hub = try await HubServer.start(
      HubFolder(URL(fileURLWithPath: folder, isDirectory: true)), options)
    StandardOutput.line("listening on \(hub.address)")
    StandardOutput.flush()
    try await hub.wait()
  }
}
