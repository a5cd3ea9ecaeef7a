import ArgumentParser
import Daybook
import Foundation
import HubServer
import Logging

/// The command `evtool serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Runs a hub: serves zones that stores sync with, over HTTP.",
    discussion: """
      The folder is made where it is missing. Who may use a zone is said with `evtool token`, also \
      while the hub runs. SIGTERM and Ctrl-C stop it once what is under way is done. Zones are \
      stores' folders: they can be backed up while the hub runs. Keep authority.key: clients trust \
      no other.

      Examples:
        evtool serve hub --insecure-local
        evtool serve hub --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
      """)

  @Argument(help: "The hub's folder.", completion: .directory)
  var folder: String

  @Option(help: "Where to listen: HOST:PORT; port 0 takes one that is free.")
  var listen = "127.0.0.1:8080"

  @Flag(
    help: "Let everybody on this machine in, without a token, and make zones as they are asked for."
  )
  var insecureLocal = false

  @Option(help: "The certificate chain, a PEM file: serve HTTPS.", completion: .file())
  var tlsCert: String?

  @Option(help: "The certificate's private key, a PEM file.", completion: .file())
  var tlsKey: String?

  @Option(
    help: "Most bytes that a zone counts: those of its log, or what its events cost its clients.")
  var maxZoneBytes: UInt64?

  @Option(help: "Most bytes of a request.")
  var maxRequestBytes: Int?

  @Option(help: "Most clients that listen for changes.")
  var maxLiveClients: Int?

  @OptionGroup var verbosity: VerboseOption

  func validate() throws {
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-cert and --tls-key go together")
    }
    guard maxRequestBytes.map({ $0 >= 1024 }) ?? true, maxLiveClients.map({ $0 >= 0 }) ?? true
    else { throw ValidationError("a limit is too low to be of use") }
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
    options.limits.zoneBytesMax = maxZoneBytes
    options.limits.lockTimeout = try StoreArgument.lockTimeout
    let hub = try await HubServer.start(
      HubFolder(URL(fileURLWithPath: folder, isDirectory: true)), options)
    StandardOutput.line("listening on \(hub.address)")
    StandardOutput.flush()
    try await hub.wait()
  }
}
