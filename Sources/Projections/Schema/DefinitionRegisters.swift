package import DaybookEventCore

/// Every write to a definition, and the write that each register shows.
///
/// All writes are kept, since a stamp may change which of them wins. Cost: a write costs the same
/// however many collections there are.
package struct DefinitionRegisters {
  package struct Register: Hashable {
    /// The collection's identity: see ``CollectionIdentity``.
    package var collection: String
    /// The field's name; empty for the collection itself.
    package var field: String
    package var attribute: String

    /// Whether the first write counts instead of the last.
    var isFixed: Bool { DefinitionRegisters.isFixed(attribute, ofField: !field.isEmpty) }

    /// Returns whether this register comes first in byte order, which gives a deterministic order.
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
    /// The number of the migration that the write is part of; 0 if it is part of none.
    package var migration: Int64 = 0

    /// Returns whether the write counts, and not another one of the same register.
    /// - Parameter isLater: whether this write is the later one in the total order.
    func outranks(_ other: Write, isLater: Bool) -> Bool {
      if register.isFixed { return !isLater }
      return migration == other.migration ? isLater : migration > other.migration
    }
  }

  package static let existence = "exists"

  /// Whether the first value of an attribute counts for ever: no later author may change it, as
  /// others have data that depend on it.
  package static func isFixed(_ attribute: String, ofField: Bool) -> Bool {
    ofField ? attribute == "type" : attribute == "relationship" || attribute == "key"
  }

  /// By register, in order of arrival.
  private var writes: [Register: [Write]] = [:]
  package private(set) var winners: [Register: Write] = [:]
  /// The registers of each collection.
  private var registers: [String: Set<Register>] = [:]

  /// The write that a register showed before, nil if none, and the one that it shows now.
  struct Change {
    var register: Register
    var old: Write?
    var new: Write
  }

  package init() {}

  /// Returns the writes that a `define` or `drop` makes.
  /// - Parameters:
  ///   - operation: any operation; others than `define` and `drop` make no writes.
  ///   - ref: the operation's place in the log.
  ///   - isLocal: whether the operation stands in an event of a private origin.
  package static func writes(of operation: Operation, ref: WriteRef, isLocal: Bool) -> [Write] {
    func write(
      _ collection: String, _ field: String, _ attribute: String, _ value: Value,
      migration: Int64 = 0
    ) -> Write {
      Write(
        register: Register(
          collection: CollectionIdentity.of(collection, isLocal: isLocal), field: field,
          attribute: attribute),
        value: value, ref: ref, migration: migration)
    }
    switch operation {
    case .define(let definition):
      let name = definition.collection
      var writes = [write(name, "", existence, .boolean(true))]
      let noRegisters = [existence, Definition.migrationAttribute]
      for (attribute, value) in definition.attributes where !noRegisters.contains(attribute) {
        writes.append(write(name, "", attribute, value, migration: definition.migration))
      }
      for field in definition.fields {
        writes.append(write(name, field.name, existence, .boolean(true)))
        for (attribute, value) in field.attributes where attribute != existence {
          writes.append(
            write(name, field.name, attribute, value, migration: definition.migration))
        }
      }
      return writes
    case .drop(let collection, let field):
      return [write(collection, field ?? "", existence, .boolean(false))]
    default:
      return []
    }
  }

  /// Adds new writes.
  /// - Returns: a change for each register that they name.
  mutating func append(
    _ new: [Write], by order: (WriteRef) throws(ProjectionError) -> OrderKey
  ) throws(ProjectionError) -> [Change] {
    var changed: [Register: Write?] = [:]
    for write in new {
      let register = write.register
      writes[register, default: []].append(write)
      registers[register.collection, default: []].insert(register)
      let old = winners[register]
      if changed[register] == nil { changed.updateValue(old, forKey: register) }
      if let old, try !write.outranks(old, isLater: order(old.ref) <= order(write.ref)) {
        continue
      }
      winners[register] = write
    }
    return changes(changed)
  }

  /// Adds writes that are later than all others.
  mutating func addLatest(_ new: [Write]) {
    for write in new {
      writes[write.register, default: []].append(write)
      registers[write.register.collection, default: []].insert(write.register)
      if let old = winners[write.register], !write.outranks(old, isLater: true) { continue }
      winners[write.register] = write
    }
  }

  /// Picks the winners of some collections again, after the order of writes to
  /// them may have changed.
  /// - Parameter collections: the collections' identities.
  /// - Returns: a change for each register that shows another write than before.
  mutating func refold(
    _ collections: Set<String>, by order: (WriteRef) throws(ProjectionError) -> OrderKey
  ) throws(ProjectionError) -> [Change] {
    var changed: [Register: Write?] = [:]
    for register in collections.flatMap({ registers[$0] ?? [] }) {
      var best: (key: OrderKey, write: Write)?
      for write in writes[register] ?? [] {
        let key = try order(write.ref)
        if let known = best, !write.outranks(known.write, isLater: known.key <= key) { continue }
        best = (key, write)
      }
      guard let winner = best?.write, winner.ref != winners[register]?.ref else { continue }
      changed.updateValue(winners[register], forKey: register)
      winners[register] = winner
    }
    return changes(changed)
  }

  /// Returns the changes sorted by register, so that their order is deterministic.
  private func changes(_ changed: [Register: Write?]) -> [Change] {
    changed.keys.sorted { $0.isBefore($1) }.compactMap { register in
      winners[register].map { Change(register: register, old: changed[register] ?? nil, new: $0) }
    }
  }

  /// Returns all writes to a register, in order of arrival.
  func writes(to register: Register) -> [Write] { writes[register] ?? [] }

  /// Returns the values that a collection's registers show, by field (empty for the collection
  /// itself), then attribute.
  func attributes(of collection: String) -> [String: [String: Value]] {
    var attributes: [String: [String: Value]] = [:]
    for register in registers[collection] ?? [] {
      attributes[register.field, default: [:]][register.attribute] = winners[register]?.value
    }
    return attributes
  }

  /// Returns the digest's summand for the write that a register shows; nil for a local collection,
  /// which is in no digest.
  static func contribution(_ write: Write, origin: (Int) -> ReplicaID) -> Hash256? {
    guard !CollectionIdentity.isLocal(write.register.collection) else { return nil }
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
