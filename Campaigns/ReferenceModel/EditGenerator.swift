package import DaybookEventCore
package import DaybookSimulation

/// A generator of edits: of texts that were written before, with scripts that mostly fit.
package struct EditGenerator {
  /// An assignment that texts may begin with.
  package struct Base {
    var collection: String
    var id: String
    var field: String
    var event: EventID
    var operation: UInt32
    var isText: Bool
  }

  private(set) var bases: [Base] = []
  private(set) var features: Set<EventFeature> = []

  package init() {}

  /// Notes what an event assigns, so that later edits may begin with it.
  package mutating func note(_ operations: [Operation], _ event: EventID) {
    for (index, operation) in operations.enumerated() {
      func add(_ collection: String, _ id: String, _ field: String, isText: Bool) {
        bases.append(
          Base(
            collection: collection, id: id, field: field, event: event, operation: UInt32(index),
            isText: isText))
      }
      switch operation {
      case .insert(let collection, let id, let fields):
        for (name, value) in fields.sorted(by: { utf8Less($0.key, $1.key) }) {
          if case .text = value { add(collection, id, name, isText: true) }
        }
        // A text that nothing was assigned to begins with the insert.
        if fields["title"] == nil { add(collection, id, "title", isText: true) }
      case .update(let collection, let id, let fields):
        for (name, value) in fields.sorted(by: { utf8Less($0.key, $1.key) }) {
          switch value {
          case .text, .null: add(collection, id, name, isText: true)
          default: add(collection, id, name, isText: false)
          }
        }
      default: break
      }
    }
  }

  /// Returns some edits, or none if nothing was assigned yet.
  package mutating func edits(_ random: inout SplitMix64) -> [Operation] {
    guard !bases.isEmpty else { return [] }
    // Mostly one text, so that there are many edits of it.
    let base: Base
    if random.chance(60) {
      base = bases[random.pick(0...min(bases.count - 1, 4))]
    } else if random.chance(70) {
      base = bases[random.pick(max(0, bases.count - 6)...bases.count - 1)]
    } else {
      features.insert(.editOfOldBase)
      base = random.pick(bases)
    }
    return (0..<random.pick([1, 1, 1, 2, 5])).map { _ in edit(base, &random) }
  }

  private mutating func edit(_ base: Base, _ random: inout SplitMix64) -> Operation {
    features.insert(.edit)
    var (event, operation) = (base.event, base.operation)
    if random.chance(5) {
      features.insert(.editOfUnknownBase)
      event = EventID(event.origin, event.sequence + UInt64(random.pick(1...40)))
      operation = UInt32(random.pick(0...3))
    }
    var script = self.script(&random)
    if random.chance(4) {
      features.insert(.malformedScript)
      script += random.bytes(random.pick(1...4))
    }
    return .edit(
      TextEdit(
        collection: base.collection, id: base.id, field: base.field, base: event,
        baseOperation: operation, script: script, isComparison: random.chance(40)))
  }

  private func script(_ random: inout SplitMix64) -> [UInt8] {
    var script: [UInt8] = []
    func step(_ count: Int, _ kind: UInt8) { script.append(UInt8(count) << 2 | kind) }
    let inserted = Array(random.pick(["a", "oat ", "é", "🙂", "\n", "xyz"]).utf8)
    let at = random.pick([0, 0, 1, 2, 3, 5, 8, 13])
    if at > 0 { step(at, 0) }
    if random.chance(75) {
      step(inserted.count, 2)
      script += inserted
      if random.chance(20) { step(random.pick(1...2), 1) }
    } else {
      step(random.pick(1...3), 1)
    }
    if random.chance(10) {
      step(random.pick(1...4), 0)
      step(inserted.count, 2)
      script += inserted
    }
    return script
  }
}
