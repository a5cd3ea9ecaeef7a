import Foundation
import Testing

/// A running `evtool inspect`.
final class InspectProcess {
  let running: RunningEvtool
  /// The address of the page, with its token.
  let address: String
  let port: Int
  let token: String
  private let sender: RequestSender

  init(_ store: String, _ arguments: String..., actor: String = "ada") throws {
    running = try RunningEvtool(
      ["inspect", store, "--no-open", "--actor", actor] + arguments,
      environment: ["DAYBOOK_LOG": "error"])
    var line = ""
    while running.process.isRunning, !line.hasSuffix("\n") {
      line = try running.outputSoFar()
      usleep(5_000)
    }
    address = line.trimmingCharacters(in: .newlines)
    let errors = try running.errorsSoFar()
    let match = try #require(
      address.firstMatch(of: /^http:\/\/127\.0\.0\.1:(\d+)\/#token=([0-9a-f]{64})$/),
      "\(line)\(errors)")
    port = try #require(Int(match.1))
    token = String(match.2)
    sender = RequestSender(port: port, token: token)
  }

  func terminate() throws -> Evtool.Result {
    running.process.terminate()
    return try running.wait()
  }

  deinit { if running.process.isRunning { running.process.terminate() } }

  // MARK: - Requests

  func get(
    _ path: String, _ query: [String: String] = [:], headers: [String: String] = [:],
    token: String? = nil
  ) throws -> RequestSender.Answer {
    let pairs = query.map { "\($0.key)=\(Self.escaped($0.value))" }.sorted()
    let target = "/api/\(path)" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    return try request("GET", target, headers: headers, token: token)
  }

  func post(_ path: String, _ body: [String: Any] = [:], token: String? = nil) throws
    -> RequestSender.Answer
  {
    try request(
      "POST", "/api/\(path)", headers: ["Content-Type": "application/json"],
      body: try JSONSerialization.data(withJSONObject: body), token: token)
  }

  /// - Parameter token: the page's own where nil; none where empty.
  func request(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data? = nil,
    token: String? = nil
  ) throws -> RequestSender.Answer {
    try sender.request(method, target, headers: headers, body: body, token: token)
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }
}
