import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// Tells listeners when the rows that a store shows have changed: by its own writes at once, by
/// syncs, rebuilds and definitions, and by other processes.
///
/// A listener is called after the read model shows the change, on the thread that made it so, and
/// must not block. It may be called although nothing has changed. It is always called if something
/// has.
package final class ChangeFeed: Sendable {
  /// The rows that a listener asks about.
  package struct Scope: Sendable {
    /// The names of the collections.
    var collections: Set<String>
    /// The only entity that matters; nil for all.
    var id: String?
    /// Whether everything matters: rows of all collections, and events that change none.
    var isAnything = false

    package init(collections: Set<String>, id: String? = nil, isAnything: Bool = false) {
      self.collections = collections
      self.id = id
      self.isAnything = isAnything
    }

    package static let anything = Scope(collections: [], isAnything: true)
  }

  private struct Listener: Sendable {
    var scope: Scope
    var body: @Sendable () -> Void
    var end: @Sendable () -> Void
  }

  /// The tokens of the listeners that ask about a collection.
  private struct Tokens {
    /// Of those that ask about all entities.
    var ofAll: Set<Int> = []
    /// Of those that ask about one entity, by its id.
    var byID: [String: Set<Int>] = [:]

    mutating func insert(_ token: Int, _ id: String?) {
      if let id { byID[id, default: []].insert(token) } else { ofAll.insert(token) }
    }

    mutating func remove(_ token: Int, _ id: String?) {
      guard let id else {
        ofAll.remove(token)
        return
      }
      byID[id]?.remove(token)
      if byID[id]?.isEmpty ?? false { byID[id] = nil }
    }

    /// Returns the tokens of the listeners that changed entities concern; nil for any entity.
    func concerned(by ids: Set<String>?) -> Set<Int> {
      guard let ids else { return byID.values.reduce(ofAll) { $0.union($1) } }
      guard !byID.isEmpty else { return ofAll }
      return ids.reduce(ofAll) { tokens, id in byID[id].map(tokens.union) ?? tokens }
    }
  }

  private struct State {
    var next = 0
    var listeners: [Int: Listener] = [:]
    /// The tokens of the listeners, by the collections that they ask about.
    var byCollection: [String: Tokens] = [:]
    /// The tokens of the listeners that ask about everything.
    var ofAnything: Set<Int> = []
    /// The events that the read model shows, as far as listeners know; nil if unknown.
    var shown: VersionVector?
    /// The number of rebuilds of the read model that listeners know; nil if unknown.
    var rebuilds: Int64?
    var isClosed = false
    /// Ends the watch over other processes; nil if there is none.
    var endWatch: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The events that the read model shows, as far as listeners know; nil if unknown.
  var shown: VersionVector? { state.withLock { $0.shown } }

  /// The number of rebuilds of the read model that listeners know; nil if unknown.
  ///
  /// A rebuild may show other rows for the same events.
  var rebuilds: Int64? {
    get { state.withLock { $0.rebuilds } }
    set { state.withLock { $0.rebuilds = newValue } }
  }

  /// The number of listeners.
  package var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Registers a listener.
  /// - Parameters:
  ///   - body: called when rows of the scope have changed.
  ///   - end: called once if the store is closed.
  ///   - watch: begins to announce what other processes write, and returns how to end that. It is
  ///     called for the first listener, and ended with the last one.
  /// - Returns: a token for ``forget(_:)``.
  func listen(
    to scope: Scope, _ body: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void,
    watch: () -> (@Sendable () -> Void)
  ) -> Int {
    let (token, isFirst, isClosed) = state.withLock { state in
      state.next += 1
      guard !state.isClosed else { return (state.next, false, true) }
      state.listeners[state.next] = Listener(scope: scope, body: body, end: end)
      if scope.isAnything { state.ofAnything.insert(state.next) }
      for name in scope.collections {
        state.byCollection[name, default: Tokens()].insert(state.next, scope.id)
      }
      return (state.next, state.listeners.count == 1, false)
    }
    if isClosed { end() }
    if isFirst { keep(watch()) }
    return token
  }

  /// Removes a listener. A call to it may still be in progress.
  package func forget(_ token: Int) {
    let endWatch = state.withLock { state -> (@Sendable () -> Void)? in
      guard let listener = state.listeners.removeValue(forKey: token) else { return nil }
      state.ofAnything.remove(token)
      for name in listener.scope.collections {
        state.byCollection[name]?.remove(token, listener.scope.id)
      }
      guard state.listeners.isEmpty else { return nil }
      defer { state.endWatch = nil }
      return state.endWatch
    }
    endWatch?()
  }

  /// Stores the closure that ends the watch, or calls it if there is no listener any more.
  private func keep(_ end: @escaping @Sendable () -> Void) {
    let isUnwanted = state.withLock { state in
      guard !state.listeners.isEmpty, state.endWatch == nil else { return true }
      state.endWatch = end
      return false
    }
    if isUnwanted { end() }
  }

  /// Calls the listeners that a change concerns.
  ///
  /// If the read model has shown more before the change than listeners know, another process has
  /// written in between. The watch over other processes then announces that.
  func announce(_ change: ShownChanges) {
    let concerned = state.withLock { state -> [@Sendable () -> Void] in
      if change.rows == nil || state.shown ?? change.before == change.before {
        state.shown = change.after
      }
      // If another process has rebuilt the read model in between, its number stays unexplained.
      if let rebuilds = change.rebuilds, state.rebuilds == rebuilds.before {
        state.rebuilds = rebuilds.after
      }
      guard let rows = change.rows else { return state.listeners.values.map(\.body) }
      guard !state.listeners.isEmpty else { return [] }
      let isNew = !rows.isEmpty || change.before != change.after
      let ofAnything = isNew ? state.ofAnything : []
      let tokens = rows.collections.reduce(into: ofAnything) { tokens, change in
        guard let known = state.byCollection[change.key] else { return }
        tokens.formUnion(known.concerned(by: change.value))
      }
      return tokens.compactMap { state.listeners[$0]?.body }
    }
    for body in concerned { body() }
  }

  /// Removes all listeners, because the store is closed, and tells them so.
  func close() {
    let (listeners, endWatch) = state.withLock { state in
      defer {
        (state.listeners, state.byCollection, state.endWatch) = ([:], [:], nil)
        state.ofAnything = []
      }
      state.isClosed = true
      return (Array(state.listeners.values), state.endWatch)
    }
    endWatch?()
    for listener in listeners { listener.end() }
  }
}
