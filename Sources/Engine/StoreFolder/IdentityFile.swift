package import DaybookEventCore
import Foundation

/// The file `identity`: the format of a store, and the replica that it is.
///
/// ```
/// daybook store 1
/// replica <32 hexadecimal digits>
/// public-key <64>
/// zone <32>
/// authority <64>                 if one is pinned
/// former <32> <number>           an earlier replica and its last event here; any number of lines
/// crc32c <8, over all bytes before this line>
/// ```
/// The private key is in `identity.key`, 64 hexadecimal digits, readable by its owner only.
package struct IdentityFile: Hashable {
  static let format = 1
  private static let firstLine = "daybook store "

  package var replica: ReplicaID
  var publicKey: [UInt8]
  /// The id of the zone; 16 zero bytes until the store adopts one.
  package var zone: [UInt8]
  /// The public key that certifies the zone's hubs, taken from the first hub that the store has
  /// met; nil until then.
  package var authority: [UInt8]?
  /// The earlier identities of the store, the latest last.
  ///
  /// If another history of one of them stands, the store may write its own events of that identity
  /// again.
  package private(set) var former: [Former] = []

  /// An earlier identity of the store.
  package struct Former: Hashable {
    package var replica: ReplicaID
    /// The last event of that replica that the store held while it was that replica.
    package var through: UInt64
  }

  /// The number of former identities that are remembered.
  private static let formerMax = 64

  package init(_ identity: Identity, zone: [UInt8] = Array(repeating: 0, count: 16)) {
    replica = identity.id
    publicKey = identity.publicKey
    self.zone = zone
  }

  /// Returns the file of the same store under a new identity.
  /// - Parameter through: the last event of the old identity if the store had its key; else 0.
  package func renewed(as identity: Identity, through: UInt64) -> IdentityFile {
    var next = IdentityFile(identity, zone: zone)
    next.authority = authority
    next.former = former
    if through > 0 { next.former.append(Former(replica: replica, through: through)) }
    next.former.removeFirst(max(0, next.former.count - Self.formerMax))
    return next
  }

  /// Returns the last event that the store itself has written as a replica; 0 if it never was that
  /// replica.
  ///
  /// Another history of the replica elsewhere does not count.
  /// - Parameter current: the last event that the store holds of its current replica.
  package func written(as replica: ReplicaID, current: UInt64) -> UInt64 {
    if replica == self.replica { return current }
    return former.last { $0.replica == replica }?.through ?? 0
  }

  private var content: String {
    """
    \(Self.firstLine)\(Self.format)
    replica \(replica)
    public-key \(Hex.encode(publicKey))
    zone \(Hex.encode(zone))

    """ + (authority.map { "authority \(Hex.encode($0))\n" } ?? "")
      + former.map { "former \($0.replica) \($0.through)\n" }.joined()
  }

  /// The text of the file, with its checksum.
  package var text: String {
    content + Self.checksumLine(content)
  }

  private static func checksumLine(_ content: some StringProtocol) -> String {
    let checksum = CRC32C.checksum(Array(content.utf8))
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
    return "crc32c \(Hex.encode(bytes))\n"
  }

  /// Parses and checks the text of the file.
  /// - Throws: ``StoreError`` `newerFormat` or `damaged`.
  package init(text: String) throws(StoreError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.first, first.hasPrefix(Self.firstLine),
      let format = Int(first.dropFirst(Self.firstLine.count))
    else { throw Self.damaged("it does not begin as one") }
    guard format <= Self.format else {
      // The line of the checksum stays in every format: a format number counts only if it matches.
      guard let last = text.range(of: "crc32c ", options: .backwards),
        Self.checksumLine(text[..<last.lowerBound]) == text[last.lowerBound...]
      else { throw Self.damaged("its checksum does not match") }
      throw StoreError(
        .newerFormat, "the store has format \(format), and this version knows \(Self.format)",
        hint: "Use a newer version of Daybook")
    }
    var values: [String: [UInt8]] = [:]
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      if words.count == 2 { values[String(words[0])] = Hex.decode(words[1]) }
      if words.count == 3, words[0] == "former", let replica = ReplicaID(String(words[1])),
        let through = UInt64(words[2])
      {
        former.append(Former(replica: replica, through: through))
      }
    }
    guard let replica = values["replica"], replica.count == 16,
      let publicKey = values["public-key"], publicKey.count == 32,
      let zone = values["zone"], zone.count == 16
    else { throw Self.damaged("a line is missing") }
    self.replica = replica.withUnsafeBytes { ReplicaID(bytes: $0) }
    self.publicKey = publicKey
    self.zone = zone
    if let authority = values["authority"], authority.count == 32 { self.authority = authority }
    guard text == self.text, ReplicaID(publicKey: publicKey) == self.replica else {
      throw Self.damaged("its checksum does not match")
    }
  }

  private static func damaged(_ what: String) -> StoreError {
    StoreError(
      .damaged, "the store's file “identity” is damaged: \(what)",
      hint: "Make it again with `evtool repair`; the log itself is not affected")
  }

  // MARK: - Files

  /// Reads the file of a store.
  /// - Throws: ``StoreError`` `notAStore` if there is none, `ioFailed` if it cannot be read,
  ///   `newerFormat` or `damaged`.
  package static func read(_ folder: some IdentityFolder) throws(StoreError) -> IdentityFile {
    guard let file = try find(folder) else { throw try folder.isNoStore() }
    return file
  }

  /// Reads the file of a store; nil if there is none.
  /// - Throws: ``StoreError`` `ioFailed` if it cannot be read, `newerFormat` or `damaged`.
  package static func find(_ folder: some IdentityFolder) throws(StoreError) -> IdentityFile? {
    guard let bytes = try folder.content(of: .identity) else { return nil }
    guard let text = String(utf8: bytes) else {
      throw damaged("it is not text")
    }
    return try IdentityFile(text: text)
  }

  /// Returns the identity with its private key; nil if the key is missing or another replica's, as
  /// in a restored backup.
  ///
  /// The store must then take a new identity.
  /// - Throws: ``StoreError`` `ioFailed` if the key cannot be read, which is no reason to take a
  ///   new identity.
  package func identity(_ folder: some IdentityFolder) throws(StoreError) -> Identity? {
    guard let bytes = try folder.content(of: .key),
      let text = String(utf8: bytes),
      let seed = Hex.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let identity = try? Identity(seed: seed), identity.id == replica
    else { return nil }
    return identity
  }

  /// Writes the key and then the file, durably.
  ///
  /// In this order, an identity without its key is never seen.
  package func write(_ folder: some IdentityFolder, key identity: Identity) throws {
    try folder.replace(.key, with: Hex.encode(identity.seed) + "\n")
    try write(folder)
  }

  package func write(_ folder: some IdentityFolder) throws {
    try folder.replace(.identity, with: text)
  }
}

/// A folder with the two files of an identity: that of a store, or one on a simulated disk.
package protocol IdentityFolder: Sendable {
  /// The folder's name, for messages.
  var name: String { get }

  /// Returns the content of a file; nil if there is none.
  /// - Throws: ``StoreError`` `ioFailed` if it cannot be read.
  func content(of file: IdentityFile.Name) throws(StoreError) -> [UInt8]?

  /// Writes a file durably and as a whole, in the place of an old one.
  /// - Throws: ``StoreError`` `noSpace` or `ioFailed`.
  func replace(_ file: IdentityFile.Name, with text: String) throws(StoreError)

  /// Returns the error that says that no store is here.
  /// - Throws: ``StoreError`` `ioFailed` if that cannot be found out.
  func isNoStore() throws(StoreError) -> StoreError
}

extension IdentityFile {
  /// The names of the two files.
  package enum Name: String, Sendable {
    case identity
    case key = "identity.key"
  }
}

extension StoreFiles: IdentityFolder {
  package var name: String { folder.lastPathComponent }

  package func content(of file: IdentityFile.Name) throws(StoreError) -> [UInt8]? {
    try DiskPath.read(path(file)).map(Array.init)
  }

  package func replace(_ file: IdentityFile.Name, with text: String) throws(StoreError) {
    try DurableFile.write(text, to: path(file), mode: file == .key ? 0o600 : 0o644)
  }

  package func isNoStore() throws(StoreError) -> StoreError {
    let place = folder.path(percentEncoded: false)
    if try DiskPath.exists(log) {
      return StoreError(
        .notAStore, "“\(place)” has a log, and no file “identity”",
        hint: "If it was a store, `evtool repair` makes the file again, with `--from` another copy "
          + "if the key is gone too. If a restore was interrupted, remove it and restore again")
    }
    return StoreError(
      .notAStore,
      try DiskPath.exists(place)
        ? "“\(place)” is not a store" : "there is no store at “\(place)”",
      hint: "Make one with `evtool init \(place)`")
  }

  private func path(_ file: IdentityFile.Name) -> String {
    switch file {
    case .identity: identity
    case .key: key
    }
  }
}
