import EventCore

/// Shared collections, and this replica's own: which of them an operation is about follows from who
/// wrote it. Inside the model a local collection goes by its name behind “local ”.
enum ReferenceScope {
  static func collection(_ name: String, by origin: ReplicaID) -> ReferenceName {
    ReferenceName(origin.isPrivate ? "local " + name : name)
  }
}

extension ReferenceName {
  var isLocal: Bool { text.utf8.starts(with: "local ".utf8) }

  /// What users call a collection.
  var shown: ReferenceName { isLocal ? ReferenceName(String(text.dropFirst(6))) : self }
}
