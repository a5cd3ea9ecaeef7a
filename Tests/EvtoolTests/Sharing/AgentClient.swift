import Foundation
import Testing

/// A client of `evtool mcp`, which writes requests and reads the answers line by line.
final class AgentClient {
  enum Version { case session, stateless }

  let process = Process()
  private let version: Version
  private let input = Pipe()
  private let output = Pipe()
  private var received = Data()
  private var nextID = 1

  /// Starts the server, and begins a session if the version has any.
  init(_ store: String, _ arguments: String..., version: Version = .session) throws {
    self.version = version
    process.executableURL = Evtool.binary
    process.arguments = ["mcp", store] + arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard version == .session else { return }
    let begun = try request("initialize", ["protocolVersion": "2025-11-25", "capabilities": [:]])
    #expect((begun["result"] as? [String: Any])?["protocolVersion"] as? String == "2025-11-25")
    send(["jsonrpc": "2.0", "method": "notifications/initialized"])
  }

  deinit { if process.isRunning { process.terminate() } }

  // MARK: - Lines

  func send(_ message: Any) {
    let json = try? JSONSerialization.data(withJSONObject: message, options: [.fragmentsAllowed])
    send(line: json ?? Data())
  }

  func send(line: Data) { try? input.fileHandleForWriting.write(contentsOf: line + [0x0A]) }

  /// Reads the next message; nil if the server has ended.
  func next() throws -> [String: Any]? {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        let line = received[received.startIndex..<end]
        received = received[(end + 1)...]
        let json = try JSONSerialization.jsonObject(with: Data(line))
        return try #require(json as? [String: Any])
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      received.append(more)
    }
  }

  func endInput() { try? input.fileHandleForWriting.close() }
  func closeOutput() { try? output.fileHandleForReading.close() }

  // MARK: - Requests

  /// Sends a request without waiting for its answer.
  /// - Returns: its id.
  func begin(_ method: String, _ params: [String: Any]) -> Int {
    var params = params
    if version == .stateless {
      params["_meta"] = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": [:] as [String: Any],
      ]
    }
    defer { nextID += 1 }
    send(["jsonrpc": "2.0", "id": nextID, "method": method, "params": params])
    return nextID
  }

  func request(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
    let id = begin(method, params)
    let answer = try #require(try next())
    #expect(answer["id"] as? Int == id && answer["jsonrpc"] as? String == "2.0", "\(answer)")
    return answer
  }

  func result(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
    let answer = try request(method, params)
    return try #require(answer["result"] as? [String: Any], "\(answer)")
  }

  /// The result of a tool that succeeds.
  @discardableResult
  func call(_ tool: String, _ arguments: [String: Any] = [:]) throws -> [String: Any] {
    let result = try result("tools/call", ["name": tool, "arguments": arguments])
    #expect(result["isError"] as? Bool == false, "\(tool): \(result)")
    return try #require(result["structuredContent"] as? [String: Any], "\(tool): \(result)")
  }

  /// The words of a tool that refuses.
  func refusal(_ tool: String, _ arguments: [String: Any] = [:]) throws -> String {
    let result = try result("tools/call", ["name": tool, "arguments": arguments])
    #expect(result["isError"] as? Bool == true, "\(tool): \(result)")
    let content = try #require(result["content"] as? [[String: Any]])
    return try #require(content.first?["text"] as? String)
  }
}
