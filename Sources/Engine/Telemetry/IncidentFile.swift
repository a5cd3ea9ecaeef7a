import DaybookLocks
import Foundation
import Logging

/// The file `incidents` of a store: its latest log messages of level notice or above.
///
/// It keeps them for when the process that met them is gone. Each line is one JSON object, the
/// latest last, ``countMax`` lines at most; an incident that happened before increases its count.
///
/// The file serves people, and nothing relies on it. It is not synced, two processes that write it
/// at once may lose a line, and its own errors are ignored. If it cannot be read, it is not
/// overwritten.
final class IncidentFile: Sendable {
  private struct Line: Codable {
    var time: Int64
    var count: Int
    var level: Incident.Level
    var message: String
    var facts: [String: String]
  }

  private let path: String
  private let clock: @Sendable () -> Int64
  private let turn = Mutex(())

  static let countMax = 64
  private static let bytesMax = 1 << 20
  /// The most characters of a message or of a fact.
  private static let textMax = 500

  /// - Parameter clock: the current time, in milliseconds since 1970.
  init(_ files: StoreFiles, clock: @escaping @Sendable () -> Int64) {
    path = files.incidents
    self.clock = clock
  }

  /// Returns the incidents, the latest last; none if there is no file or it is too large.
  /// - Throws: ``StoreError`` `ioFailed` if it cannot be read.
  static func read(_ path: String) throws(StoreError) -> [Incident] {
    guard try DiskPath.kind(path) == .file, let size = try DiskPath.size(path), size <= bytesMax,
      let data = try DiskPath.read(path)
    else { return [] }
    return data.split(separator: 0x0A).compactMap { line in
      (try? JSONDecoder().decode(Line.self, from: Data(line))).map {
        Incident(
          time: $0.time, count: max($0.count, 1), level: $0.level, message: $0.message,
          facts: $0.facts)
      }
    }
  }

  func note(_ level: Incident.Level, _ message: String, _ facts: [String: String]) {
    turn.withLock { _ in
      var incident = Incident(
        time: clock(), count: 1, level: level, message: Self.cut(message),
        facts: facts.mapValues(Self.cut))
      guard var all = try? Self.read(path) else { return }
      if let known = all.firstIndex(where: { $0.isLike(incident) }) {
        incident.count = all[known].count < .max ? all[known].count + 1 : .max
        all.remove(at: known)
      }
      all.append(incident)
      write(all.suffix(Self.countMax))
    }
  }

  private static func cut(_ text: String) -> String { String(text.prefix(textMax)) }

  private func write(_ incidents: ArraySlice<Incident>) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = Data()
    for one in incidents {
      let line = Line(
        time: one.time, count: one.count, level: one.level, message: one.message, facts: one.facts)
      guard let encoded = try? encoder.encode(line) else { continue }
      data += encoded + [0x0A]
    }
    DurableFile.note(data, at: path)
  }
}

extension Incident {
  /// Returns whether this is the same problem again, whatever its figures.
  fileprivate func isLike(_ other: Incident) -> Bool {
    let places = ["segment", "offset", "code", "origin", "copy"]
    return level == other.level && message == other.message
      && places.allSatisfy { facts[$0] == other.facts[$0] }
  }
}

/// A log handler that notes messages of level notice or above in a store's ``IncidentFile``.
struct IncidentLogHandler: LogHandler {
  let file: IncidentFile
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  init(_ file: IncidentFile) { self.file = file }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let level: Incident.Level =
      switch event.level {
      case .trace, .debug, .info, .notice: .notice
      case .warning: .warning
      case .error, .critical: .error
      }
    file.note(level, "\(event.message)", (event.metadata ?? [:]).mapValues(\.description))
  }
}
