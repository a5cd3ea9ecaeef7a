import Foundation
import Testing

/// A running `evtool serve`.
final class HubProcess {
  let running: RunningEvtool
  let port: Int

  /// - Parameters:
  ///   - port: 0 for one that is free.
  ///   - files: that the process may have open at once; nil for as many as others.
  init(_ folder: String, port: Int = 0, arguments: [String] = [], files: Int? = nil) throws {
    let limited = files.map {
      ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\"", Evtool.binary.path]
    }
    running = try RunningEvtool(
      ["serve", folder, "--listen", "127.0.0.1:\(port)"] + arguments,
      environment: ["DAYBOOK_LOG": "error"], command: limited)
    var line = ""
    while running.process.isRunning, !line.hasSuffix("\n") {
      line = try running.outputSoFar()
      usleep(5_000)
    }
    let number = line.split(separator: ":").last.flatMap { Int($0.dropLast()) }
    self.port = try #require(number, "\(line)")
  }

  func url(_ zone: String = "team") -> String { "http://127.0.0.1:\(port)/\(zone)" }

  /// As the power goes: nothing is finished.
  func kill() {
    Foundation.kill(running.process.processIdentifier, SIGKILL)
    running.process.waitUntilExit()
  }

  func terminate() throws -> Evtool.Result {
    running.process.terminate()
    return try running.wait()
  }

  deinit { if running.process.isRunning { kill() } }
}
