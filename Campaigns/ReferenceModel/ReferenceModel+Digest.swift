import DaybookEventCore

extension ReferenceModel {
  /// The sum over all definition registers and all entities, deleted and undeclared ones included.
  /// Local collections are left out.
  var digest: StateDigest {
    var digest = StateDigest()
    for (register, winner) in definitions where !register.collection.isLocal {
      var writer = ByteWriter()
      writer.raw(Array("daybook.definition.1".utf8))
      writer.text(register.collection.text)
      writer.text(register.field.text)
      writer.text(register.attribute.text)
      writer.raw(winner.value.canonicalBytes)
      winner.reference.encode(to: &writer)
      digest.add(Hash256.sha256(of: writer.bytes))
    }
    for (collection, ids) in entities where !collection.isLocal {
      for (id, entity) in ids {
        digest.add(Hash256.sha256(of: Self.canonicalBytes(collection, id, entity)))
      }
    }
    return digest
  }

  private static func canonicalBytes(
    _ collection: ReferenceName, _ id: ReferenceName, _ entity: ReferenceEntity
  ) -> [UInt8] {
    var writer = ByteWriter()
    let hasEdits = !entity.editCounts.isEmpty
    writer.raw(Array((hasEdits ? "daybook.entity.2" : "daybook.entity.1").utf8))
    writer.text(collection.text)
    EntityIDCodec.encode(id.text, to: &writer)
    writer.byte(entity.existence?.kind.rawValue ?? 0)
    entity.existence?.write(.null).reference.encode(to: &writer)
    writer.byte(entity.isLive ? 1 : 0)
    writer.varint(entity.fields.count)
    for (name, winner) in entity.fields.sorted(by: { $0.key < $1.key }) {
      writer.text(name.text)
      writer.raw(winner.value.canonicalBytes)
      winner.reference.encode(to: &writer)
      if hasEdits { writer.varint(entity.editCounts[name] ?? 0) }
    }
    return writer.bytes
  }
}
