import EventCore
import Projections

/// How to change an entity so that it looks as if some events had not happened.
///
/// An undo is an event that names the events that it takes back. Events that are taken back, and
/// the events that do so, cancel each other: what counts are the other events, which are *active*.
struct UndoPlan {
  /// What is to become of the entity.
  enum Step: Equatable {
    case nothing
    case delete
    /// The entity stays, and its fields change.
    case update(Fields)
    /// The entity is restored, and its fields change.
    case restore(Fields)
  }

  /// What is to become of an entity's fields, which are named by their identities.
  struct Fields: Equatable {
    var values: [String: Value] = [:]
    /// The texts from which the events are taken out, among what others have edited since.
    var texts: Set<String> = []

    var isEmpty: Bool { values.isEmpty && texts.isEmpty }
  }

  /// A later write that stands against the undoing.
  struct Obstacle: Equatable {
    var event: EventID
    var actor: String
    /// The field, by its identity; nil for the entity itself.
    var field: String?
    var isErasure = false
  }

  /// The name of the annotation that lists the events that an event takes back.
  static let annotation = "undoes"

  private(set) var step = Step.nothing
  private(set) var obstacle: Obstacle?
  /// The events whose edits are taken out of texts: the undone ones, and those that have undone or
  /// redone them.
  private(set) var takenOut: Set<EventID> = []

  /// - Parameters:
  ///   - history: every write to the entity, in the total order.
  ///   - undone: the events to undo.
  init(_ history: [HistoryItem], without undone: Set<EventID>) {
    let now = Self.active(history, without: [])
    let then = Self.active(history, without: undone)
    let differing = now.symmetricDifference(then)
    guard !differing.isEmpty else { return }
    if let erasure = history.first(where: { $0.kind == .erase && differing.contains($0.event) }) {
      obstacle = Obstacle(event: erasure.event, actor: erasure.actor, isErasure: true)
      return
    }
    var (shown, wanted) = (State(), State())
    /// The last active writes, by field; the empty name is that of the entity's existence.
    var last: [String: HistoryItem] = [:]
    var touched: Set<String> = []
    for item in history {
      shown.take(item)
      if then.contains(item.event) { wanted.take(item) }
      guard now.contains(item.event) || then.contains(item.event) else { continue }
      for register in item.registers {
        last[register] = item
        if differing.contains(item.event) { touched.insert(register) }
      }
    }
    let texts = touched.filter { Self.isText($0, history, differing) }
    touched.subtract(texts)
    takenOut = Self.withUndos(undone, history)
    for register in touched.sorted() {
      guard let write = last[register], !differing.contains(write.event) else { continue }
      obstacle = Obstacle(
        event: write.event, actor: write.actor, field: register.isEmpty ? nil : register)
      return
    }
    var fields = Fields(texts: texts)
    for field in touched where !field.isEmpty {
      let value = wanted.values[field] ?? .null
      if value != shown.values[field] ?? .null { fields.values[field] = value }
    }
    switch (wanted.isLive, shown.isLive) {
    case (true, true): if !fields.isEmpty { step = .update(fields) }
    case (true, false): step = .restore(fields)
    case (false, false): break
    case (false, true):
      // What others have written to the entity since must not go with it.
      if let birth = history.firstIndex(where: { $0.isBirth && differing.contains($0.event) }),
        let later = history[birth...].last(where: {
          now.contains($0.event) && !differing.contains($0.event)
        })
      {
        obstacle = Obstacle(
          event: later.event, actor: later.actor, field: later.changes.first?.field)
      } else {
        step = .delete
      }
    }
  }

  /// Returns whether the events have only edited a field, and whether it still has the text that
  /// they have edited. If so, an undo takes their edits out, and leaves the later ones of others.
  private static func isText(
    _ field: String, _ history: [HistoryItem], _ events: Set<EventID>
  ) -> Bool {
    guard !field.isEmpty else { return false }
    let writes = history.filter { item in
      item.kind == .erase || item.changes.contains { $0.field == field }
    }
    guard let first = writes.firstIndex(where: { events.contains($0.event) }) else { return false }
    return writes[first...].allSatisfy { $0.kind == .edit }
  }

  /// Returns the events, the events that undid them, the events that undid those, and so on.
  private static func withUndos(_ events: Set<EventID>, _ history: [HistoryItem]) -> Set<EventID> {
    // An undo is later than the event that it undoes.
    history.reduce(into: events) { all, item in
      if !item.undoes.isDisjoint(with: all) { all.insert(item.event) }
    }
  }

  /// Returns the events that count: those that are not taken back, and take nothing back.
  /// - Parameter undone: events to treat as undone.
  private static func active(_ history: [HistoryItem], without undone: Set<EventID>) -> Set<EventID>
  {
    var inactive = undone
    var active: Set<EventID> = []
    // An undo is later than the event that it undoes.
    for item in history.reversed() where !inactive.contains(item.event) {
      let targets = item.undoes
      if targets.isEmpty { active.insert(item.event) } else { inactive.formUnion(targets) }
    }
    return active
  }

  /// An entity after some of its writes.
  private struct State {
    var isLive = false
    var values: [String: Value] = [:]

    mutating func take(_ item: HistoryItem) {
      switch item.kind {
      case .update, .edit: break
      case .insert, .restore: isLive = true
      case .delete: isLive = false
      case .erase:
        isLive = false
        values = [:]
      }
      for change in item.changes { values[change.field] = change.to }
    }
  }
}

extension HistoryItem {
  /// The events that this one takes back.
  fileprivate var undoes: Set<EventID> {
    Set(
      (annotations[UndoPlan.annotation] ?? "").parts(between: ",").compactMap {
        EventID(String($0))
      })
  }

  fileprivate var isBirth: Bool { kind == .insert || kind == .restore }

  /// The fields that are written; the empty name is that of the entity's existence.
  fileprivate var registers: [String] {
    (kind == .update || kind == .edit ? [] : [""]) + changes.map(\.field)
  }
}
