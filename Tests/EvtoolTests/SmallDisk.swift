import Foundation
import Testing

/// A file system of a few megabytes, in memory, that can be filled to the last byte and made larger.
/// Making one is for the superuser of Linux.
final class SmallDisk {
  static let isPermitted = (try? SmallDisk(kibibytes: 64)) != nil
  static let reason: Comment = "mounting a tmpfs takes Linux and its superuser"

  private let folder: TemporaryFolder
  private var ballast = 0

  init(kibibytes: Int) throws {
    folder = try TemporaryFolder()
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", folder.url.path)
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
