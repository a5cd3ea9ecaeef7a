package import DaybookEventCore
package import DaybookSimulation

/// A generator of random operations on the universe's few entities.
package struct OperationGenerator {
  package var random: SplitMix64
  private(set) var features: Set<EventFeature> = []
  /// The types given to each field so far, to notice contradictions.
  private var types: [ReferenceName: Set<String>] = [:]
  private var defined: Set<ReferenceName> = []
  /// The entities that operations name most often.
  private let hot: [(collection: String, id: String)]
  private let collections: [String]
  private let fields: [(name: String, type: String)]

  package init(random: SplitMix64) {
    var random = random
    let hazards = HazardousNames.collections(&random)
    // As often as all others together. Otherwise they would rarely be defined,
    // searched and written to.
    let count = EventUniverse.collections.count / max(hazards.count, 1)
    collections = EventUniverse.collections + hazards.flatMap { Array(repeating: $0, count: count) }
    fields =
      HazardousNames.fields(&random).map { ($0, random.pick(["text", "text", "integer"])) }
      + EventUniverse.fields
    hot = ["notes", "notes", "links", hazards.first ?? random.pick(EventUniverse.collections)].map {
      ($0, random.pick(EventUniverse.ids))
    }
    self.random = random
  }

  /// Returns a transaction's operations.
  package mutating func transaction() -> [Operation] {
    if random.chance(2) {
      features.insert(.emptyTransaction)
      return []
    }
    var operations: [Operation] = []
    var target = entity()
    for index in 0..<random.pick([1, 1, 1, 2, 3, 6]) {
      if random.chance(15) {
        operations.append(random.chance(75) ? define() : drop())
        continue
      }
      if random.chance(60) {
        target = entity()
      } else if index > 0 {
        features.insert(.sameEntityTwice)
      }
      operations.append(change(target.collection, target.id))
    }
    return operations
  }

  private mutating func entity() -> (collection: String, id: String) {
    if random.chance(60) { return random.pick(hot) }
    return (random.pick(collections), random.pick(EventUniverse.ids))
  }

  private mutating func change(_ collection: String, _ id: String) -> Operation {
    note(collection, id)
    switch random.pick(0...99) {
    case 0..<44:
      features.insert(.insert)
      return .insert(collection: collection, id: id, fields: fields(collection))
    case 44..<74:
      features.insert(.update)
      return .update(collection: collection, id: id, fields: fields(collection))
    case 74..<85:
      features.insert(.delete)
      return .delete(collection: collection, id: id)
    case 85..<94:
      features.insert(.restore)
      return .restore(collection: collection, id: id)
    default:
      features.insert(.erase)
      return .erase(collection: collection, id: id)
    }
  }

  private mutating func note(_ collection: String, _ id: String) {
    if id == EventUniverse.uuid { features.insert(.uuidID) }
    if id == EventUniverse.longID { features.insert(.longID) }
    if EventUniverse.unicodeIDs.contains(id) { features.insert(.unicodeID) }
    if collection == EventUniverse.undeclared { features.insert(.undeclaredName) }
    if collection.contains(" ") || collection.hasPrefix("sqlite_") { features.insert(.invalidName) }
  }

  private mutating func fields(_ collection: String) -> [String: Value] {
    var fields: [String: Value] = [:]
    for _ in 0..<random.pick([0, 1, 1, 2, 4, 6]) {
      let field = random.pick(self.fields)
      fields[field.name] = value(field.type)
    }
    if random.chance(60) {
      // Half of the values are one, so that entities compete for it.
      fields[EventUniverse.code] =
        random.chance(50) ? .text("x") : random.pick(EventUniverse.codes)
    }
    if random.chance(75) {
      fields[EventUniverse.parent] = .text(
        random.chance(85) ? random.pick(hot).id : random.pick(EventUniverse.ids))
    }
    if collection == EventUniverse.relationship, random.chance(70) {
      fields["source"] = .text(random.pick(EventUniverse.ids))
      fields["target"] = .text(random.pick(EventUniverse.ids))
    }
    return fields
  }

  private mutating func value(_ type: String) -> Value {
    if random.chance(12) {
      features.insert(.nullValue)
      return .null
    }
    var type = type
    if random.chance(18) {
      features.insert(.misfit)
      type = random.pick(EventUniverse.types)
    }
    return random.pick(EventUniverse.values[type] ?? [.null])
  }

  /// Returns a definition of one of the collections that may be declared.
  /// - Parameter name: the collection's name; nil for a random one.
  package mutating func define(_ name: String? = nil) -> Operation {
    let others = collections.filter { $0 != EventUniverse.undeclared }
    let collection = name ?? random.pick(others)
    let isNew = defined.insert(ReferenceName(collection)).inserted
    features.insert(isNew ? .define : .redefine)
    var definition = Definition(collection: collection)
    if collection == EventUniverse.relationship, isNew || random.chance(50) {
      features.insert(.relationship)
      definition.attributes["relationship"] = .boolean(!random.chance(10))
    }
    if random.chance(10) {
      features.insert(.existsAttribute)
      definition.attributes["exists"] = .boolean(false)
    }
    if random.chance(10) {
      definition.attributes["key"] = random.pick(
        [.text("title,count"), .text("code"), .null])
    }
    if random.chance(25) {
      features.insert(.uniqueTogether)
      let set = random.pick(["code,count", "count,done", "title", "source,target", "code,nothing"])
      definition.attributes["unique:" + set] = uniqueness()
    }
    if random.chance(25) {
      features.insert(.indexOfSeveral)
      let columns = random.pick([
        "code,-count", "-done", "title,code,count", "nothing,code", "code,",
      ])
      definition.attributes["index:" + columns] = random.pick([
        .boolean(true), .boolean(true), .text("done"), .text("count"), .text("nothing"), .null,
      ])
    }
    if random.chance(10) { definition.attributes["later"] = .text("unheard of") }
    if random.chance(20) {
      features.insert(.migration)
      definition.attributes["migration"] = random.pick([
        .integer(1), .integer(2), .integer(3), .integer(.max), .integer(0), .integer(-1),
        .text("2"),
      ])
    }
    if random.chance(8) {
      // Whether a collection is local follows from the author, whatever the attribute says.
      features.insert(.sharedSaysLocal)
      definition.attributes["local"] = random.pick([.boolean(true), .boolean(false), .null])
    }
    if isNew ? random.chance(85) : random.chance(25) {
      let code = (name: EventUniverse.code, type: "text")
      definition.fields.append(.init(code.name, attributes(collection, code)))
    }
    if isNew ? random.chance(85) : random.chance(25) {
      let parent = (name: EventUniverse.parent, type: "text")
      definition.fields.append(.init(parent.name, attributes(collection, parent)))
    }
    for _ in 0..<(isNew ? random.pick(6...16) : random.pick(0...4)) {
      let field = random.pick(fields.dropLast())
      // A definition names a field once, and names that are equal to Swift would be one
      // key to a dictionary.
      guard !definition.fields.contains(where: { $0.name == field.name }) else { continue }
      definition.fields.append(.init(field.name, attributes(collection, field)))
    }
    return .define(definition)
  }

  /// Returns a definition that a store accepts.
  package mutating func plainDefinition(_ collection: String) -> Definition {
    var names: Set<String> = []
    var definition = Definition(collection: collection)
    for field in fields
    where field.name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil
      && names.insert(field.name.lowercased()).inserted
    {
      var attributes: [String: Value] = ["type": .text(field.type)]
      if field.type == "text", random.chance(30) { attributes["search"] = .boolean(true) }
      if random.chance(20) { attributes["index"] = .boolean(true) }
      definition.fields.append(.init(field.name, attributes))
    }
    definition.fields.append(
      .init(
        EventUniverse.code,
        [
          "type": .text("text"),
          "unique": random.pick([.boolean(true), .text("folded-1"), .boolean(false)]),
        ]))
    definition.fields.append(
      .init(
        EventUniverse.parent,
        ["type": .text("text"), "references": .text(collection), "tree": .boolean(true)]))
    return definition
  }

  private mutating func attributes(
    _ collection: String, _ field: (name: String, type: String)
  ) -> [String: Value] {
    var attributes: [String: Value] = [:]
    if random.chance(90) {
      let type = random.chance(85) ? field.type : random.pick(EventUniverse.types + ["odd"])
      attributes["type"] = random.chance(97) ? .text(type) : .integer(1)
      let register = ReferenceName("\(collection)/\(field.name)")
      types[register, default: []].insert(type)
      if types[register]?.count ?? 0 > 1 { features.insert(.contradictingTypes) }
    }
    if random.chance(30) {
      features.insert(.search)
      attributes["search"] = random.pick([
        .boolean(true), .boolean(false), .integer(2), .integer(0), .real(0.5), .text("yes"), .null,
      ])
    }
    if random.chance(30) {
      features.insert(.index)
      attributes["index"] = random.pick([.boolean(true), .boolean(true), .boolean(false), .null])
    }
    if random.chance(field.name == EventUniverse.code ? 80 : 20) {
      features.insert(.unique)
      attributes["unique"] = uniqueness()
    }
    if random.chance(30) {
      features.insert(.position)
      attributes["position"] = random.pick([
        .integer(0), .integer(1), .integer(1), .integer(-5), .integer(.max), .text("first"),
      ])
    }
    if field.name == EventUniverse.parent, random.chance(85) {
      features.insert(.tree)
      attributes["tree"] =
        random.chance(85) ? .boolean(true) : random.pick([.boolean(false), .null])
      attributes["references"] =
        random.chance(85) ? .text(collection) : random.pick([.text("tasks"), .null])
    }
    if random.chance(25) {
      features.insert(.defaultValue)
      let type = random.chance(85) ? field.type : random.pick(EventUniverse.types)
      attributes["default"] =
        random.chance(80)
        ? random.pick(EventUniverse.values[type] ?? [.null])
        : random.pick([.null, .text("O'Hara"), .text("a\0b"), .text(EventUniverse.longID)])
      if random.chance(40) {
        features.insert(.nullable)
        attributes["optional"] = random.pick([
          .boolean(true), .boolean(true), .boolean(true), .boolean(false), .null, .integer(1),
        ])
      }
    }
    if random.chance(12) {
      features.insert(.kept)
      attributes["kept"] = random.pick([
        .text("created"), .text("modified"), .text("version"), .text("mood"), .null,
      ])
    }
    if random.chance(15) {
      features.insert(.rename)
      attributes["name"] = random.pick(EventUniverse.laterNames)
    }
    if random.chance(5) {
      features.insert(.existsAttribute)
      attributes["exists"] = .boolean(false)
    }
    return attributes
  }

  private mutating func uniqueness() -> Value {
    let value: Value = random.pick([
      .boolean(true), .boolean(true), .boolean(true), .text("folded-1"), .text("folded-1"),
      .text("folded-2"), .boolean(false), .null,
    ])
    if value == .text("folded-1") { features.insert(.uniqueFolded) }
    if value == .text("folded-2") { features.insert(.uniqueOfLater) }
    return value
  }

  private mutating func drop() -> Operation {
    let collection = random.pick(collections)
    if random.chance(30) {
      features.insert(.dropCollection)
      return .drop(collection: collection, field: nil)
    }
    features.insert(.dropField)
    return .drop(collection: collection, field: random.pick(fields).name)
  }
}
