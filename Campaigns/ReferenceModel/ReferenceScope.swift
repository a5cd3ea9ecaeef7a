import DaybookEventCore

/// The two scopes of collections: shared, and local to this replica. The author of an operation
/// decides which one it is about. Inside the model, the name of a local collection follows the word
/// `local` and a space.
enum ReferenceScope {
  static func collection(_ name: String, by origin: ReplicaID) -> ReferenceName {
    ReferenceName(origin.isPrivate ? "local " + name : name)
  }
}

extension ReferenceName {
  var isLocal: Bool { text.utf8.starts(with: "local ".utf8) }

  /// The name by which users know the collection.
  var shown: ReferenceName { isLocal ? ReferenceName(String(text.dropFirst(6))) : self }
}
