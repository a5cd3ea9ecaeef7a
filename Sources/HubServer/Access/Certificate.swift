import DaybookLocks
import NIOSSL

/// A hub's certificate and key as they were last read. Each connection keeps what was current when
/// it began.
final class Certificate: Sendable {
  private let files: HubOptions.TLS
  private let held: Mutex<NIOSSLContext>

  /// Reads the files.
  /// - Throws: ``HubError`` `.badCertificate`.
  init(_ files: HubOptions.TLS) throws(HubError) {
    self.files = files
    held = Mutex(try Self.read(files))
  }

  var context: NIOSSLContext { held.withLock { $0 } }

  /// Reads the files again. If they cannot be used, the certificate in use stays.
  /// - Throws: ``HubError`` `.badCertificate`.
  func reload() throws(HubError) {
    let context = try Self.read(files)
    held.withLock { $0 = context }
  }

  private static func read(_ files: HubOptions.TLS) throws(HubError) -> NIOSSLContext {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(files.certificatePath)
      let key = try NIOSSLPrivateKey(file: files.keyPath, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw HubError(
        .badCertificate, "the certificate or its key cannot be used",
        hint: "Both are PEM files; the hub's own certificate is the chain's first",
        cause: "\(error)")
    }
  }
}
