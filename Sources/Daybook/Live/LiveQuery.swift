public import DaybookEngine
public import Observation

/// A live value for a view: the newest value of a query, and whether it is still on its way.
///
/// ```swift
/// @State private var pinned = LiveQuery(store.observe(Note.where { $0.pinned }), initially: [])
/// …
/// List(pinned.value) { note in Text(note.title) }
/// ```
/// It begins when it is made, and ends when it is released or the store is closed. After an error
/// it keeps the last value and waits for ``refresh()``.
@MainActor @Observable public final class LiveQuery<Value: Sendable> {
  /// The newest value.
  public private(set) var value: Value
  /// Whether the first value is still on its way, after the beginning or a refresh.
  public private(set) var isLoading = true
  /// What has ended the values; nil if nothing has, or the store was closed after a value was read.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let values: LiveValues<Value>
  @ObservationIgnored private var task: OwnedTask?

  /// Makes a live value, and begins to read it.
  /// - Parameters:
  ///   - values: what one of the methods `observe` of a store returned.
  ///   - first: the value until the first one is read.
  public init(_ values: LiveValues<Value>, initially first: Value) {
    self.values = values
    value = first
    refresh()
  }

  /// Reads the value again, also after an error.
  public func refresh() {
    task = nil
    (isLoading, error) = (true, nil)
    let values = values
    task = OwnedTask { [weak self] in
      do {
        for try await value in values {
          guard let self, !Task.isCancelled else { return }
          (self.value, self.isLoading) = (value, false)
        }
        guard let self, !Task.isCancelled, isLoading else { return }
        error = StoreError(
          .closed, "the store was closed before the first value was read",
          hint: "Make live values while the store is open")
      } catch {
        guard !Task.isCancelled else { return }
        self?.error = StoreError.surfacing(error)
      }
      if !Task.isCancelled { self?.isLoading = false }
    }
  }
}

/// The state of a sync for a view.
@MainActor @Observable public final class SyncStatus {
  /// The newest state.
  public private(set) var state: PeerState

  @ObservationIgnored private var task: OwnedTask?

  /// Makes the state of a sync for a view.
  /// - Parameter sync: the sync, from ``Store/sync(with:options:)``.
  public init(_ sync: StoreSync) {
    state = sync.state
    task = OwnedTask { [weak self] in
      for await state in sync.states { self?.state = state }
    }
  }
}
