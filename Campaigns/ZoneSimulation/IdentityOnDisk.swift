internal import Daybook
internal import EventCore
internal import LogEngine
internal import Simulation

/// A store's `identity` and `identity.key` on a simulated disk, written as in a real store.
///
/// Each file appears whole or not at all, the key first.
struct IdentityOnDisk {
  private static let file = "identity"
  private static let key = "identity.key"

  let storage: SimulatedStorage

  /// Returns the identity file; nil if the disk has none yet.
  func read() throws -> IdentityFile? {
    guard let bytes = try read(Self.file) else { return nil }
    return try IdentityFile(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the identity with its private key; nil if the key is missing or belongs to another.
  func identity(of file: IdentityFile) throws -> Identity? {
    guard let bytes = try read(Self.key),
      let seed = Hex.decode(String(decoding: bytes, as: UTF8.self)),
      let identity = try? Identity(seed: seed), identity.id == file.replica
    else { return nil }
    return identity
  }

  func write(_ file: IdentityFile, key identity: Identity) throws {
    try write(Self.key, Hex.encode(identity.seed))
    try write(file)
  }

  func write(_ file: IdentityFile) throws { try write(Self.file, file.text) }

  /// Removes the key, as a backup does: a restored store takes a new identity.
  static func removeKey(from disk: SimulatedDisk) { disk.removeFile(key) }

  private func read(_ name: String) throws -> [UInt8]? {
    do throws(LogError) {
      let file = try storage.open(name, .read)
      return try file.read(at: 0, count: Int(try file.size()))
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  private func write(_ name: String, _ text: String) throws {
    let file = try storage.open(name + ".new", .create)
    try file.write(Array(text.utf8), at: 0)
    try file.sync()
    try storage.rename(name + ".new", to: name)
    try storage.syncFolder("")
  }
}
