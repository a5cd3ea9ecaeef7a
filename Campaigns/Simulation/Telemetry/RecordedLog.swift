import DaybookLocks
package import Logging

/// A log in memory, for tests to inspect.
package final class RecordedLog: Sendable {
  package struct Line: Sendable {
    package var level: Logger.Level
    package var message: String
    package var metadata: [String: String]

    package var text: String {
      message + metadata.map { " \($0.key)=\($0.value)" }.joined()
    }
  }

  private let recorded = Mutex<[Line]>([])

  package init() {}

  package var lines: [Line] { recorded.withLock { $0 } }

  /// Returns the first line whose message contains `words`; nil if there is none.
  package func first(_ words: String) -> Line? { lines.first { $0.message.contains(words) } }

  /// Returns a logger that writes here, from `level` on.
  package func logger(_ level: Logger.Level = .trace) -> Logger {
    Logger(label: "test") { _ in Handler(log: self, logLevel: level) }
  }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let line = Line(
        level: event.level, message: "\(event.message)",
        metadata: all.mapValues(\.description))
      log.recorded.withLock { $0.append(line) }
    }
  }
}
