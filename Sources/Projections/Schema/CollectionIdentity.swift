import DaybookEventCore

/// A collection's name inside the read model, its *identity*.
///
/// A shared collection's identity is its name. A local one's is `local NAME`, which no event can
/// name, since names have no spaces. So the two never collide, and an event's origin alone decides
/// which of them its operations are about.
package enum CollectionIdentity {
  private static let prefix = "local "

  package static func of(_ name: String, isLocal: Bool) -> String { isLocal ? prefix + name : name }

  static func isLocal(_ identity: String) -> Bool { identity.begins(with: prefix) }

  /// Returns the name by which users know the collection.
  static func name(_ identity: String) -> String {
    identity.rest(after: prefix).map(String.init) ?? identity
  }
}
