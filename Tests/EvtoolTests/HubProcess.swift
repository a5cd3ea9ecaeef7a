import Foundation
import Testing

/// A running `evtool serve`.
final class HubProcess {
  let running: RunningEvtool
  let port: Int

  /// - Parameter port: 0 for one that is free.
  init(_ folder: String, port: Int = 0, arguments: [String] = []) throws {
    running = try RunningEvtool(
      ["serve", folder, "--listen", "127.0.0.1:\(port)"] + arguments,
      environment: ["DAYBOOK_LOG": "error"])
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
