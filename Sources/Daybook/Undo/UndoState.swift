import DaybookEngine
public import DaybookEventCore
import DaybookProjections

extension UndoStack {
  /// What an app's buttons *Undo* and *Redo* would do for an actor; see ``UndoStack``.
  public struct State: Hashable, Sendable {
    /// Something that can be undone, or redone, at once.
    public struct Step: Hashable, Sendable {
      /// The events. There are several if one undo has taken back several, as
      /// ``Store/undo(by:since:)`` does.
      public var events: [EventID]
      /// The label of the last of them, from ``Store/write(actor:label:annotations:_:)``; may be
      /// empty.
      public var label: String
      /// The time at which the last of them was authored, by its author's clock.
      public var authored: HybridTime

      /// Makes a step, for example for a preview or a test.
      public init(events: [EventID], label: String, authored: HybridTime) {
        self.events = events
        self.label = label
        self.authored = authored
      }
    }

    /// What an undo would take back; nil if there is nothing.
    public var undo: Step?
    /// What a redo would bring back; nil if there is nothing.
    public var redo: Step?

    /// Whether there is something to undo.
    public var canUndo: Bool { undo != nil }
    /// Whether there is something to redo.
    public var canRedo: Bool { redo != nil }

    /// Makes a state, for example for a preview or a test.
    public init(undo: Step? = nil, redo: Step? = nil) {
      self.undo = undo
      self.redo = redo
    }
  }
}

extension Store {
  /// Returns what an actor would undo and redo next.
  ///
  /// Cost: reads the latest events of the log, 5,000 at most.
  /// - Parameter actor: the author of the events; ``Options/actor`` if nil.
  /// - Throws: what SQLite and reading the log throw.
  public func undoState(actor: String? = nil) async throws -> UndoStack.State {
    try await UndoLedger(actor ?? options.actor).state(in: self)
  }

  /// Returns what an actor would undo and redo next: now, and after every change.
  ///
  /// Cost: that of ``undoState(actor:)`` once, and then what is new in the log.
  /// - Parameter actor: the author of the events; ``Options/actor`` if nil.
  public func observeUndo(actor: String? = nil) -> LiveValues<UndoStack.State> {
    observe(UndoLedger(actor ?? options.actor))
  }

  func observe(_ ledger: UndoLedger) -> LiveValues<UndoStack.State> {
    LiveValues(store: self, scope: .anything) { store in
      let state = try await ledger.state(in: store)
      return (state, ValueMark(state))
    }
  }
}
