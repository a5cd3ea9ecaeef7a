import Foundation

/// A running `evtool serve` on a free port.
final class MeasuredHub {
  let url: String
  let port: Int
  private let process = Process()

  /// Starts the hub and waits until it listens.
  ///
  /// - Parameters:
  ///   - evtool: The path of the program.
  ///   - options: Options of the command; by default it needs no tokens.
  ///   - messages: A file for messages at the usual level; nil to log only errors, and drop them.
  /// - Throws: ``BenchError`` if the hub does not listen.
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

  /// Makes a token that writes to a zone.
  /// - Throws: ``BenchError`` if the program makes none.
  static func token(_ evtool: String, _ folder: URL, zone: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: evtool)
    process.arguments = [
      "token", "create", folder.path(percentEncoded: false), "--zone", zone, "--write",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let token = text.split(separator: "\n").first(where: { $0.hasPrefix("daybook_") }) else {
      throw BenchError("no token was made")
    }
    return String(token)
  }

  /// The hub's peak memory, in KiB; 0 if the system does not report it.
  var peakMemory: Int { Self.peakMemory(of: process.processIdentifier) }

  static func peakMemory(of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Processor time of the hub in hundredths of a second; 0 if the system does not report it.
  var processorHundredths: Int {
    let stat = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // The 12th and 13th field after the name, which may contain any character.
    let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
  }

  /// Stops the hub, and waits until it has ended.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  deinit { if process.isRunning { process.terminate() } }
}
