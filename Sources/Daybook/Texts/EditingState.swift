public import DaybookEngine
public import DaybookEventCore

extension EditingSession {
  /// What has become of the edits of an ``EditingSession``.
  public struct State: Sendable, Hashable {
    /// The number of edits that are not durable yet: a crash would lose them.
    public internal(set) var unsaved = 0
    /// The number of edits that are durable.
    public internal(set) var written = 0
    /// The latest event that the session has written; nil if it has written none.
    public internal(set) var lastEvent: EventID?
    /// Why the unsaved edits cannot be written; nil if nothing stands against it.
    ///
    /// The edits are kept, and the session tries again. If the error is `noSuchEntity`, the entity
    /// is gone, and they are written if it is restored.
    public internal(set) var problem: StoreError?
    /// Whether the session takes no more edits, because it or the store was closed.
    public internal(set) var isClosed = false

    /// Whether all edits are durable.
    public var isSaved: Bool { unsaved == 0 }
  }
}
