import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import Foundation
import Logging

/// A log handler that writes the library's messages to the error stream, one a line:
/// `2026-11-21T09:30:00.125Z notice  a torn tail … offset=4711 segment=3`.
struct LogLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let moment = ISO8601.text(Date.now.milliseconds) ?? ""
    var line = "\(moment) \(Text.padded(event.level.rawValue, 8))\(event.message)"
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for key in all.keys.sorted() {
      line += " \(key)=\(Self.quoted(all[key]?.description ?? ""))"
    }
    StandardError.line(Text.oneLine(line))
  }

  private static func quoted(_ text: String) -> String {
    text.isEmpty || text.contains(" ") ? "“\(text)”" : text
  }

  /// Returns the logger that the command line asks for.
  /// - Parameters:
  ///   - isVerbose: Whether `--verbose` was given. `$DAYBOOK_LOG` overrides it.
  ///   - usual: The level if neither is given; nil for no messages.
  /// - Throws: ``Failure`` if `$DAYBOOK_LOG` is not a level.
  static func logger(isVerbose: Bool, orElse usual: Logger.Level? = nil) throws(Failure) -> Logger {
    let wish = Environment["DAYBOOK_LOG"] ?? ""
    guard let unasked = isVerbose ? .debug : usual ?? (wish.isEmpty ? nil : .debug) else {
      return Logger(label: "evtool") { _ in SwiftLogNoOpLogHandler() }
    }
    guard let level = wish.isEmpty ? unasked : Logger.Level(rawValue: wish) else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(
        .usage, "DAYBOOK_LOG is \(wish.quotedForMessage), which is no level",
        hint: "Levels: \(levels)")
    }
    return Logger(label: "evtool") { _ in LogLines(logLevel: level) }
  }
}
