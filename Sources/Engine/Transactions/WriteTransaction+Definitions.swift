public import DaybookEventCore
import DaybookProjections

/// Definition and removal of collections and fields.
extension WriteTransaction {
  /// Defines a collection and its fields, and writes only what the store does not have yet.
  ///
  /// If the store has everything, nothing is written. A field that is defined as `formerly` another
  /// is shown under its new name from then on, on every replica that the definition arrives at. A
  /// collection's key stays as it was first defined, and so does whether it is local.
  /// - Throws: ``StoreError`` `invalidName`; `unknownName` if the key names no field; `overLimit`;
  ///   `contradiction` if a field has another type, its new name belongs to another field, or the
  ///   collection is of another kind (relationship, local) or has another key; `valueTaken` if a
  ///   field is to become unique and two entities have the same value; `wouldLoop` if a field is to
  ///   become a tree and an entity is above itself; `mixedTransaction` if the transaction writes to
  ///   shared collections and this one is local, or the reverse.
  public func define(_ definition: Definition) throws {
    try define(definition, .change(migration: migration.map { Int64($0) }))
  }

  /// Defines what the store does not have yet, for a call of an app or for its types.
  package func define(_ definition: Definition, _ purpose: DefinitionCheck.Purpose) throws {
    try call {
      let check = DefinitionCheck(projector.schema, projector.limits, purpose) { [projector] in
        projector.definition($0, isLocal: definition.isLocal, field: $1, $2)
      }
      guard let missing = try check.missing(definition) else { return }
      try DefinitionCheck.requireReadable(missing)
      if let known = projector.schema[missing.collection] {
        try UniqueCheck(transaction: self).require(missing, known)
        try TreeCheck(transaction: self).require(missing, known)
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

  /// Drops a collection: its table goes, its events stay.
  ///
  /// ``define(_:)-(Definition)`` brings it back.
  /// - Throws: ``StoreError`` `unknownName` or `mixedTransaction`.
  public func drop(collection: String) throws {
    try call {
      let known = try self.collection(collection)
      try requireUnmixed(collection, isLocal: known.isLocal)
      try apply(.drop(collection: collection, field: nil))
    }
  }

  /// Drops a field of a collection: its column goes, its events stay.
  ///
  /// ``define(_:)-(Definition)`` brings it back.
  /// - Throws: ``StoreError`` `unknownName`, `mixedTransaction`, or `fixedKey` if the field is part
  ///   of the collection's key.
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

  /// Writes an attribute of a collection or field even if unchanged, to record that the author saw
  /// all concurrent writes.
  /// - Parameters:
  ///   - attribute: the attribute and its value.
  ///   - collection: the collection.
  ///   - field: the field's first name; empty for an attribute of the collection.
  ///   - isLocal: whether the collection is a local one.
  /// - Throws: ``StoreError`` `invalidName` if the value makes no sense; `valueTaken`, `wouldLoop`
  ///   if the data contradict it; `contradiction` if the first value counts for ever, and is
  ///   another one; `mixedTransaction`.
  func defineAgain(
    _ attribute: (name: String, value: Value), of collection: String, _ field: String, isLocal: Bool
  ) throws {
    try call {
      var definition = Definition(collection: collection)
      if field.isEmpty {
        definition.attributes[attribute.name] = attribute.value
      } else {
        definition.fields = [.init(field, [attribute.name: attribute.value])]
      }
      try DefinitionCheck.requireSense(definition)
      let shown = projector.definition(collection, isLocal: isLocal, field: field, attribute.name)
      let isFixed = DefinitionRegisters.isFixed(attribute.name, ofField: !field.isEmpty)
      if let shown, isFixed, shown.value != attribute.value {
        throw StoreError(
          .contradiction,
          "the first \(attribute.name) of \(collection)\(field.isEmpty ? "" : ".\(field)") counts "
            + "for ever: \(shown.value.shown)",
          hint: "Settle the conflict with that value, and use another name for the other")
      }
      if let shown, shown.migration > 0 {
        definition.attributes[Definition.migrationAttribute] = .integer(shown.migration)
      }
      if let known = projector.schema[definition.collection] {
        try UniqueCheck(transaction: self).require(definition, known)
        try TreeCheck(transaction: self).require(definition, known)
      }
      try requireUnmixed(definition.collection, isLocal: isLocal)
      try apply(.define(definition))
    }
  }
}
