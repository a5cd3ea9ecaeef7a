import DaybookEventCore
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// A running inspector: a page about one store, on this machine only.
package final class InspectorServer: Sendable {
  /// The address of the page with its token, such as `http://127.0.0.1:8420/#token=…`.
  package let address: String
  private let group: ServiceGroup
  private let running: Task<Void, any Error>

  /// Starts the server, and returns when it listens.
  /// - Parameters:
  ///   - inspection: the store, which stays open until ``stop()`` has returned.
  ///   - listen: `HOST:PORT`, of which the host is this machine's own. Port 0 takes a free one.
  /// - Throws: ``InspectorError`` if the address is none, is reachable by others, or is taken.
  package static func start(_ inspection: Inspection, listen text: String) async throws
    -> InspectorServer
  {
    guard let listen = ListenAddress(text) else {
      throw InspectorError(
        "“\(text)” is no address to listen on", hint: "Say it as 127.0.0.1:8420")
    }
    guard listen.isLoopback else {
      throw InspectorError(
        "the inspector listens on this machine only, and \(listen.host) is more",
        hint: "Listen on 127.0.0.1; others reach a store through a hub")
    }
    var generator = SystemRandomNumberGenerator()
    let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let token = Hex.encode(secret)
    let responder = InspectorResponder(
      .init(
        prefix: "", version: inspection.options.version,
        isAllowedHost: { ListenAddress.isLoopback($0) },
        find: { Hex.decode($0).map { isEqual($0, secret) } == true ? inspection : nil }))
    let (listening, said) = AsyncStream<Int?>.makeStream()
    let application = Application(
      responder: InspectorApplication(responder: responder),
      server: .http1(configuration: .init(idleTimeout: .seconds(120))),
      configuration: ApplicationConfiguration(
        address: .hostname(listen.host, port: listen.port)),
      onServerRunning: { said.yield($0.localAddress?.port) }, logger: quiet)
    var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
    configuration.maximumGracefulShutdownDuration = .seconds(2)
    let group = ServiceGroup(configuration: configuration)
    let running = Task {
      defer { said.finish() }
      try await group.run()
    }
    for await port in listening {
      let host = listen.host.unicodeScalars.contains(":") ? "[\(listen.host)]" : listen.host
      return InspectorServer(
        "http://\(host):\(port ?? listen.port)/#token=\(token)", group, running)
    }
    throw await failure(running, text)
  }

  private init(_ address: String, _ group: ServiceGroup, _ running: Task<Void, any Error>) {
    self.address = address
    self.group = group
    self.running = running
  }

  /// Ends the server. Requests in progress have two seconds.
  package func stop() async {
    await group.triggerGracefulShutdown()
    _ = await running.result
  }

  /// Compares two secrets. The time does not depend on where they differ.
  private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    var difference: UInt8 = a.count == b.count ? 0 : 1
    for (a, b) in zip(a, b) { difference |= a ^ b }
    return difference == 0
  }

  private static var quiet: Logger {
    Logger(label: "daybook.inspector") { _ in SwiftLogNoOpLogHandler() }
  }

  private static func failure(_ running: Task<Void, any Error>, _ address: String) async
    -> InspectorError
  {
    guard case .failure(let error) = await running.result else {
      return InspectorError("the inspector stopped before it listened", hint: nil)
    }
    let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
    return InspectorError(
      "the inspector cannot listen on \(address)"
        + ((error as? IOError).map { ": \(String(cString: strerror($0.errnoCode)))" } ?? ""),
      hint: isTaken
        ? "Another program listens there: name another port; port 0 takes one that is free"
        : "Say it as 127.0.0.1:8420; port 0 takes one that is free")
  }
}

/// Why an inspector cannot be started.
package struct InspectorError: ExplainedError {
  package var message: String
  package var hint: String?

  init(_ message: String, hint: String?) {
    self.message = message
    self.hint = hint
  }
}

private struct InspectorApplication: HTTPResponder {
  typealias Context = BasicRequestContext

  let responder: InspectorResponder

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    await responder.respond(to: request)
  }
}
