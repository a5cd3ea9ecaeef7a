import DaybookReplication
import Foundation

/// Certificates of a PEM file.
struct TrustedCertificates {
  /// The certificates, encoded as DER.
  var encoded: [Data]

  /// Reads a PEM file.
  /// - Throws: `SyncError` if it cannot be read, or has no certificate.
  init(path: String) throws(SyncError) {
    let text: String
    do { text = try String(contentsOf: URL(filePath: path), encoding: .utf8) } catch {
      throw .unreadableCertificates("\(error)")
    }
    encoded = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
      .compactMap { $0.components(separatedBy: "-----END CERTIFICATE-----").first }
      .compactMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
      .filter { !$0.isEmpty }
    guard !encoded.isEmpty else { throw .unreadableCertificates("it has no certificate") }
  }
}

extension SyncError {
  /// The error of a file that was to be trusted.
  static func unreadableCertificates(_ cause: String) -> SyncError {
    SyncError(
      .unreachable, "the trusted certificates cannot be read", hint: "Name a PEM file",
      cause: cause)
  }
}
