internal import Foundation

/// A running `evtool serve`, without tokens, on a port that is free.
final class HubProcess {
  let url: String
  let port: Int
  private let process = Process()

  /// - Parameter evtool: the program.
  init(_ evtool: String, _ folder: URL) throws {
    process.executableURL = URL(fileURLWithPath: evtool)
    process.arguments = [
      "serve", folder.path(percentEncoded: false), "--listen", "127.0.0.1:0", "--insecure-local",
    ]
    var environment = ProcessInfo.processInfo.environment
    environment["DAYBOOK_LOG"] = "error"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BenchError("the hub ended before it listened") }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let text = line.split(separator: ":").last?.dropLast(), let port = Int(text) else {
      throw BenchError("the hub does not say where it listens: \(line)")
    }
    self.port = port
    url = "http://127.0.0.1:\(port)"
  }

  /// The most memory that it had at once, in KiB; 0 where the system does not tell.
  var peakMemory: Int {
    let status = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Stops it, and waits until it has.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  deinit { if process.isRunning { process.terminate() } }
}
