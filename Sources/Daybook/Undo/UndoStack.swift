import DaybookEngine
public import DaybookEventCore
public import Observation

/// The undo and redo of an actor, for an app's buttons.
///
/// ```swift
/// @State private var edits: UndoStack   // UndoStack(store, actor: "ann")
/// …
/// Button("Undo \(edits.undoLabel ?? "")") { Task { try await edits.undo() } }
///   .disabled(!edits.canUndo)
/// ```
/// An undo takes back the actor's last event that counts, and a redo brings back what was undone
/// last. A new edit ends what can be redone. Undos and redos are events, so the stack is the same
/// after a restart, and on all devices of the actor that have met. What others have written is
/// never undone.
///
/// It begins when it is made, and ends when it is released or the store is closed.
@MainActor @Observable public final class UndoStack {
  /// What the next undo and the next redo would do.
  public private(set) var state = UndoStack.State()
  /// What has ended the reading of the state; nil if nothing has.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let store: Store
  @ObservationIgnored private let actor: String?
  @ObservationIgnored private let ledger: UndoLedger
  @ObservationIgnored private var watch: OwnedTask?
  @ObservationIgnored private var turn: Task<EventID?, any Error>?

  /// Makes the stack of an actor, and begins to read it.
  /// - Parameters:
  ///   - store: the store.
  ///   - actor: who undoes, and whose events are undone; ``Store/Options/actor`` if nil.
  public init(_ store: Store, actor: String? = nil) {
    self.store = store
    self.actor = actor
    ledger = UndoLedger(actor ?? store.options.actor)
    let states = store.observe(ledger)
    watch = OwnedTask { [weak self] in
      do {
        for try await state in states {
          guard let self, !Task.isCancelled else { return }
          self.state = state
        }
      } catch {
        if !Task.isCancelled { self?.error = StoreError.surfacing(error) }
      }
    }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { state.canUndo }
  /// Whether there is something to redo.
  public var canRedo: Bool { state.canRedo }
  /// The label of what would be undone; nil if there is nothing, or it has none.
  public var undoLabel: String? { Self.label(of: state.undo) }
  /// The label of what would be redone; nil if there is nothing, or it has none.
  public var redoLabel: String? { Self.label(of: state.redo) }

  private static func label(of step: UndoStack.State.Step?) -> String? {
    step.flatMap { $0.label.isEmpty ? nil : $0.label }
  }

  /// Takes back the actor's last event that counts.
  ///
  /// Calls are done one after the other, so two quick ones take back two events.
  /// - Returns: the new event; nil if there was nothing to undo.
  /// - Throws: what ``Store/undo(_:actor:)`` throws. If something stands against this undo, as what
  ///   others have written since, the stack passes over it from then on.
  @discardableResult
  public func undo() async throws -> EventID? { try await next(isUndone: true) }

  /// Brings back what the actor has undone last, if it has written nothing else since.
  ///
  /// - Returns: the new event; nil if there was nothing to redo.
  /// - Throws: what ``Store/redo(_:actor:)`` throws. If something stands against this redo, the
  ///   stack passes over it from then on.
  @discardableResult
  public func redo() async throws -> EventID? { try await next(isUndone: false) }

  private func next(isUndone: Bool) async throws -> EventID? {
    let before = turn
    let task = Task { [store, actor, ledger] in
      _ = await before?.result
      // The state may have changed since it was shown; this is what counts now.
      let state = try await ledger.state(in: store)
      guard let step = isUndone ? state.undo : state.redo else { return nil as EventID? }
      do {
        let event = try await store.setUndone(step.events, isUndone, actor: actor)
        self.state = try await ledger.state(in: store)
        return event
      } catch let error as StoreError
        where [.undoBlocked, .valueTaken, .wouldLoop].contains(error.code)
      {
        ledger.passOver(step.events)
        self.state = try await ledger.state(in: store)
        throw error
      }
    }
    turn = task
    return try await task.value
  }
}
