package import DaybookEventCore

/// Folds the definition registers into a schema: typed collections and fields, each name once,
/// within the limits of a read model.
///
/// The schema is a function of the winners. It is kept up to date collection by collection: a new
/// definition costs nothing for the others.
struct SchemaFold {
  let limits: ReadModelLimits
  private(set) var schema = StoreSchema()
  /// The collections that definitions declare, shown or not, by identity.
  private var declared: [String: CollectionSchema] = [:]
  /// The identities whose names SQLite cannot tell apart, by ``Names/folded(_:)``.
  private var groups: [String: Set<String>] = [:]
  /// The folded names of the groups that get a table if the limit allows, in byte order.
  private var order: [String] = []
  /// SQLite's messages for collections whose table it refuses to make, by identity.
  private(set) var refused: [String: String] = [:]

  init(_ limits: ReadModelLimits = .standard) { self.limits = limits }

  /// A change of one collection's table.
  struct Step {
    var identity: String
    /// The new schema; nil if the table is dropped.
    var new: CollectionSchema?
  }

  /// Updates the schema after the registers of some collections have changed.
  /// - Parameters:
  ///   - identities: the identities of the collections.
  ///   - attributes: returns the values that a collection's registers show; see
  ///     ``DefinitionRegisters/attributes(of:)``.
  /// - Returns: the changes of the tables, in an order that works: tables that go make room first.
  mutating func update(
    _ identities: Set<String>, _ attributes: (String) -> [String: [String: Value]]
  ) -> [Step] {
    let before = schema
    var touched: Set<String> = []
    for identity in identities {
      let name = CollectionIdentity.name(identity)
      touched.insert(name)
      declare(identity, Self.collection(identity, attributes(identity), limits))
    }
    let groups = Set(touched.map(Names.folded))
    for name in groups { touched.formUnion(names(in: name)) }
    touched.formUnion(place(groups))
    for name in groups { touched.formUnion(names(in: name)) }
    return steps(touched, before)
  }

  /// Records that SQLite refuses to make a collection's table, or that it is to be tried again.
  /// - Parameters:
  ///   - identity: the collection's identity.
  ///   - reason: SQLite's message; nil to try again.
  /// - Returns: the changes of the tables.
  mutating func setRefused(_ identity: String, _ reason: String?) -> [Step] {
    let before = schema
    refused[identity] = reason
    let group = Names.folded(CollectionIdentity.name(identity))
    let touched = Set(names(in: group)).union(place([group]))
    return steps(touched, before)
  }

  private func steps(_ names: Set<String>, _ before: StoreSchema) -> [Step] {
    let changed = names.sorted(by: utf8Less).filter { before[$0] != schema[$0] }
    var steps: [Step] = []
    for name in changed {
      guard let gone = before[name], schema[identity: gone.identity] == nil else { continue }
      steps.append(Step(identity: gone.identity, new: nil))
    }
    for name in changed {
      if let next = schema[name] { steps.append(Step(identity: next.identity, new: next)) }
    }
    return steps
  }

  private mutating func declare(_ identity: String, _ collection: CollectionSchema?) {
    declared[identity] = collection
    let name = Names.folded(CollectionIdentity.name(identity))
    if collection == nil {
      groups[name]?.remove(identity)
      if groups[name]?.isEmpty == true { groups[name] = nil }
      schema.setHidden(identity, nil)
    } else {
      groups[name, default: []].insert(identity)
    }
  }

  private func names(in group: String) -> [String] {
    (groups[group] ?? []).map(CollectionIdentity.name)
  }

  // MARK: - Collections with tables

  /// Decides again which collections of some groups have a table.
  /// - Returns: the names of collections whose visibility may have changed. These may be in other
  ///   groups: a new name may push the last one over the limit.
  private mutating func place(_ names: Set<String>) -> Set<String> {
    // Each name that comes or goes moves the names at the limit by one place.
    var moved = names.union(border(names.count))
    if names.count > 256 {
      order = Set(order).union(names).filter { candidates(in: $0).first != nil }.sorted(
        by: utf8Less)
    } else {
      for name in names {
        let place = Self.place(of: name, in: order)
        let isThere = place < order.count && order[place] == name
        let isWanted = candidates(in: name).first != nil
        if isWanted, !isThere { order.insert(name, at: place) }
        if !isWanted, isThere { order.remove(at: place) }
      }
    }
    moved.formUnion(border(names.count))
    return Set(moved.flatMap { show($0) })
  }

  /// Returns the names that are at most `reach` places away from the limit.
  private func border(_ reach: Int) -> ArraySlice<String> {
    let end = min(order.count, limits.collections + reach)
    return order[min(end, max(0, limits.collections - reach))..<end]
  }

  /// Returns the identities that may have the table of a group, best first: local before shared,
  /// then in byte order. A merge must not make an app's local collection a shared one.
  private func candidates(in group: String) -> [String] {
    (groups[group] ?? []).filter {
      refused[$0] == nil && Names.isValid(CollectionIdentity.name($0))
    }.sorted {
      let (a, b) = (CollectionIdentity.isLocal($0), CollectionIdentity.isLocal($1))
      return a != b ? a : utf8Less($0, $1)
    }
  }

  private mutating func show(_ group: String) -> [String] {
    var touched: [String] = []
    // The collection that has the table now; none if its last definition is gone.
    if let old = schema.spelling(of: group) {
      touched.append(old)
      schema.remove(old)
    }
    let place = Self.place(of: group, in: order)
    let isVisible = place < limits.collections && place < order.count && order[place] == group
    let winner = candidates(in: group).first
    for identity in groups[group] ?? [] {
      guard let collection = declared[identity] else { continue }
      touched.append(collection.name)
      if identity == winner, isVisible {
        schema.setHidden(identity, nil)
        schema.set(collection)
      } else {
        schema.setHidden(
          identity,
          HiddenCollection(schema: collection, reason: reason(identity, winner: winner)))
      }
    }
    return touched
  }

  private func reason(_ identity: String, winner: String?) -> HiddenReason {
    let name = CollectionIdentity.name(identity)
    if let words = refused[identity] { return .refused(words) }
    guard Names.isValid(name) else { return .invalidName }
    guard let winner, winner != identity else { return .overLimit(limits.collections) }
    return CollectionIdentity.isLocal(winner)
      ? .localHasName : .spelledLike(CollectionIdentity.name(winner))
  }

  private static func place(of name: String, in order: [String]) -> Int {
    var range = order.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        utf8Less(order[middle], name)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  // MARK: - One collection

  /// Returns the collection that the registers declare; nil if it does not exist.
  private static func collection(
    _ identity: String, _ attributes: [String: [String: Value]], _ limits: ReadModelLimits
  ) -> CollectionSchema? {
    let own = attributes[""] ?? [:]
    guard own[DefinitionRegisters.existence] == .boolean(true) else { return nil }
    let name = CollectionIdentity.name(identity)
    let isRelationship = own["relationship"] == .boolean(true)
    var fields = FieldFold(collection: name, isRelationship: isRelationship, limits: limits)
    for (identity, attributes) in attributes where !identity.isEmpty {
      fields.add(identity, attributes)
    }
    let (shown, hidden) = fields.finish()
    return CollectionSchema(
      name: name, isLocal: CollectionIdentity.isLocal(identity), isRelationship: isRelationship,
      fields: shown, key: CollectionSchema.key(own["key"]),
      hiddenFields: hidden + IndexSchema.unknownSets(own),
      directedness: isRelationship ? Directedness(own["directed"], fields: shown) : .directed,
      indexes: IndexSchema.indexes(own, shown), uniqueSets: IndexSchema.uniqueSets(own, shown),
      tokenizer: SearchTokenizer(own["tokenizer"]))
  }
}

extension StoreSchema {
  /// Folds definitions as if one author had written them in this order, with no other definitions.
  package init(folding definitions: [Definition]) {
    var registers = DefinitionRegisters()
    var fold = SchemaFold()
    for (number, definition) in definitions.enumerated() {
      let ref = WriteRef(origin: 1, sequence: UInt64(number + 1), operation: 0)
      registers.addLatest(
        DefinitionRegisters.writes(of: .define(definition), ref: ref, isLocal: false))
    }
    _ = fold.update(Set(definitions.map(\.collection)), registers.attributes)
    self = fold.schema
  }
}
