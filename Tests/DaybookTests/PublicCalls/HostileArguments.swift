import DaybookEventCore
import DaybookInterchange
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation
import Foundation

@testable import Daybook
@testable import DaybookEngine

/// Arguments that no well-meant program gives, for every public call.
struct HostileArguments {
  var random: SplitMix64
  /// Replicas that the store knows.
  var origins: [ReplicaID] = []
  /// Whether some calls of each kind must return; false if the store may refuse all.
  var isPossible = true

  static let texts = [
    "", " ", "\0", "a\0b", "'", "\"", "`", ";", "--", "/*", "x' OR 1=1 --", "\"; DROP TABLE notes",
    "%",
    "_", "*", "\\", "select", "SELECT", "rowid", "id", "rank", "oid", "_rowid_", "sqlite_schema",
    "_daybook_entities", "é", "e\u{301}", "\u{301}",
    "\u{FEFF}",
    "\u{202E}", "🙂\u{200D}", "漢字", "{", "}", "{\"a\":1}", "{\"\":", ":", "0:0", "/", "notes/",
    "/n1",
    "notes/n1", "-1", "9999-12-31", "0000-00-00", "2026-02-30T24:00:00Z",
    "ffff:18446744073709551615", "ffff:18446744073709551616", "nan", "OR", "-", "-x", "title:",
    "a b c", String(repeating: "x", count: 1025), String(repeating: "\"", count: 100),
    String(repeating: "ab ", count: 3000),
  ]
  /// Names that the store has.
  static let names = [
    "notes", "n1", "n2", "links", "l1", "title", "body", "weight", "kind", "settings",
  ]
  static let integers = [
    Int.min, .min + 1, Int(Int32.min) - 1, -1, 0, 1, 2, 3, 20, 64, Int(Int32.max),
    Int(UInt32.max) + 1,
    .max - 1, .max,
  ]
  static let sequences: [UInt64] = [
    0, 1, 2, 3, 1 << 32, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max,
  ]
  static let reals = [
    Double.nan, .signalingNaN, .infinity, -.infinity, -0.0, 0, -1, 1, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e308,
  ]
  static let durations: [Duration] = [
    .zero, .seconds(-1), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min),
    .milliseconds(1),
  ]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func text() -> String {
    random.chance(50) ? random.pick(Self.names) : random.pick(Self.texts)
  }

  mutating func optional<T>(_ make: (inout Self) -> T) -> T? {
    random.chance(40) ? nil : make(&self)
  }

  mutating func texts() -> [String] { (0..<random.pick(0...3)).map { _ in text() } }
  mutating func integer() -> Int { random.pick(Self.integers) }
  mutating func sequence() -> UInt64 { random.pick(Self.sequences) }
  mutating func real() -> Double { random.pick(Self.reals) }
  mutating func duration() -> Duration { random.pick(Self.durations) }
  mutating func flag() -> Bool { random.chance(50) }

  mutating func value() -> Value {
    switch random.pick(0...8) {
    case 0: .null
    case 1: .boolean(flag())
    case 2: .integer(Int64(integer()))
    case 3: .real(real())
    case 4, 5: .text(text())
    case 6: .blob(random.bytes(random.pick(0...20)))
    case 7: .timestamp(Int64(integer()))
    default: .json(random.chance(50) ? Array(text().utf8) : random.bytes(random.pick(0...20)))
    }
  }

  mutating func values() -> [String: Value] {
    var values: [String: Value] = [:]
    for _ in 0..<random.pick(0...3) { values[text()] = value() }
    return values
  }

  mutating func origin() -> ReplicaID {
    random.chance(60) && !origins.isEmpty
      ? random.pick(origins) : ReplicaID(high: random.next(), low: random.next())
  }

  mutating func event() -> EventID { EventID(origin(), sequence()) }

  mutating func vector() -> VersionVector {
    var vector = VersionVector()
    for _ in 0..<random.pick(0...3) { vector.include(origin(), sequence()) }
    return vector
  }

  mutating func position() -> Position {
    switch random.pick(0...2) {
    case 0: .event(event())
    case 1: .vector(vector())
    default: .time(Int64(integer()))
    }
  }

  mutating func vertex() -> Graph.Vertex { Graph.Vertex(text(), text()) }

  mutating func version() -> StoredEntity.Version {
    StoredEntity.Version(event: event(), operation: UInt32(truncatingIfNeeded: integer()))
  }

  mutating func definition() -> Definition {
    var definition = Definition(collection: text())
    let attributes = [
      "type", "search", "index", "unique", "references", "tree", "name", "position", "directed",
      "key",
      "local", "relationship", "exists", "tokenizer",
    ]
    for _ in 0..<random.pick(0...2) {
      definition.attributes[random.chance(80) ? random.pick(attributes) : text()] = value()
    }
    for _ in 0..<random.pick(0...3) {
      var field = Definition.Field(text())
      if flag() {
        field.attributes["type"] = .text(random.pick(["text", "real", "json", "integer"]))
      }
      for _ in 0..<random.pick(0...2) {
        field.attributes[random.chance(80) ? random.pick(attributes) : text()] = value()
      }
      definition.fields.append(field)
    }
    return definition
  }

  /// Places where no store, file or folder should be made.
  mutating func url(in folder: URL) -> URL {
    switch random.pick(0...6) {
    case 0: folder.appending(path: "no\0thing")
    case 1: folder.appending(path: String(repeating: "n", count: 300))
    case 2: folder.appending(path: "a/b/c/nothing")
    case 3: URL(string: "https://example.invalid/nothing") ?? folder
    case 4: folder.appending(path: "file")
    case 5: folder.appending(path: "it's \"odd\" %41?#;")
    default: folder.appending(path: String(repeating: "long/", count: 1000))
    }
  }

  /// Returns whether an error is of a type that the store's calls name.
  static func isTyped(_ error: any Error) -> Bool {
    // A peer's own calls throw `SyncError`, and reading an event's bytes throws `EventError`.
    error is StoreError || error is SyncError || error is CSVError || error is SQLiteImportError
      || error is EventError || error is CancellationError
  }
}
