import Foundation
import Testing

/// A user who owns nothing, as whom the superuser of Linux can run a command.
enum Nobody {
  static let isPermitted = getuid() == 0 && (try? command) != nil
  static let reason: Comment = "running as another user takes the superuser, and setpriv"

  /// Runs evtool, or a copy of it where the build's folder is not for everybody.
  static var command: [String] {
    get throws { try installed.get() }
  }

  /// For the copy.
  private static let folder = FileManager.default.temporaryDirectory.appending(
    path: "evtool-for-everybody-\(getpid())")
  private static let id = "65534"
  private static let setpriv = [
    "/usr/bin/env", "setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups",
  ]

  private static let installed = Result<[String], any Error> {
    let binary = Evtool.binary.path
    let parent = FileManager.default.temporaryDirectory.path
    guard runs(setpriv + ["test", "-x", parent]) else { throw CocoaError(.fileReadNoPermission) }
    if runs(setpriv + [binary, "--version"]) { return setpriv + [binary] }
    atexit { try? FileManager.default.removeItem(at: Nobody.folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in try [binary] + libraries(of: binary) {
      let copy = folder.appending(path: URL(fileURLWithPath: file).lastPathComponent).path
      try Data(contentsOf: URL(fileURLWithPath: file)).write(to: URL(fileURLWithPath: copy))
      chmod(copy, 0o755)
    }
    let copied =
      setpriv + [
        "/usr/bin/env", "LD_LIBRARY_PATH=\(folder.path)", folder.appending(path: "evtool").path,
      ]
    guard runs(copied + ["--version"]) else { throw CocoaError(.executableLoad) }
    return copied
  }

  private static func runs(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// What `ldd` finds: lines of `name => path (address)`.
  private static func libraries(of binary: String) throws -> [String] {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ldd", binary]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return output.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /=> (\/\S+)/).map { String($0.1) }
    }.filter { !$0.contains("libc.so") && !$0.contains("ld-linux") }
  }
}
