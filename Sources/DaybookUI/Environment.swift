#if canImport(SwiftUI)
  public import Daybook
  public import SwiftUI

  extension EnvironmentValues {
    /// The store that the views read; nil if none has been set by `View.store(_:)`.
    public var store: Store? {
      get { self[StoreKey.self] }
      set { self[StoreKey.self] = newValue }
    }
  }

  private struct StoreKey: EnvironmentKey {
    static let defaultValue: Store? = nil
  }

  extension View {
    /// Sets the store that this view and those within it read.
    ///
    /// ```swift
    /// WindowGroup { NoteList().store(store) }
    /// ```
    public func store(_ store: Store) -> some View { environment(\.store, store) }
  }
#endif
