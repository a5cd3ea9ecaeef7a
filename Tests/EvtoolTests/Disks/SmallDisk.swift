import Foundation
import Testing

/// A file system of a few megabytes in memory, which can be filled to the last byte and made
/// larger. Only the superuser of Linux can make one.
final class SmallDisk {
  static let isPermitted = (try? SmallDisk(kibibytes: 64)) != nil
  static let reason: Comment = "mounting a tmpfs takes Linux and its superuser"

  private let folder: TemporaryFolder
  private var ballast = 0

  /// - Parameter files: The maximal number of files and folders; nil for no limit but the room.
  init(kibibytes: Int, files: Int? = nil) throws {
    folder = try TemporaryFolder()
    let limit = files.map { ",nr_inodes=\($0)" } ?? ""
    try Self.run(
      "mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k\(limit)", "tmpfs", folder.url.path)
  }

  deinit { try? Self.run("umount", "-l", folder.url.path) }

  func path(_ name: String) -> String { folder.path(name) }

  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { !$0.hasPrefix("ballast") }
    }
  }

  /// Writes until nothing more fits but `bytes`.
  func fill(leaving bytes: Int = 0) throws {
    ballast += 1
    let file = path("ballast-\(ballast)")
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let page = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, page, page.count) > 0 {}
    #expect(errno == ENOSPC)
    var status = stat()
    fstat(descriptor, &status)
    ftruncate(descriptor, max(0, status.st_size - off_t(bytes)))
  }

  /// Makes files until there can be no other but `left`.
  func fillNames(leaving left: Int = 0) throws {
    var made: [String] = []
    while true {
      let file = path("ballast-name-\(made.count)")
      let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o644)
      guard descriptor >= 0 else { break }
      close(descriptor)
      made.append(file)
    }
    #expect(errno == ENOSPC)
    for file in made.suffix(left) { unlink(file) }
  }

  /// Makes room for names again.
  func removeBallast() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where name.hasPrefix("ballast") { unlink(path(name)) }
  }

  func grow(toKibibytes size: Int) throws {
    try Self.run("mount", "-o", "remount,size=\(size)k", folder.url.path)
  }

  private static func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }
}
