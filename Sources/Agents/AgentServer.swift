package import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLocks

/// A server of the Model Context Protocol on a store, for agents.
///
/// It takes the messages of a client and sends answers; how they travel is the caller's business.
/// It speaks version 2025-11-25, whose sessions begin with `initialize`, and version 2026-07-28,
/// whose requests stand alone. Requests run at the same time, and a client can cancel them. But one
/// that comes after a call that writes waits for it: a client may send both without waiting, and
/// the second may need what the first has written.
package final class AgentServer: Sendable {
  private struct State {
    /// Whether a client has begun a session by `initialize`.
    var hasSession = false
    var running: [AgentMessage.ID: Task<Void, Never>] = [:]
    /// The latest call that writes, with which the ones before it have ended.
    var latestWrite: Task<Void, Never>?
    var isClosed = false
  }

  private let session: AgentSession
  private let version: String
  private let tools: [String: AgentTool]
  private let toolsJSON: JSONValue
  private let send: @Sendable ([UInt8]) -> Void
  private let state = Mutex(State())

  /// The most requests that run at once; the next one is refused.
  private static let runningMax = 64

  /// - Parameters:
  ///   - store: the store, which stays open until ``finish()`` has returned.
  ///   - actor: the author of what the agent writes.
  ///   - isReadOnly: whether there are no tools that write.
  ///   - version: the version of the program, for clients to show.
  ///   - send: gets each message for the client, without a line break.
  package init(
    _ store: Store, actor: String, isReadOnly: Bool, version: String,
    send: @escaping @Sendable ([UInt8]) -> Void
  ) {
    session = AgentSession(store, actor: actor, isReadOnly: isReadOnly)
    self.version = version
    self.send = send
    let all =
      AgentTool.reading + AgentTool.graph + AgentTool.past + (isReadOnly ? [] : AgentTool.writing)
    tools = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    toolsJSON = .array(all.map(\.json))
  }

  // MARK: - Messages

  /// Takes a line from the client. Its answer, if it has one, is sent when it is there.
  package func take(_ line: [UInt8]) {
    // An empty line is no message, and no harm.
    guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
    let message: AgentMessage
    do throws(AgentMessage.Malformed) { message = try AgentMessage(line) } catch {
      return send(AgentMessage.answer(error.id, .failure(error.error)))
    }
    switch message {
    case .response: break
    case .notification("notifications/cancelled", let params):
      guard let id = AgentMessage.ID(params["requestId"]) else { return }
      state.withLock { $0.running[id] }?.cancel()
    case .notification: break
    case .request(let id, let method, let params): begin(id, method, params)
    }
  }

  private func begin(_ id: AgentMessage.ID, _ method: String, _ params: JSONValue) {
    let refusal = state.withLock { state -> String? in
      if state.isClosed { return "the server is ending" }
      if state.running[id] != nil { return "a request with that id is still running" }
      if state.running.count >= Self.runningMax {
        return "\(Self.runningMax) requests are running already"
      }
      let before = method == "ping" ? nil : state.latestWrite
      let task = Task { [self] in
        await before?.value
        let outcome = await answer(method, params)
        let isWanted = !Task.isCancelled
        self.state.withLock { _ = $0.running.removeValue(forKey: id) }
        // A cancelled request has no answer.
        if isWanted { send(AgentMessage.answer(id, outcome)) }
      }
      // Registered before it can end, because ending needs the lock.
      state.running[id] = task
      if writes(method, params) { state.latestWrite = task }
      return nil
    }
    if let refusal { send(AgentMessage.answer(id, .failure(.init(.invalidRequest, refusal)))) }
  }

  private func writes(_ method: String, _ params: JSONValue) -> Bool {
    guard method == "tools/call", case .text(let name)? = params["name"] else { return false }
    return tools[name].map { $0.effect != .reads } ?? false
  }

  /// Waits for the running requests, cancelled or not, and takes no more.
  /// - Parameter isCancelling: true if the client no longer reads answers.
  package func finish(isCancelling: Bool) async {
    let running = state.withLock { state in
      state.isClosed = true
      return Array(state.running.values)
    }
    if isCancelling { for task in running { task.cancel() } }
    for task in running { await task.value }
  }

  // MARK: - Requests

  private func answer(_ method: String, _ params: JSONValue) async
    -> Result<JSONValue, ProtocolError>
  {
    do {
      let version = try era(method, params)
      return .success(try await result(method, params, version))
    } catch let error as ProtocolError { return .failure(error) } catch {
      return .failure(.init(.internalError, CallFailure(error).text))
    }
  }

  /// Returns the version that a request is of.
  /// - Throws: ``ProtocolError`` if it is of no version that the server speaks, or comes before its
  ///   session.
  private func era(_ method: String, _ params: JSONValue) throws(ProtocolError) -> ProtocolVersion {
    if let said = params["_meta"]?[ProtocolVersion.key] {
      guard case .text(let text) = said, text == ProtocolVersion.stateless.rawValue else {
        throw ProtocolError(
          .unsupportedVersion, "the protocol version is \(said.summary)",
          data: .object([("supported", ProtocolVersion.supported), ("requested", said)]))
      }
      return .stateless
    }
    switch method {
    case "initialize", "ping": return .session
    case "server/discover":
      throw ProtocolError(
        .invalidParams, "the request has no version: give \(ProtocolVersion.key) in _meta")
    default:
      guard state.withLock({ $0.hasSession }) else {
        throw ProtocolError(
          .invalidRequest, "no session has begun: call initialize first",
          data: .object([("supported", ProtocolVersion.supported)]))
      }
      return .session
    }
  }

  private func result(
    _ method: String, _ params: JSONValue, _ version: ProtocolVersion
  ) async throws -> JSONValue {
    switch (method, version) {
    case ("initialize", .session):
      state.withLock { $0.hasSession = true }
      return .object([
        ("protocolVersion", .text(ProtocolVersion.session.rawValue)),
        ("capabilities", Self.capabilities), ("serverInfo", serverInfo),
        ("instructions", .text(instructions)),
      ])
    case ("server/discover", .stateless):
      return finished(
        [
          ("supportedVersions", ProtocolVersion.supported), ("capabilities", Self.capabilities),
          ("instructions", .text(instructions)),
        ], version, isCacheable: true)
    case ("ping", _): return finished([], version)
    case ("tools/list", _):
      return finished([("tools", toolsJSON)], version, isCacheable: true)
    case ("tools/call", _): return finished(try await call(params), version)
    case ("resources/list", _):
      return finished([("resources", AgentResources.list)], version, isCacheable: true)
    case ("resources/templates/list", _):
      return finished(
        [("resourceTemplates", AgentResources.templates)], version, isCacheable: true)
    case ("resources/read", _):
      guard case .text(let uri)? = params["uri"] else {
        throw ProtocolError(.invalidParams, "the request has no uri")
      }
      let contents = try await AgentResources(session: session).read(uri)
      return finished([("contents", contents)], version, isCacheable: true)
    default:
      throw ProtocolError(.methodNotFound, "there is no method “\(method.prefix(100))”")
    }
  }

  /// Returns a result with what its version asks for beside.
  /// - Parameter isCacheable: whether the result is of a kind that says how long it holds. It
  ///   always says 0, because any device may change the store.
  private func finished(
    _ members: [(key: String, value: JSONValue)], _ version: ProtocolVersion,
    isCacheable: Bool = false
  ) -> JSONValue {
    guard version == .stateless else { return .object(members) }
    var members = members
    members.append(("resultType", .text("complete")))
    if isCacheable {
      members.append(("ttlMs", .integer(0)))
      members.append(("cacheScope", .text("private")))
    }
    members.append(("_meta", .object([(ProtocolVersion.serverKey, serverInfo)])))
    return .object(members)
  }

  private static let capabilities = JSONValue.object([
    ("tools", .object([])), ("resources", .object([])),
  ])

  private var serverInfo: JSONValue {
    .object([
      ("name", .text("daybook")), ("title", .text("Daybook")), ("version", .text(version)),
    ])
  }

  private var instructions: String {
    let writing =
      session.isReadOnly
      ? "The store is served for reading only."
      : "Each call that writes is one event by “\(session.actor)”; undo and undo_all_of_actor take "
        + "events back."
    return "A Daybook store. Call schema first. \(writing)"
  }

  // MARK: - Tools

  private func call(_ params: JSONValue) async throws -> [(key: String, value: JSONValue)] {
    guard case .text(let name)? = params["name"] else {
      throw ProtocolError(.invalidParams, "the call names no tool")
    }
    guard let tool = tools[name] else {
      let isWriting = AgentTool.writing.contains { $0.name == name }
      throw ProtocolError(
        .invalidParams,
        isWriting
          ? "“\(name)” writes, and the server was started for reading only"
          : "there is no tool “\(name.prefix(100))”; tools/list lists them")
    }
    do {
      let arguments = try CallArguments(
        params["arguments"] ?? .object([]), for: name, tool.parameters)
      let result = JSONValue.object(try await tool.run(session, arguments))
      var writer = JSONWriter()
      writer.value(result)
      return [
        ("content", Self.content(writer.string)), ("structuredContent", result),
        ("isError", .boolean(false)),
      ]
    } catch let error as ProtocolError { throw error } catch {
      return [("content", Self.content(CallFailure(error).text)), ("isError", .boolean(true))]
    }
  }

  private static func content(_ text: String) -> JSONValue {
    .array([.object([("type", .text("text")), ("text", .text(text))])])
  }
}
