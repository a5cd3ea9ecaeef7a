import Daybook
import DaybookEngine
package import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
public import DaybookReplication
public import Foundation

/// The folder with all data of a hub.
///
/// ```
/// authority.key    certifies the hub to its clients: 64 hexadecimal digits, mode 600
/// tokens           the access tokens; see ``TokenFile``
/// zones/NAME/      a zone: a store's folder
/// inspect/NAME/    the store by which a zone is inspected, if somebody has
/// ```
/// The process that serves the folder holds a lock on it. A process that changes one of these files
/// holds a lock on `zones`. The locks are on folders, as files could be removed.
public struct HubFolder: Sendable {
  public let url: URL

  public init(_ url: URL) { self.url = url }

  var authorityPath: String { path("authority.key") }
  var tokensPath: String { path("tokens") }
  var zonesPath: String { path("zones") }

  private func path(_ name: String) -> String {
    url.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// Creates what is missing: the folder and, the first time, the authority's key.
  ///
  /// - Throws: ``HubError``: `.damaged` if there are zones but no authority key, as a new key would
  ///   lock out every client; `.ioFailed`.
  public func prepare() throws {
    do { try DiskPath.makeFolder(zonesPath) } catch {
      throw HubError(.ioFailed, "the hub's folder cannot be made", cause: error.message)
    }
    try changing {
      guard try !DiskPath.exists(authorityPath) else { return }
      guard try zoneNames().isEmpty else {
        throw HubError(
          .damaged, "the hub has zones, and its authority.key is gone",
          hint: "Put the key back from where you keep it: clients trust no other")
      }
      try DurableFile.write(
        Hex.encode(Random.bytes(32)) + "\n", to: authorityPath, mode: 0o600)
    }
  }

  /// Reads the key that certifies this hub.
  /// - Throws: ``HubError``: `.notFound` without a key; `.damaged` for an invalid key; `.ioFailed`.
  package func authority() throws(HubError) -> Identity {
    let data: Data?
    do { data = try DiskPath.read(authorityPath) } catch {
      throw HubError(
        .ioFailed, "authority.key cannot be read", hint: "Check its owner and permissions",
        cause: error.message)
    }
    guard let data else {
      throw HubError(
        .notFound, "“\(url.lastPathComponent)” is no hub's folder",
        hint: "Make one with `evtool token create` or `evtool serve`")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard let seed = Hex.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let identity = try? Identity(seed: seed)
    else {
      throw HubError(
        .damaged, "authority.key is not 64 hexadecimal digits",
        hint: "Put the key back from where you keep it: clients trust no other")
    }
    return identity
  }

  // MARK: - Zones

  /// Lists the zones, sorted by name.
  /// - Throws: ``HubError`` `.ioFailed`.
  public func zoneNames() throws -> [ZoneName] {
    let names: [String]?
    do { names = try DiskPath.list(zonesPath) } catch {
      throw HubError(.ioFailed, "the hub's zones cannot be listed", cause: error.message)
    }
    guard let names else {
      throw HubError(
        .ioFailed, "the hub's zones cannot be listed", cause: "there is no folder “zones”")
    }
    return names.compactMap { ZoneName($0) }.sorted()
  }

  func folder(of name: ZoneName) -> URL {
    URL(fileURLWithPath: zonesPath, isDirectory: true)
      .appending(path: name.description, directoryHint: .isDirectory)
  }

  /// The folder of the store by which a zone is inspected; see ``ZoneInspections``.
  func inspectorFolder(of name: ZoneName) -> URL {
    url.appending(path: "inspect", directoryHint: .isDirectory)
      .appending(path: name.description, directoryHint: .isDirectory)
  }

  /// Returns whether there is a zone of that name.
  /// - Throws: ``HubError`` `.ioFailed` if the folder cannot be read.
  public func hasZone(_ name: ZoneName) throws(HubError) -> Bool {
    do { return try DiskPath.exists(folder(of: name).path(percentEncoded: false)) } catch {
      throw HubError(.ioFailed, "the hub's zones cannot be looked at", cause: error.message)
    }
  }

  /// Creates a zone. A running hub sees either all of it or none.
  ///
  /// - Parameter id: The identifier of a zone that clients know from a lost hub; nil for a new one.
  /// - Throws: ``HubError`` `.exists`; `StoreError`; `LogError`.
  @discardableResult
  public func createZone(_ name: ZoneName, id: ZoneID? = nil) throws -> ZoneID {
    try prepare()
    let authority = try authority()
    return try changing {
      guard try !hasZone(name) else { throw HubError(.exists, "there is a zone \(name) already") }
      let place = folder(of: name)
      // This is not a valid zone name, so no process opens the folder.
      let aside = URL(
        fileURLWithPath: "\(zonesPath)/.new-\(Hex.encode(Random.bytes(8)))", isDirectory: true)
      do {
        let zone = try Zone.open(at: aside, authority: authority, id: id)
        let made = zone.zone
        try zone.close()
        try DiskPath.move(aside.path(percentEncoded: false), to: place.path(percentEncoded: false))
        // Otherwise, a power failure could remove the zone with all its events.
        try DiskPath.sync(folder: zonesPath)
        return made
      } catch {
        try? FileManager.default.removeItem(at: aside)
        throw error
      }
    }
  }

  // MARK: - Locks

  /// Runs `body` under the lock on the hub's zones, for changes by one process at a time.
  func changing<T>(_ body: () throws -> T) throws -> T {
    let lock = FolderLock(zonesPath, name: "the lock on the hub's zones")
    try lock.lock(.exclusive, timeout: .seconds(30))
    defer { lock.unlock() }
    return try body()
  }

  /// Takes the lock that is held while the hub runs. Two hubs would stamp the same zone with one
  /// identity.
  /// - Throws: ``HubError`` `.inUse` if another process serves the folder.
  func lockForServing() throws -> FolderLock {
    let lock = FolderLock(url.path(percentEncoded: false), name: "the lock on the hub's folder")
    guard try lock.tryLock(.exclusive) else {
      throw HubError(
        .inUse, "another process serves “\(url.lastPathComponent)”",
        hint: "One hub serves a folder; stop the other, or use another folder")
    }
    return lock
  }
}

enum Random {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
