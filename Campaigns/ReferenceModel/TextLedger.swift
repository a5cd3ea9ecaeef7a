package import DaybookEventCore
package import DaybookSimulation

/// What authors typed and deleted in texts, to be held against the texts in the end.
///
/// Each scalar that is typed is another one, so a text tells by itself what became of each. Nothing
/// here merges anything: this is neither the product's way, nor that of ``ReferenceText``.
package struct TextLedger: Sendable {
  /// By the label of an event, the texts that its edits were written for, in their order.
  private var sights: [String: [Sight]] = [:]
  private var count: UInt32 = 0

  private struct Sight: Sendable {
    var id: String
    var text: String
  }

  package init() {}

  // MARK: - Typing

  /// Returns scalars that no text has yet.
  ///
  /// They are of three and of four bytes in turn, the latter of two UTF-16 code units.
  package mutating func scalars(_ number: Int) -> [Unicode.Scalar] {
    let first = count
    count += UInt32(number)
    return (first..<count).compactMap { Self.scalar($0) }
  }

  /// Returns the scalar of a number below 40,000.
  package static func scalar(_ number: UInt32) -> Unicode.Scalar? {
    Unicode.Scalar(number % 2 == 0 ? 0x4E00 + number / 2 : 0xF0000 + number)
  }

  /// Returns the steps of an edit: typing, mostly where others type, or deletions.
  ///
  /// - Parameter text: The text that the edit is for.
  package mutating func steps(for text: [Unicode.Scalar], _ random: inout SplitMix64)
    -> [ReferenceText.Step]
  {
    var steps: [ReferenceText.Step] = []
    let place = random.pick([0, text.count / 2, text.count, random.pick(0...text.count)])
    let left = text.count - place
    if place > 0 { steps.append(.retain(place)) }
    let isLong = text.count > 50
    if left == 0 || random.chance(isLong ? 25 : 75) {
      steps.append(.insert(scalars(random.pick([1, 1, 2, 3, 5]))))
      if left > 1, random.chance(20) { steps.append(.delete(random.pick(1...min(left, 4)))) }
    } else {
      steps.append(.delete(random.pick(1...min(left, isLong ? 20 : 6))))
    }
    let used = steps.reduce(0) { sum, step in
      switch step {
      case .retain(let count), .delete(let count): sum + count
      case .insert: sum
      }
    }
    if used < text.count, random.chance(15) {
      steps.append(.retain(random.pick(1...text.count - used)))
      steps.append(.insert(scalars(random.pick(1...2))))
    }
    return steps
  }

  /// Returns the text after an edit that fits.
  package static func apply(_ steps: [ReferenceText.Step], to text: [Unicode.Scalar])
    -> [Unicode.Scalar]
  {
    var rest = text[...]
    var out: [Unicode.Scalar] = []
    for step in steps {
      switch step {
      case .retain(let count):
        out += rest.prefix(count)
        rest = rest.dropFirst(count)
      case .delete(let count): rest = rest.dropFirst(count)
      case .insert(let scalars): out += scalars
      }
    }
    return out + rest
  }

  package static func script(of steps: [ReferenceText.Step]) -> [UInt8] {
    ReferenceText.script(of: steps)
  }

  /// Begins an event, or begins it again.
  package mutating func begin(_ label: String) { sights[label] = [] }

  /// Notes the text that the next edit of an event is for.
  package mutating func note(_ label: String, _ id: String, _ text: String) {
    sights[label, default: []].append(Sight(id: id, text: text))
  }

  // MARK: - Judging

  /// An insertion, or several of one author, each behind the last scalar of the one before.
  private struct Run {
    var author: ReplicaID
    var events: [(id: EventID, seen: VersionVector)]
    var scalars: [Unicode.Scalar]

    func isApart(from other: Run) -> Bool {
      author != other.author
        && !events.contains { mine in
          other.events.contains { mine.seen.contains($0.id) || $0.seen.contains(mine.id) }
        }
    }
  }

  /// What an edit did, by its script and the text that it was for.
  private struct Effect {
    var deleted: Set<Unicode.Scalar> = []
    var inserted: [(behind: Unicode.Scalar?, scalars: [Unicode.Scalar])] = []

    init(_ steps: [ReferenceText.Step], of text: [Unicode.Scalar]) {
      var at = 0
      for step in steps {
        switch step {
        case .retain(let count): at += count
        case .delete(let count):
          deleted.formUnion(text[at..<min(at + count, text.count)])
          at += count
        case .insert(let scalars): inserted.append((at > 0 ? text[at - 1] : nil, scalars))
        }
      }
    }
  }

  /// Returns what is wrong with a text, in words; nil if nothing is.
  ///
  /// What was typed and not deleted by an author who saw it must be there once, and nothing else.
  /// Runs of authors who knew nothing of each other must stand apart. A text with edits that are
  /// not in the ledger is not judged.
  ///
  /// - Parameters:
  ///   - shown: The text.
  ///   - base: The write that it begins with.
  ///   - events: Each origin's events, from the first on.
  ///   - isStrange: Whether an author had seen what is no longer so. Its texts are not judged.
  package func fault(
    in shown: String, _ base: ReferenceModel.TextWrite, _ collection: String, _ id: String,
    _ field: String, of events: [ReplicaID: [EncodedEvent]],
    isStrange: (VersionVector) -> Bool = { _ in false }
  ) -> String? {
    var expected = Self.scalars(of: base, field, in: events)
    var deleted: Set<Unicode.Scalar> = []
    var runs: [Run] = []
    for (origin, encoded) in events.sorted(by: { $0.key < $1.key }) {
      for (event, label) in zip(ReferenceEvent.read(encoded, of: origin), Self.labels(encoded))
      where event.envelope?.kind == .transaction {
        var sights = self.sights[label]?[...] ?? []
        for operation in event.operations ?? [] {
          guard case .edit(let edit) = operation, edit.collection == collection else { continue }
          let sight = sights.popFirst()
          guard edit.id == id, edit.field == field, edit.base == base.event,
            edit.baseOperation == base.operation
          else { continue }
          guard let sight, sight.id == id, !isStrange(event.seen),
            let steps = ReferenceText.steps(of: edit.script)
          else { return nil }
          let effect = Effect(steps, of: Array(sight.text.unicodeScalars))
          deleted.formUnion(effect.deleted)
          for (behind, scalars) in effect.inserted {
            // Typed again what was deleted: one scalar stands for two.
            guard expected.isDisjoint(with: scalars) else { return nil }
            expected.formUnion(scalars)
            if let last = runs.indices.last, runs[last].author == origin,
              runs[last].scalars.last == behind
            {
              runs[last].scalars += scalars
              runs[last].events.append((event.id, event.seen))
            } else {
              runs.append(Run(author: origin, events: [(event.id, event.seen)], scalars: scalars))
            }
          }
        }
      }
    }
    return Self.difference(shown, expected.subtracting(deleted)) ?? Self.mixture(shown, runs)
  }

  /// Returns the scalars of the text that a write gave to a field.
  private static func scalars(
    of base: ReferenceModel.TextWrite, _ field: String, in events: [ReplicaID: [EncodedEvent]]
  ) -> Set<Unicode.Scalar> {
    let origin = base.event.origin
    let event = ReferenceEvent.read(events[origin] ?? [], of: origin)
      .first { $0.id == base.event }
    guard let operations = event?.operations, Int(base.operation) < operations.count else {
      return []
    }
    switch operations[Int(base.operation)] {
    case .insert(_, _, let fields), .update(_, _, let fields):
      guard case .text(let text)? = fields[field] else { return [] }
      return Set(text.unicodeScalars)
    default: return []
    }
  }

  private static func difference(_ shown: String, _ expected: Set<Unicode.Scalar>) -> String? {
    let scalars = Array(shown.unicodeScalars)
    let found = Set(scalars)
    guard found.count == scalars.count else { return "something is twice in \(words(scalars))" }
    let lost = expected.subtracting(found)
    let more = found.subtracting(expected)
    if !lost.isEmpty { return "\(words(lost)) was typed and deleted by nobody, and is not there" }
    return more.isEmpty ? nil : "\(words(more)) was deleted, and is there"
  }

  private static func mixture(_ shown: String, _ runs: [Run]) -> String? {
    let places = Dictionary(
      uniqueKeysWithValues: shown.unicodeScalars.enumerated().map { ($1, $0) })
    let spans = runs.map { run -> ClosedRange<Int>? in
      let here = run.scalars.compactMap { places[$0] }
      return here.min().flatMap { first in here.max().map { first...$0 } }
    }
    for a in runs.indices {
      for b in runs.indices where b > a {
        guard let mine = spans[a], let other = spans[b], mine.overlaps(other),
          runs[a].isApart(from: runs[b])
        else { continue }
        return "\(words(runs[a].scalars)) and \(words(runs[b].scalars)) are mixed"
      }
    }
    return nil
  }

  private static func words(_ scalars: some Collection<Unicode.Scalar>) -> String {
    scalars.map { String($0.value, radix: 16) }.sorted().joined(separator: " ")
  }

  private static func labels(_ events: [EncodedEvent]) -> [String] {
    events.map { event in
      guard case .present(let bytes) = event.body,
        let envelope = event.envelope.withUnsafeBytes({ try? Envelope(decoding: $0) }),
        let body = bytes.withUnsafeBytes({ try? Body(decoding: $0, codec: envelope.bodyCodec) })
      else { return "" }
      return body.label
    }
  }
}
