import Daybook
import DaybookReplication
import Foundation
import Testing

@testable import DaybookHubClient
@testable import DaybookHubServer

/// The certificates are good for a hundred years, and for localhost only.
@Suite(.eachTransport) struct TLSTests {
  private static func path(_ name: String) throws -> String {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "pem", subdirectory: "TLS"))
    return url.path(percentEncoded: false)
  }

  private static func options() throws -> HubOptions.TLS {
    .init(certificatePath: try path("certificate"), keyPath: try path("key"))
  }

  @Test("a store syncs with a hub whose certificate it trusts")
  func trustedCertificate() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    let tls = try Self.options()
    try await place.withHub(options: HubPlace.options { $0.tls = tls }) { hub in
      #expect(hub.address.hasPrefix("https://"))
      var options = HubClient.Options()
      options.trustedCertificatesPath = try Self.path("certificate")
      guard EachTransport.trustsCertificates else {
        // It says so before anything is sent.
        #expect { try place.client(hub, token, options: options) } throws: {
          ($0 as? SyncError)?.hint?.contains("NIOClient") == true
        }
        return
      }
      let client = try place.client(hub, token, options: options)
      #expect(try await a.syncOnce(with: client).eventsSent == 2)
      var changes = client.changes().makeAsyncIterator()
      #expect(try await changes.next() != nil)
    }
    try await a.close()
  }

  @Test("a client refuses an untrusted certificate, and a hub with TLS refuses plain HTTP")
  func untrustedCertificate() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    let tls = try Self.options()
    try await place.withHub(options: HubPlace.options { $0.tls = tls }) { hub in
      var other = HubClient.Options()
      other.trustedCertificatesPath = try Self.path("other")
      for options in [HubClient.Options()] + (EachTransport.trustsCertificates ? [other] : []) {
        let client = try place.client(hub, token, options: options)
        await #expect { try await a.syncOnce(with: client) } throws: { error in
          (error as? StoreError)?.syncError?.code == .unreachable
            && (error as? StoreError)?.syncError?.message.contains("prove") == true
        }
      }
      // The hub does not answer without TLS.
      let plain = try place.client(hub.address.replacing("https", with: "http")) { token }
      await #expect(throws: StoreError.self) { try await a.syncOnce(with: plain) }
    }
    try await a.close()
  }

  @Test("a hub takes a new certificate while it runs, and keeps the old one if that is unusable")
  func renewedCertificate() async throws {
    guard EachTransport.trustsCertificates else { return }
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let store = try await place.store("a", title: "1")
    let files = ["certificate", "key"].map { place.folder.appending(path: $0 + ".pem") }
    func install(_ names: [String]) throws {
      for (name, file) in zip(names, files) {
        try Data(contentsOf: URL(filePath: Self.path(name))).write(to: file)
      }
    }
    func syncs(trusting name: String, _ hub: HubServer) async throws -> Bool {
      var options = HubClient.Options()
      options.trustedCertificatesPath = try Self.path(name)
      let client = try place.client(hub, token, options: options)
      do { try await store.syncOnce(with: client) } catch { return false }
      return true
    }
    try install(["certificate", "key"])
    let tls = HubOptions.TLS(certificatePath: files[0].path, keyPath: files[1].path)
    try await place.withHub(options: HubPlace.options { $0.tls = tls }) { hub in
      #expect(try await syncs(trusting: "certificate", hub))
      // The key is not this certificate's.
      try install(["next-certificate", "key"])
      #expect { try hub.reload() } throws: { ($0 as? HubError)?.code == .badCertificate }
      #expect(try await syncs(trusting: "certificate", hub))
      try install(["next-certificate", "next-key"])
      #expect(try await !syncs(trusting: "next-certificate", hub))
      try hub.reload()
      #expect(try await syncs(trusting: "next-certificate", hub))
      #expect(try await !syncs(trusting: "certificate", hub))
    }
    try await store.close()
  }

  @Test("a hub with an unusable certificate does not start")
  func unusableCertificate() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let key = try Self.path("key")
    await #expect {
      try await place.withHub(
        options: HubPlace.options { $0.tls = .init(certificatePath: key, keyPath: key) }
      ) { _ in }
    } throws: { ($0 as? HubError)?.code == .badCertificate }
  }
}
