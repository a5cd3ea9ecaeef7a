import Crypto
import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
package import Foundation

/// The contents of a backup, in the file `backup.json`. The file is written last, so an interrupted
/// backup leaves the previous one in force.
package struct BackupManifest: Codable, Hashable {
  static let format = 1
  static let name = "backup.json"

  /// A copy of a segment of the log.
  package struct Segment: Codable, Hashable {
    var number: UInt64
    /// The file name in the backup's folder.
    package var file: String
    var bytes: UInt64
    var sha256: String
  }

  /// The last event of an origin that the backup holds.
  package struct Origin: Codable, Hashable {
    var origin: String
    var sequence: UInt64
    /// The chain value after that event, in hexadecimal digits. It distinguishes this history from
    /// another one of the same length.
    var chain: String
  }

  /// The time when the backup was made, in ISO 8601.
  var made: String
  /// The text of the store's file `identity`, which says whose store it was.
  var identity: String
  package var origins: [Origin]
  package var segments: [Segment]
  /// The head that closes the store's own events, in hexadecimal digits. The backup lacks the key
  /// to sign one, and without a head no peer could receive these events. It is nil if the key was
  /// not available.
  var head: String?

  package var events: UInt64 { origins.reduce(0) { $0 + $1.sequence } }
  package var bytes: UInt64 { segments.reduce(0) { $0 + $1.bytes } }

  // MARK: - As a file

  fileprivate struct File: Codable {
    var format: Int
    /// The SHA-256 checksum of `backup`, encoded with sorted keys and no spaces.
    var sha256: String
    var backup: BackupManifest
  }

  fileprivate struct Version: Codable {
    var format: Int
  }

  private static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return try encoder.encode(value)
  }

  private func checksum() throws -> String {
    Hex.encode(SHA256.hash(data: try Self.encode(self)))
  }

  package func text() throws -> String {
    let file = File(format: Self.format, sha256: try checksum(), backup: self)
    return String(decoding: try Self.encode(file, isPretty: true), as: UTF8.self) + "\n"
  }

  /// Reads the manifest of a backup.
  /// - Returns: nil if `folder` holds no backup.
  /// - Throws: ``StoreError`` `newerFormat`, `damaged`, `ioFailed`.
  static func read(_ folder: URL) throws -> BackupManifest? {
    let path = folder.appending(path: name).path(percentEncoded: false)
    guard let data = try DiskPath.read(path) else { return nil }
    return try BackupManifest(decoding: data, path: path)
  }

  /// Whether all values are plausible. The checksum detects damage but proves nothing about the
  /// author. The names are passed to system calls, and the numbers are added up.
  fileprivate var makesSense: Bool {
    func hasSum(_ numbers: [UInt64]) -> Bool {
      var sum: UInt64 = 0
      return numbers.allSatisfy { number in
        let (next, overflows) = sum.addingReportingOverflow(number)
        sum = next
        return !overflows && next <= UInt64(Int64.max)
      }
    }
    return hasSum(origins.map(\.sequence)) && hasSum(segments.map(\.bytes))
      && origins.allSatisfy { ReplicaID($0.origin) != nil && $0.sequence > 0 }
      && Set(origins.map(\.origin)).count == origins.count
      && segments.enumerated().allSatisfy { index, segment in
        segment.number == UInt64(index + 1) && Self.isName(segment.file)
      }
  }

  /// Returns what is wrong with the identity; nil if it can be read.
  private var identityFault: String? {
    (try? IdentityFile(text: identity)) == nil
      ? "what it says of the store's identity is damaged" : nil
  }

  /// Returns what a log lacks to be the one that was backed up, as sentences; empty if nothing.
  ///
  /// Verifying a backup and restoring it ask the same.
  /// - Parameter log: the backup's log or its copy, private origins included.
  /// - Throws: `LogError` if the log cannot be read.
  func findings(in log: LogSnapshot) throws -> [String] {
    if let identityFault { return [identityFault] }
    var findings: [String] = []
    for known in origins {
      let event = ReplicaID(known.origin).map { EventID($0, known.sequence) }
      let chain = try event.flatMap { try log.chain(after: $0) }
      guard BackupWriter.text(chain) != known.chain else { continue }
      findings.append("it lacks events of \(known.origin)")
    }
    if head != nil, try ownHead(in: log) == nil {
      findings.append("what closes the store's own events is not signed by its key")
    }
    return findings
  }

  /// Returns the head that closes the store's own events; nil if there is none, it is not signed
  /// by the store's key, or is about other events than those of `log`.
  func ownHead(in log: LogSnapshot) throws -> Head? {
    guard let bytes = head.flatMap({ Hex.decode($0) }),
      let head = bytes.withUnsafeBytes({ try? Head(decoding: $0) }),
      head.isSigned(by: try IdentityFile(text: identity).publicKey)
    else { return nil }
    return try log.chain(after: head.event) == head.chain ? head : nil
  }

  private static func isName(_ file: String) -> Bool {
    file.hasSuffix(".segment")
      && file.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
      }
  }
}

extension BackupManifest {
  /// Decodes a manifest and verifies its checksum.
  /// - Parameters:
  ///   - data: the contents of the file.
  ///   - path: the path of the file, for errors.
  /// - Throws: ``StoreError`` `newerFormat`, `damaged`.
  package init(decoding data: Data, path: String) throws {
    if let version = try? JSONDecoder().decode(Version.self, from: data),
      version.format > Self.format
    {
      throw StoreError(
        .newerFormat,
        "the backup has format \(version.format), and this version knows \(Self.format)",
        hint: "Use a newer version of Daybook")
    }
    guard let file = try? JSONDecoder().decode(File.self, from: data),
      try data == Data(file.backup.text().utf8), file.backup.makesSense
    else {
      throw StoreError(
        .damaged, "“\(path)” is not what was written",
        hint: "Make the backup anew, in another folder")
    }
    self = file.backup
  }
}
