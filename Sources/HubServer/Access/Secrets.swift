import Logging
import ServiceLifecycle
import UnixSignals

/// What a hub reads from files that change while it runs: its certificate and its tokens.
struct Secrets {
  /// nil without TLS.
  let certificate: Certificate?
  let book: TokenBook
  let logger: Logger

  /// Reads everything again, and logs what came of it.
  /// - Throws: ``HubError`` of the first that cannot be used. The other counts nevertheless.
  func reload() throws(HubError) {
    let results = [
      Result { () throws(HubError) -> Void in try certificate?.reload() },
      Result { () throws(HubError) -> Void in try book.reload() },
    ]
    for case .failure(let error) in results {
      logger.error("the hub could not read all of it again", metadata: ["error": "\(error)"])
    }
    for result in results { try result.get() }
    logger.notice("the hub has read its certificate and tokens again")
  }
}

/// The reading again at each SIGHUP, until the hub stops.
struct Reloading: Service {
  let hangups: UnixSignalsSequence
  let secrets: Secrets

  func run() async throws {
    for await _ in hangups.cancelOnGracefulShutdown() {
      // The log says what is wrong, and the hub goes on.
      try? secrets.reload()
    }
  }
}
