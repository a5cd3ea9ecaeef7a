import DaybookLocks

/// The collections that types of this process declare, whether or not a store has them.
package enum DeclaredTypes {
  private static let names = Mutex<Set<String>>([])

  /// What to do if a store lacks what a type declares.
  package static let hint = "Add the type to schema: of Store.open, which defines it"

  package static func add(_ collection: String) { names.withLock { _ = $0.insert(collection) } }

  static func contains(_ collection: String) -> Bool { names.withLock { $0.contains(collection) } }
}
