import DaybookEngine
import DaybookFrames
import DaybookLogEngine
import DaybookSimulation

/// A store's `identity` and `identity.key` on a simulated disk.
///
/// Each file appears whole or not at all, as in a real folder.
struct IdentityOnDisk: IdentityFolder {
  let storage: SimulatedStorage

  var name: String { "disk" }

  /// Removes the key, as a backup does: a restored store takes a new identity.
  static func removeKey(from disk: SimulatedDisk) {
    disk.removeFile(IdentityFile.Name.key.rawValue)
  }

  func content(of file: IdentityFile.Name) throws(StoreError) -> [UInt8]? {
    do throws(LogError) {
      let file = try storage.open(file.rawValue, .read)
      return try file.read(at: 0, count: Int(try file.size()))
    } catch {
      if error.code == .notFound { return nil }
      throw StoreError(error)
    }
  }

  func replace(_ file: IdentityFile.Name, with text: String) throws(StoreError) {
    let (name, temporary) = (file.rawValue, file.rawValue + ".new")
    do throws(LogError) {
      let file = try storage.open(temporary, .create)
      try file.write(Array(text.utf8), at: 0)
      try file.sync()
      try storage.rename(temporary, to: name)
      try storage.syncFolder("")
    } catch { throw StoreError(error) }
  }

  func isNoStore() throws(StoreError) -> StoreError {
    StoreError(.notAStore, "there is no store on this disk")
  }
}
