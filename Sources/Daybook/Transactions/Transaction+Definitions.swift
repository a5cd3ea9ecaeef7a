public import EventCore
import Projections

/// Collections and fields.
extension Transaction {
  /// Says that a collection exists and what its fields are like. Writes only what is not so yet; says
  /// nothing at all where everything is. A field that is defined as `formerly` another is shown under
  /// its new name from then on, here and wherever the definition arrives.
  /// - Throws: ``StoreError`` `invalidName`; `contradiction` where a field has another type already,
  ///   a collection is, or is not, a relationship, or a field's new name is another's; `valueTaken`
  ///   where a field is to become unique and two entities have the same value; `wouldLoop` where one
  ///   is to become a tree and something is above itself; `mixedTransaction` where others of its writes
  ///   are shared and this is local, or the reverse. A key stays as it was first defined, and so does
  ///   whether a collection is local.
  public func define(_ definition: Definition) throws {
    try call {
      let check = DefinitionCheck(projector.schema, projector.limits) { [projector] in
        projector.definition($0, isLocal: definition.isLocal, field: $1, $2)
      }
      guard let missing = try check.missing(definition) else { return }
      if let known = projector.schema[missing.collection] {
        try settle()
        try UniqueCheck(projector: projector).require(missing, known)
        try TreeCheck(projector: projector).require(missing, known)
      }
      try requireUnmixed(missing.collection, isLocal: definition.isLocal)
      try apply(.define(missing))
      if let words = projector.refusal(of: missing.collection, isLocal: definition.isLocal) {
        throw StoreError(
          .overLimit, "\(missing.collection) cannot have a table on this machine: \(words)",
          hint: "Define fewer fields, or under other names")
      }
    }
  }

  /// Ends a collection: its table goes, its events stay. A `define` brings it back.
  public func drop(collection: String) throws {
    try call {
      let known = try self.collection(collection)
      try requireUnmixed(collection, isLocal: known.isLocal)
      try apply(.drop(collection: collection, field: nil))
    }
  }

  public func drop(field: String, of collection: String) throws {
    try call {
      let schema = try self.collection(collection)
      guard let known = schema[field: field] else {
        throw FieldCheck.unknownField(field, schema)
      }
      try KeyCheck.requireNoPart(known, of: schema)
      try requireUnmixed(collection, isLocal: schema.isLocal)
      try apply(.drop(collection: collection, field: known.identity))
    }
  }

  /// Writes attributes that the collection or field may have already, to record that the author has seen
  /// what others wrote.
  /// - Throws: as ``define(_:)`` if a value makes no sense, or data stand against it.
  func defineAgain(_ definition: Definition, isLocal: Bool) throws {
    try call {
      try DefinitionCheck.requireSense(definition)
      if let known = projector.schema[definition.collection] {
        try settle()
        try UniqueCheck(projector: projector).require(definition, known)
        try TreeCheck(projector: projector).require(definition, known)
      }
      try requireUnmixed(definition.collection, isLocal: isLocal)
      try apply(.define(definition))
    }
  }
}
