internal import Foundation

/// A running `evtool serve` on a port that is free.
final class HubProcess {
  let url: String
  let port: Int
  private let process = Process()

  /// - Parameters:
  ///   - evtool: the program.
  ///   - options: as the command takes them; without tokens unless told otherwise.
  ///   - messages: a file for what it says at its usual level; nil to hear of errors only, and drop them.
  init(
    _ evtool: String, _ folder: URL, _ options: [String] = ["--insecure-local"],
    messages: URL? = nil
  ) throws {
    process.executableURL = URL(fileURLWithPath: evtool)
    process.arguments =
      ["serve", folder.path(percentEncoded: false), "--listen", "127.0.0.1:0"] + options
    var environment = ProcessInfo.processInfo.environment
    environment["DAYBOOK_LOG"] = messages == nil ? "error" : "info"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    if let messages {
      _ = FileManager.default.createFile(
        atPath: messages.path(percentEncoded: false), contents: nil)
      process.standardError = try FileHandle(forWritingTo: messages)
    }
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
  var peakMemory: Int { Self.peakMemory(of: process.processIdentifier) }

  static func peakMemory(of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Seconds of processors that it has taken, in hundredths; 0 where the system does not tell.
  var processorHundredths: Int {
    let stat = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // Behind the name, which may hold anything, the 12th and 13th field.
    let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
  }

  /// Stops it, and waits until it has.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  deinit { if process.isRunning { process.terminate() } }
}
