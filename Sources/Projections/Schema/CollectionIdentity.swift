import EventCore

/// What a collection is called inside the read model.
///
/// A shared collection goes by its name. A local one goes by `local NAME`, which no event can name, as
/// names have no spaces: so the two never meet, and which of them an operation is about follows from
/// its event's origin alone.
enum CollectionIdentity {
  private static let prefix = "local "

  static func of(_ name: String, isLocal: Bool) -> String { isLocal ? prefix + name : name }

  static func isLocal(_ identity: String) -> Bool { identity.begins(with: prefix) }

  /// What users call it.
  static func name(_ identity: String) -> String {
    identity.rest(after: prefix).map(String.init) ?? identity
  }
}
