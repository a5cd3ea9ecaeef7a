package import EventCore

/// Every write to a definition, and the schema that they fold to. Definitions are few, so all
/// writes are kept and folded anew whenever one comes or sinks.
package struct DefinitionRegisters {
  package struct Register: Hashable {
    /// By its identity: see ``CollectionIdentity``.
    package var collection: String
    /// Empty for the collection itself.
    package var field: String
    package var attribute: String

    /// By bytes; for whoever wants the same order each time.
    func isBefore(_ other: Register) -> Bool {
      if collection != other.collection { return utf8Less(collection, other.collection) }
      if field != other.field { return utf8Less(field, other.field) }
      return utf8Less(attribute, other.attribute)
    }
  }

  package struct Write {
    package var register: Register
    package var value: Value
    package var ref: WriteRef
  }

  package static let existence = "exists"

  package private(set) var writes: [Write] = []
  package private(set) var winners: [Register: Write] = [:]

  package init() {}

  /// The writes that a `define` or `drop` makes.
  /// - Parameter isLocal: whether it stands in an event of a private origin.
  package static func writes(of operation: Operation, ref: WriteRef, isLocal: Bool) -> [Write] {
    func write(_ collection: String, _ field: String, _ attribute: String, _ value: Value) -> Write
    {
      Write(
        register: Register(
          collection: CollectionIdentity.of(collection, isLocal: isLocal), field: field,
          attribute: attribute),
        value: value, ref: ref)
    }
    switch operation {
    case .define(let definition):
      let name = definition.collection
      var writes = [write(name, "", existence, .boolean(true))]
      for (attribute, value) in definition.attributes where attribute != existence {
        writes.append(write(name, "", attribute, value))
      }
      for field in definition.fields {
        writes.append(write(name, field.name, existence, .boolean(true)))
        for (attribute, value) in field.attributes where attribute != existence {
          writes.append(write(name, field.name, attribute, value))
        }
      }
      return writes
    case .drop(let collection, let field):
      return [write(collection, field ?? "", existence, .boolean(false))]
    default:
      return []
    }
  }

  package mutating func append(_ new: [Write]) { writes += new }

  /// Picks the winners anew.
  package mutating func fold(by order: (WriteRef) throws(ProjectionError) -> OrderKey)
    throws(ProjectionError)
  {
    var keys: [Register: OrderKey] = [:]
    winners = [:]
    for write in writes {
      let key = try order(write.ref)
      if let best = keys[write.register], key < best { continue }
      keys[write.register] = key
      winners[write.register] = write
    }
  }

  /// The digest's summands, one a register. What is local is in no digest.
  func contributions(origin: (Int) -> ReplicaID) -> [Hash256] {
    winners.values.filter { !CollectionIdentity.isLocal($0.register.collection) }.map { write in
      var writer = ByteWriter(capacity: 128)
      writer.raw(Array("daybook.definition.1".utf8))
      writer.text(write.register.collection)
      writer.text(write.register.field)
      writer.text(write.register.attribute)
      write.value.encode(to: &writer)
      write.ref.encodeForDigest(origin: origin(write.ref.origin), to: &writer)
      return Hash256.sha256(of: writer.bytes)
    }
  }

  package var schema: Schema {
    var fields: [String: [String: [String: Value]]] = [:]
    for (register, write) in winners {
      fields[register.collection, default: [:]][register.field, default: [:]][
        register.attribute] = write.value
    }
    var candidates: [String: CollectionSchema] = [:]
    for (identity, byField) in fields
    where Names.isValid(CollectionIdentity.name(identity))
      && byField[""]?[Self.existence] == .boolean(true)
    {
      var collection = Self.collection(CollectionIdentity.name(identity), byField)
      collection.isLocal = CollectionIdentity.isLocal(identity)
      candidates[identity] = collection
    }
    var schema = Schema()
    let (shown, hidden) = Self.withoutClashes(candidates.keys)
    for identity in shown {
      schema.collections[CollectionIdentity.name(identity)] = candidates[identity]
    }
    schema.hidden = hidden.compactMap { candidates[$0] }
    return schema
  }

  private static func collection(_ name: String, _ byField: [String: [String: Value]])
    -> CollectionSchema
  {
    let isRelationship = byField[""]?["relationship"] == .boolean(true)
    var positioned: [(position: Int64, field: FieldSchema)] = []
    let ends: [String] = isRelationship ? ["source", "target"] : []
    for (index, end) in ends.enumerated() {
      let attributes = byField[end] ?? [:]
      positioned.append((Int64(index) - 2, field(end, .text, attributes, of: name)))
    }
    var candidates: [String: (Int64, FieldSchema)] = [:]
    for (identity, attributes) in byField
    where Names.isValidField(identity) && attributes[Self.existence] == .boolean(true)
      && !ends.contains(Names.folded(identity))
    {
      guard case .text(let typeName)? = attributes["type"],
        let type = FieldType(rawValue: typeName)
      else { continue }
      var position = Int64.max
      if case .integer(let value)? = attributes["position"] { position = value }
      candidates[identity] = (position, field(identity, type, attributes, of: name))
    }
    let names = FieldNames(candidates.keys, ends: ends) { identity in
      guard case .text(let name)? = byField[identity]?["name"] else { return nil }
      return name
    }
    for (identity, name) in names.shown {
      guard var candidate = candidates[identity] else { continue }
      candidate.1.name = name
      positioned.append(candidate)
    }
    positioned.sort {
      $0.position != $1.position
        ? $0.position < $1.position : utf8Less($0.field.identity, $1.field.identity)
    }
    return CollectionSchema(
      name: name, isRelationship: isRelationship, fields: positioned.map(\.field),
      key: CollectionSchema.key(byField[""]?["key"]))
  }

  private static func field(
    _ name: String, _ type: FieldType, _ attributes: [String: Value], of collection: String
  ) -> FieldSchema {
    var weight: Double?
    switch attributes["search"] {
    case .boolean(true)?: weight = 1
    case .integer(let value)? where value > 0: weight = Double(value)
    case .real(let value)? where value > 0: weight = value
    default: break
    }
    var references: String?
    if case .text(let collection)? = attributes["references"] { references = collection }
    return FieldSchema(
      identity: name, name: name, type: type, isIndexed: attributes["index"] == .boolean(true),
      isUnique: attributes["unique"] == .boolean(true),
      isTree: attributes["tree"] == .boolean(true) && type == .text && references == collection,
      searchWeight: type == .text || type == .json ? weight : nil, references: references)
  }

  /// Of names that SQLite cannot tell apart, the first in byte order stays, and a local collection's
  /// before a shared one's: what an app takes to be its own must not become everybody's by a merge.
  private static func withoutClashes(_ identities: some Collection<String>) -> (
    shown: [String], hidden: [String]
  ) {
    var taken: Set<String> = []
    func take(_ isLocal: Bool) -> [String] {
      identities.filter { CollectionIdentity.isLocal($0) == isLocal }.sorted(by: utf8Less)
    }
    let local = take(true).filter {
      taken.insert(Names.folded(CollectionIdentity.name($0))).inserted
    }
    let byLocal = taken
    let shared = take(false)
    let hidden = shared.filter { byLocal.contains(Names.folded($0)) }
    return (local + shared.filter { taken.insert(Names.folded($0)).inserted }, hidden)
  }
}
