import DaybookEventCore

/// The collection and the id of an entity, which are compared by their bytes.
package struct EntityKey: Hashable, Comparable, Sendable {
  package var collection: String
  package var id: String

  package init(collection: String, id: String) {
    self.collection = collection
    self.id = id
  }

  // By bytes: texts that Unicode holds to be equivalent are different ids.
  package static func == (a: EntityKey, b: EntityKey) -> Bool {
    a.collection.utf8.elementsEqual(b.collection.utf8) && a.id.utf8.elementsEqual(b.id.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in collection.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xff))
    for byte in id.utf8 { hasher.combine(byte) }
  }

  package static func < (a: EntityKey, b: EntityKey) -> Bool {
    a.collection.utf8.elementsEqual(b.collection.utf8)
      ? utf8Less(a.id, b.id) : utf8Less(a.collection, b.collection)
  }
}
