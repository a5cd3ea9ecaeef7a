import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// The latest events of an actor, as far as they say what it can undo and redo.
///
/// It follows the log: what an actor has undone is in its events. So it is the same after a
/// restart, and on each device that has these events.
final class UndoLedger: Sendable {
  /// An event of the actor.
  struct Entry: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      /// A write to entities, which can be undone.
      case edit
      /// An undo or a redo: the events that it has made to count no more, and to count again.
      case turn(undone: Set<EventID>, redone: Set<EventID>)
    }

    var id: EventID
    var authored: HybridTime
    var label: String
    var kind: Kind
  }

  private struct State {
    /// The entries, oldest first.
    var entries: [Entry] = []
    /// The events that have been looked at; nil before the first look.
    var seen: VersionVector?
    /// Events that could not be undone, or redone, when this was tried.
    var passedOver: Set<EventID> = []
  }

  /// The most events of the actor that can be undone.
  static let depth = 200
  /// The most events of the log that the first look reads.
  static let firstLook = 5_000

  private let actor: String
  private let known = Mutex(State())

  init(_ actor: String) { self.actor = actor }

  /// Passes over events from now on, because something stands against their undo or redo.
  func passOver(_ events: [EventID]) {
    known.withLock { $0.passedOver.formUnion(events) }
  }

  /// Looks at what is new in the log, and returns what the actor would undo and redo next.
  /// - Throws: what SQLite and reading the log throw.
  func state(in store: Store) async throws -> UndoStack.State {
    try await refresh(from: store)
    let (entries, passedOver) = known.withLock { ($0.entries, $0.passedOver) }
    let stacks = UndoStacks(entries)
    let labels = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
    func step(_ events: [EventID]) -> UndoStack.State.Step? {
      guard let last = events.compactMap({ labels[$0] }).max(by: Self.isBefore) else { return nil }
      return UndoStack.State.Step(events: events, label: last.label, authored: last.authored)
    }
    func top(_ stack: [[EventID]], isUndone: Bool) async throws -> UndoStack.State.Step? {
      for events in stack.reversed() where passedOver.isDisjoint(with: events) {
        // Somebody else may have undone or redone them.
        guard try await Self.anyOf(events, isUndone: isUndone, in: store) else { continue }
        return step(events)
      }
      return nil
    }
    return UndoStack.State(
      undo: try await top(stacks.undo, isUndone: false),
      redo: try await top(stacks.redo, isUndone: true))
  }

  // MARK: - The log

  private func refresh(from store: Store) async throws {
    let seen = known.withLock { $0.seen }
    let vector = try await store.core.reads.asynchronously { try $0.view.wholeVector }
    let found = Mutex((entries: [Entry](), count: 0))
    var query = EventQuery(until: .vector(vector), isNewestFirst: true)
    query.after = seen.map { .vector($0) }
    try await store.forEachEvent(query) { [actor] event in
      found.withLock { found in
        found.count += 1
        if event.actor.isSame(as: actor), let entry = Entry(event) { found.entries.append(entry) }
        return seen != nil
          || (found.count < Self.firstLook && found.entries.count < Self.depth)
      }
    }
    let new = found.withLock { $0.entries }
    known.withLock { state in
      let old = Set(state.entries.map(\.id))
      state.entries += new.filter { !old.contains($0.id) }
      state.entries.sort(by: Self.isBefore)
      state.entries.removeFirst(max(0, state.entries.count - 2 * Self.depth))
      state.seen = vector
    }
  }

  private static func isBefore(_ a: Entry, _ b: Entry) -> Bool {
    a.authored == b.authored ? a.id < b.id : a.authored < b.authored
  }

  /// Returns whether any of some events is undone for any of its entities, or counts for any.
  ///
  /// Cost: a look-up for each entity, up to the first that answers.
  private static func anyOf(_ events: [EventID], isUndone: Bool, in store: Store) async throws
    -> Bool
  {
    for id in events {
      let operations = try await store.event(id)?.event.body?.operations ?? []
      let found = try await store.core.reads.asynchronously { snapshot in
        let view = try snapshot.view
        return try operations.contains { operation in
          guard let (collection, entity) = operation.entity else { return false }
          return try view.isUndone(id, for: collection, entity) == isUndone
        }
      }
      if found { return true }
    }
    return false
  }
}

extension UndoLedger.Entry {
  /// - Returns: nil if the event is local, or nothing that can be undone.
  fileprivate init?(_ event: LoggedEvent) {
    guard !event.id.origin.isPrivate, let operations = event.event.body?.operations,
      !operations.isEmpty
    else { return nil }
    var (undone, redone): (Set<EventID>, Set<EventID>) = ([], [])
    var isTurn = false
    for operation in operations {
      switch operation {
      case .undo(let undo):
        isTurn = true
        for run in undo.events {
          for sequence in run.sequences.prefix(UndoLedger.firstLook) {
            let id = EventID(run.origin, sequence)
            if undo.isUndone { undone.insert(id) } else { redone.insert(id) }
          }
        }
      case .erase: return nil
      default: if operation.entity == nil { return nil }
      }
    }
    self.init(
      id: event.id, authored: event.times.authored, label: event.label,
      kind: isTurn ? .turn(undone: undone, redone: redone) : .edit)
  }
}

/// What an actor can undo and redo by its own events, the next one last.
struct UndoStacks: Equatable {
  private(set) var undo: [[EventID]] = []
  private(set) var redo: [[EventID]] = []

  /// - Parameter entries: the events of the actor, oldest first.
  init(_ entries: [UndoLedger.Entry]) {
    var edits: Set<EventID> = []
    for entry in entries {
      switch entry.kind {
      case .edit:
        edits.insert(entry.id)
        undo.append([entry.id])
        redo = []
      case .turn(let undone, let redone):
        let back = Self.take(redone, from: &redo)
        let gone = Self.take(undone, from: &undo)
        // What was given up long ago may be redone by its name.
        let others = redone.intersection(edits)
          .subtracting(back.joined()).subtracting(undo.joined())
        for events in back + (others.isEmpty ? [] : [others.sorted()]) { undo.append(events) }
        if !gone.isEmpty { redo.append(gone.flatMap(\.self)) }
      }
    }
  }

  /// Removes the elements that name one of some events.
  private static func take(_ events: Set<EventID>, from stack: inout [[EventID]]) -> [[EventID]] {
    guard !events.isEmpty else { return [] }
    let taken = stack.filter { !events.isDisjoint(with: $0) }
    stack.removeAll { !events.isDisjoint(with: $0) }
    return taken
  }
}
