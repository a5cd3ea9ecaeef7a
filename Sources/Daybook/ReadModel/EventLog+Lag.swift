import EventCore
import LogEngine

extension EventLog {
  /// Whether a read model that shows `vector` is so far behind that making it anew is quicker than
  /// applying what it lacks: that takes about ten times as long for each event and byte.
  /// Cost: looks at every frame's place, in memory.
  func isWorthRebuilding(from vector: VersionVector) -> Bool {
    var total = 0
    var missing = 0
    for entry in snapshot().whole.entries {
      let weight = entry.rawLength + 64 * entry.count
      total += weight
      if entry.lastSequence > vector[entry.origin] { missing += weight }
    }
    return missing > 256 << 10 && missing > total / 8
  }
}
