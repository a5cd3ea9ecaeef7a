import DaybookEventCore

@testable import DaybookReferenceModel

/// Events as replicas may hold them, and what their generator knows of them.
struct EventSet {
  let seed: UInt64
  /// Of each origin, its events from the first on.
  let events: [ReplicaID: [EncodedEvent]]
  /// Of each origin, the chain value after each of its events.
  let chains: [ReplicaID: [Hash256]]
  /// Those that nobody of this version can read.
  let opaque: Set<EventID>
  let features: Set<EventFeature>

  var count: Int { events.values.reduce(0) { $0 + $1.count } }

  var vector: VersionVector {
    VersionVector(events.map { ($0.key, UInt64($0.value.count)) })
  }

  /// Every event in words, for reading when a comparison fails.
  func describe() -> String {
    var lines = ["seed \(seed)"]
    for origin in events.keys.sorted() {
      lines.append("origin \(origin)")
      for event in ReferenceEvent.read(events[origin] ?? [], of: origin) {
        let seen = event.seen.entries.map { "\($0.origin.description.prefix(6)):\($0.sequence)" }
        let time = event.envelope.map { "\($0.kind) \($0.authored)" } ?? "?"
        lines.append("  \(event.id.sequence) \(time) seen [\(seen.joined(separator: " "))]")
        lines += event.operations?.map { "    \($0)" } ?? ["    opaque"]
      }
    }
    return lines.joined(separator: "\n")
  }
}
