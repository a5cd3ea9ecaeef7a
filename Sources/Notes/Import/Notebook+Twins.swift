import Daybook
import DaybookEventCore
import Foundation

/// What devices have imported twice, because neither knew of the other.
extension Notebook {
  /// The texts that imports change: those of notes, and the front matter of their files.
  private static let texts: [(collection: String, field: String)] = [
    (NoteEntity.collection, "body"), ("note_files", "front"),
  ]

  /// Makes one of what several devices have imported while they were apart.
  ///
  /// If two devices import the same change of a source, its text has it twice, until one of them is
  /// taken out here. If two devices import the same new note, the text of one counts, and edits of
  /// the other have no effect; they are made again here. Devices that do this at the same time do
  /// the same, and what they do twice is taken out next time.
  ///
  /// Cost: looks at the list of open conflicts, and at the imports that are known twice.
  package func joinImports() async throws {
    try await joinTwins()
    try await takeOutDoubles()
  }

  // MARK: - Changes that were imported twice

  private func takeOutDoubles() async throws {
    let doubled = try await store.read { db in
      var ids: [[String]] = []
      try db.forEachRow(
        """
        SELECT json_group_array(id) FROM note_imports GROUP BY note, field, result
        HAVING count(*) > 1
        """
      ) { row in
        ids.append((try? JSONDecoder().decode([String].self, from: Data(row.text(0).utf8))) ?? [])
      }
      return ids
    }
    for ids in doubled {
      let steps = try await store.fetch(
        ImportStep.where { $0.id.in(ids.map { ImportStep.ID($0) }) })
      try await takeOutDoubles(steps.sorted { $0.id < $1.id })
    }
  }

  /// Takes out all but one of the steps that have led to the same text, and of which nobody knew
  /// the other.
  private func takeOutDoubles(_ steps: [ImportStep]) async throws {
    guard let first = steps.first else { return }
    let note = first.note
    let all = try await store.fetch(ImportStep.where { $0.note == note })
    var events: [ImportStep.ID: EventID] = [:]
    for step in steps {
      events[step.id] = try await store.history(of: step.id).first { $0.kind == .insert }?.event
    }
    var left = steps
    var place = 0
    while place < left.count {
      let step = left[place]
      var gone: ImportStep?
      for other in left where other.id != step.id && gone == nil {
        guard let event = events[step.id], let known = events[other.id] else { continue }
        let hasSeen = try await store.at(.event(event)).fetch(other.id) != nil
        let wasSeen = try await store.at(.event(known)).fetch(step.id) != nil
        guard !hasSeen, !wasSeen else { continue }
        gone = Self.surplus(step, other, all)
      }
      guard let gone, let event = events[gone.id] else {
        place += 1
        continue
      }
      try await takeOut(gone, event)
      left.removeAll { $0.id == gone.id }
      place = 0
    }
  }

  /// Returns the one of two steps to the same text that is too many: the one that leads over
  /// several others at once, else the later one.
  private static func surplus(
    _ one: ImportStep, _ other: ImportStep, _ all: [ImportStep]
  ) -> ImportStep {
    func isAbove(_ step: ImportStep, _ finer: ImportStep) -> Bool {
      var bases: Set = [finer.base]
      while true {
        let more = all.filter { $0.field == finer.field && bases.contains($0.result) }.map(\.base)
        let next = bases.union(more)
        if next == bases { break }
        bases = next
      }
      return bases.contains(step.base)
    }
    if one.base != other.base {
      let (up, down) = (isAbove(one, other), isAbove(other, one))
      if up != down { return up ? one : other }
    }
    return one.id < other.id ? other : one
  }

  private func takeOut(_ step: ImportStep, _ event: EventID) async throws {
    let collection = Self.texts.first { $0.field == step.field }?.collection
    guard let collection else { return }
    try await store.takeOut(
      event, of: collection, step.note, step.field, actor: actor.isEmpty ? nil : actor,
      label: "imported twice"
    ) { tx in
      guard try tx.fetch(step.id) != nil else { return false }
      try tx.delete(step.id)
      return true
    }
  }

  // MARK: - Notes that were imported twice

  private func joinTwins() async throws {
    for (collection, field) in Self.texts {
      guard try await store.schema()[collection] != nil else { continue }
      let conflicts = store.conflicts(in: collection, field: field)
      for conflict in try await conflicts.all() where conflict.writes.count > 1 {
        try await join(conflict)
      }
    }
  }

  /// Makes the edits again that belong to an insert of the same text by another device.
  private func join(_ conflict: Conflict) async throws {
    guard let id = conflict.id, !conflict.writes.contains(where: \.isDeletion) else { return }
    let (collection, field) = (conflict.collection, conflict.field)
    let inserted = try await store.history(of: collection, id).filter { $0.kind == .insert }
      .compactMap { item in item.changes.first { $0.field == field }?.to }
    // Only what was the same on all devices at first can be told from what they made of it.
    guard inserted.count > 1, Set(inserted).count == 1, case .text(let first) = inserted[0] else {
      return
    }
    var others: [String] = []
    for case .text(let text) in conflict.writes.filter({ !$0.wins }).map(\.value)
    where !others.contains(where: { ExactText($0) == ExactText(text) }) {
      others.append(text)
    }
    let joined = others
    try await write(label: "imported twice") { tx in
      guard try tx.fetch(collection, id) != nil else { return }
      for text in joined {
        guard case .text(let shown)? = try tx.fetch(collection, id)?[field] else { continue }
        let steps = try tx.fetch(ImportStep.where { $0.note == id && $0.field == field })
        // What was joined before is not joined again.
        let known = steps.compactMap { step in
          step.script.flatMap { data in
            try? data.withUnsafeBytes { try TextScript(decoding: $0) }
          }?.applied(to: first)
        }
        let base = ([first] + known).min {
          TextScript(from: $0, to: text).size < TextScript(from: $1, to: text).size
        }
        guard let base, let script = shown.script(from: base, to: text)
        else { continue }
        var step = ImportStep(NoteEntity.ID(id), field, from: base, to: text)
        step.script = Data(TextScript(from: first, to: text).encoded)
        try tx.insert(step)
        try tx.edit(collection, id, field, by: script, isComparison: true)
      }
    }
  }
}
