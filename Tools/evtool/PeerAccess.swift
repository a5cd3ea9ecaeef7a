import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookReplication
import Foundation

/// The options to reach a peer: a store's folder, a shared folder as `folder:PATH`, or a hub's zone
/// as `http://HOST:PORT/ZONE`.
struct PeerAccess: ParsableArguments {
  @Option(help: "The hub's token. $DAYBOOK_TOKEN is safer: other users do not see it.")
  var token: String?

  @Option(
    help: "A PEM file with certificates to trust, besides those of the system.", completion: .file()
  )
  var trust: String?

  /// Runs `body` with the peer that an argument names.
  func use<T>(
    _ peer: String, _ options: Store.Options, _ body: (any SyncPeer) async throws -> T
  ) async throws -> T {
    if peer.begins(with: "http://") || peer.begins(with: "https://") {
      return try await body(hub(peer))
    }
    guard token == nil, trust == nil else {
      throw Failure(.usage, "--token and --trust are for a hub, and \(peer) is none")
    }
    guard let path = peer.rest(after: "folder:").map(String.init) else {
      return try await useStore(peer, options, body)
    }
    guard !path.isEmpty else {
      throw Failure(.usage, "“folder:” names no folder", hint: "Say folder:PATH")
    }
    return try await body(FolderPeer(URL(fileURLWithPath: path, isDirectory: true)))
  }

  private func hub(_ peer: String) throws -> HubClient {
    var options = HubClient.Options()
    options.trustedCertificatesPath = trust
    let token = token ?? Environment["DAYBOOK_TOKEN"]
    do { return try HubClient(HubAddress(peer), options: options) { token } } catch {
      // No request was sent yet, so this is a usage error.
      throw Failure(.usage, error.message, hint: error.hint)
    }
  }

  private func useStore<T>(
    _ peer: String, _ options: Store.Options, _ body: (any SyncPeer) async throws -> T
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
