import ArgumentParser
import Daybook
import Foundation
import HubClient
import Replication

/// Whom a command syncs with.
struct PeerArgument: ParsableArguments {
  @Argument(help: "Whom to sync with: a store's folder, or a hub's zone, http://HOST:PORT/ZONE.")
  var peer: String

  @Option(help: "What the hub's `evtool token create` has said; $DAYBOOK_TOKEN tells nobody else.")
  var token: String?

  @Option(
    help: "A PEM file of certificates to trust beside the system's.", completion: .file())
  var trust: String?

  var isHub: Bool { peer.hasPrefix("http://") || peer.hasPrefix("https://") }

  func validate() throws {
    guard isHub || (token == nil && trust == nil) else {
      throw ValidationError("--token and --trust are for a hub, and \(peer) is none")
    }
  }

  /// Runs `body` with the peer.
  func use<T>(_ options: Store.Options, _ body: (any SyncPeer) async throws -> T) async throws
    -> T
  { isHub ? try await body(hub()) : try await useStore(options, body) }

  private func hub() throws -> HubClient {
    var options = HubClient.Options()
    options.trustedCertificatesPath = trust
    let token = token ?? ProcessInfo.processInfo.environment["DAYBOOK_TOKEN"]
    return try HubClient(HubAddress(peer), options: options) { token }
  }

  private func useStore<T>(
    _ options: Store.Options, _ body: (any SyncPeer) async throws -> T
  ) async throws -> T {
    var options = options
    options.lockTimeout = try StoreArgument.lockTimeout
    let other = try await Store.open(
      at: URL(fileURLWithPath: peer, isDirectory: true), options: options)
    do {
      let result = try await body(StorePeer(other))
      try await other.close()
      return result
    } catch {
      try? await other.close()
      throw error
    }
  }
}
