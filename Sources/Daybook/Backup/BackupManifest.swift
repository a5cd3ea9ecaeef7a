import Crypto
import EventCore
import Foundation

/// What a backup consists of: the file `backup.json`, written last, so that a backup that was cut
/// off is the one that was there before.
struct BackupManifest: Codable, Hashable {
  static let format = 1
  static let name = "backup.json"

  /// A copy of a segment of the log.
  struct Segment: Codable, Hashable {
    var number: UInt64
    /// In the backup's folder.
    var file: String
    var bytes: UInt64
    var sha256: String
  }

  /// How far it holds the events of an origin.
  struct Origin: Codable, Hashable {
    var origin: String
    var sequence: UInt64
    /// The chain value after them: another store that happens to have as many has another.
    var chain: String
  }

  /// When it was made, as ISO 8601.
  var made: String
  /// The file `identity`, without which nobody knows whose store it was.
  var identity: String
  var origins: [Origin]
  var segments: [Segment]
  /// The head that closes the store's own events, in hexadecimal digits: the key that could sign for
  /// them is not in the backup, and without it no peer could take them. Nil where the key was not at
  /// hand.
  var head: String?

  var events: UInt64 { origins.reduce(0) { $0 + $1.sequence } }
  var bytes: UInt64 { segments.reduce(0) { $0 + $1.bytes } }

  // MARK: As a file

  private struct File: Codable {
    var format: Int
    /// Of `backup`, encoded with sorted keys and no spaces.
    var sha256: String
    var backup: BackupManifest
  }

  private struct Version: Codable {
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

  func text() throws -> String {
    let file = File(format: Self.format, sha256: try checksum(), backup: self)
    return String(decoding: try Self.encode(file, isPretty: true), as: UTF8.self) + "\n"
  }

  /// - Returns: nil where `folder` holds no backup.
  /// - Throws: ``StoreError`` `newerFormat`, `damaged`, `ioFailed`.
  static func read(_ folder: URL) throws -> BackupManifest? {
    let path = folder.appending(path: name).path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StoreError(.ioFailed, "“\(path)” cannot be read", hint: "Check its permissions")
    }
    if let version = try? JSONDecoder().decode(Version.self, from: data), version.format > format {
      throw StoreError(
        .newerFormat, "the backup has format \(version.format), and this version knows \(format)",
        hint: "Use a newer version of Daybook")
    }
    guard let file = try? JSONDecoder().decode(File.self, from: data),
      try data == Data(file.backup.text().utf8), file.backup.makesSense
    else {
      throw StoreError(
        .damaged, "“\(path)” is not what was written",
        hint: "Make the backup anew, in another folder")
    }
    return file.backup
  }

  /// File names come from here into calls of the system.
  private var makesSense: Bool {
    segments.allSatisfy { segment in
      segment.number > 0 && segment.file.hasSuffix(".segment")
        && segment.file.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
        }
    }
  }
}
