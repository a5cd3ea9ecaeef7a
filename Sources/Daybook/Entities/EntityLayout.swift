import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections
import Foundation

/// What is known about an entity's type: its fields, and the defaults of its properties.
///
/// It is found out once for each type.
final class EntityLayout<Model: Entity>: Sendable {
  let fields: [EntityField<Model>]
  /// The names of the fields, by which the type knows their columns.
  let names: [String]
  /// The first names of the fields, by which writes name them, whatever they are called by now.
  let identities: [String]
  let types: [FieldType]
  /// The table, as SQL has it.
  let table: String
  /// The columns of the fields, as SQL has them.
  let columns: [String]
  /// The id and all columns, as SQL has them.
  let columnList: String
  /// What the type expects of its table.
  let shape: TableShape
  /// The statement that finds a row by its id.
  private let rowByID: SQLFragment
  /// The same before its table has a name.
  private let markedByID: (SQLFragment, TableMark)
  /// The values of the properties of a new entity; nil if they cannot be encoded.
  let defaults: [Value?]
  /// The first names of the fields whose properties can hold that there is no value.
  private let optionals: Set<String>
  /// The places of fields that show a default of the type, which a store of this process does not
  /// have, so that there is NULL in the column.
  private let unshownDefaults = Mutex<Set<Int>>([])
  /// The places of the fields, by their properties.
  private let byKeyPath: KeyPaths

  /// Key paths are immutable.
  private struct KeyPaths: @unchecked Sendable {
    var places: [AnyKeyPath: Int]
  }

  /// The collection's definition, with defaults and rules.
  let definition: Definition
  /// The places of the fields that make the id; empty if authors choose it.
  let key: [Int]

  static var shared: EntityLayout<Model> {
    Layouts.layout(ObjectIdentifier(Model.self)) { EntityLayout<Model>() }
  }

  private init() {
    DeclaredTypes.add(Model.collection)
    let (model, again) = (Model(), Model())
    let defaults = Model.fields.map { try? $0.value(model) }
    let isConstant = Model.fields.map { field in
      Self.isConstant(try? field.value(model), try? field.value(again))
    }
    fields = zip(Model.fields.indices, Model.fields).map { index, field in
      if field.isOptional, !field.isKept { return field.optional() }
      let isReference =
        field.definition.attributes["references"] != nil
        || Model.self is any Relationship.Type
          && ["source", "target"].contains(field.definition.name)
      // A property that can hold nothing shows that for entities that are older than the field.
      guard let value = defaults[index], value != .null, isConstant[index], !field.isComputed,
        !field.isKept, !isReference,
        field.definition.attributes["default"] == nil
      else { return field }
      return field.default(value)
    }
    self.defaults = defaults
    names = fields.map(\.definition.shownName)
    identities = fields.map(\.definition.name)
    optionals = Set(fields.filter(\.isOptional).map(\.definition.name))
    types = fields.map { $0.type }
    let table = Names.quoted(Model.collection)
    self.table = table
    columns = names.map(Names.quoted)
    columnList = (["\"id\""] + columns).map { "\(table).\($0)" }.joined(separator: ", ")
    shape = TableShape(Model.collection, Array(zip(fields.map(\.definition), types)))
    let mark = TableMark(table)
    let byID = "SELECT \(columnList) FROM " + SQLFragment(from: mark, shape) + " WHERE \"id\" = ?"
    (rowByID, markedByID) = (byID.named(first: mark), (byID, mark))
    var byKeyPath: [AnyKeyPath: Int] = [:]
    for (index, field) in fields.enumerated() { byKeyPath[field.keyPath] = index }
    self.byKeyPath = KeyPaths(places: byKeyPath)
    var base = Definition(Model.collection, fields.map(\.definition))
    if Model.self is any Relationship.Type { base = base.relationship() }
    definition = Model.refine(base)
    let names = names
    key = StoreSchema.Collection.key(definition.attributes["key"]).compactMap {
      names.firstIndex(of: $0)
    }
  }

  /// Returns the statement that finds the row of an id.
  func byID(_ id: EntityID<Model>) -> SQLFragment {
    var statement = rowByID.binding(id.rawValue)
    statement.adapted = { [markedByID] db in
      let (marked, mark) = markedByID
      return try marked.binding(id.rawValue).named(first: mark).adapted?(db) ?? marked
    }
    return statement
  }

  /// Whether a property begins with the same value in each entity.
  ///
  /// A random value differs. A date that follows from a clock is within some years of now.
  private static func isConstant(_ a: Value?, _ b: Value?) -> Bool {
    guard a == b else { return false }
    guard let date = a?.date else { return true }
    return abs(date.timeIntervalSinceNow) > 10 * 366 * 86_400
  }

  /// Returns the place of the field that a property is stored in; nil for a property that is not
  /// stored.
  func place(of keyPath: AnyKeyPath) -> Int? { byKeyPath.places[keyPath] }

  /// Whether a property that is not stored in a field is the id.
  ///
  /// A key path to the property of a type differs from one to the protocol's, so it is tried. An id
  /// that follows from other properties cannot be set, and is the same each time.
  func isID(_ keyPath: PartialKeyPath<Model>) -> Bool {
    func isID(_ model: Model) -> Bool {
      var model = model
      model.id = EntityID()
      return model[keyPath: keyPath] as? EntityID<Model> == model.id
    }
    func distinct<R: Relationship>(_ type: R.Type) -> Model? {
      var relationship = R()
      (relationship.from, relationship.to) = ("a", "b")
      return relationship as? Model
    }
    return isID((Model.self as? any Relationship.Type).flatMap { distinct($0) } ?? Model())
  }

  /// Returns the values that authors write, by the fields' first names.
  /// - Throws: ``StoreError`` `wrongType` if one cannot be encoded.
  func values(of model: Model) throws -> [String: Value] {
    var values: [String: Value] = [:]
    values.reserveCapacity(fields.count)
    for (index, field) in fields.enumerated() where !field.isKept {
      let value = try self.value(of: field, model)
      if value != .null { values[identities[index]] = value }
    }
    return values
  }

  /// Returns the values of the fields in which two entities differ, by the fields' first names.
  /// - Throws: ``StoreError`` `wrongType` if one cannot be encoded.
  func changes(from old: Model, to new: Model) throws -> [String: Value] {
    var changes: [String: Value] = [:]
    for (index, field) in fields.enumerated() where !field.isKept {
      let value = try self.value(of: field, new)
      if value != (try? field.value(old)) { changes[identities[index]] = value }
    }
    return changes
  }

  /// Returns the values of a new entity as a store takes them.
  ///
  /// What the store keeps is left out, as another version may have made it so. Where the store has
  /// the default of another version, a property without a value says that it has none.
  func inserted(_ values: [String: Value], into schema: StoreSchema.Collection) -> [String: Value] {
    var inserted = taken(values, by: schema)
    for field in schema.fields
    where field.isNullable && inserted[field.identity] == nil
      && optionals.contains(field.identity)
    {
      inserted[field.identity] = .null
    }
    return inserted
  }

  /// The fields, by their first names, in which values of this type may have to say that there is
  /// none, and the store takes NULL for the default of another version.
  func fieldsThatNeedNull(in schema: StoreSchema.Collection) -> Set<String> {
    Set(
      schema.fields.filter {
        $0.defaultValue != nil && !$0.isNullable && optionals.contains($0.identity)
      }.map(\.identity))
  }

  /// Returns values without those of fields that the store keeps.
  func taken(_ values: [String: Value], by schema: StoreSchema.Collection) -> [String: Value] {
    var taken = values
    for field in schema.fields where field.kept != nil { taken[field.identity] = nil }
    return taken
  }

  /// Notes where the type has a default, and the store may have NULL.
  func compare(with schema: StoreSchema.Collection) {
    let found = fields.indices.filter { index in
      guard let preset = fields[index].definition.attributes["default"], preset != .null,
        !fields[index].isOptional, let field = schema[identity: identities[index]]
      else { return false }
      return (field.defaultValue == nil || field.isNullable) && field.kept == nil
    }
    if !found.isEmpty { unshownDefaults.withLock { $0.formUnion(found) } }
  }

  /// The default that a field's column does not show in every store; nil if it shows it.
  func unshownDefault(_ place: Int) -> Value? {
    unshownDefaults.withLock { $0.contains(place) }
      ? fields[place].definition.attributes["default"] : nil
  }

  /// Returns the value of a field, by its place.
  /// - Throws: ``StoreError`` `wrongType` if it cannot be encoded.
  func value(at place: Int, _ model: Model) throws -> Value {
    try value(of: fields[place], model)
  }

  private func value(of field: EntityField<Model>, _ model: Model) throws -> Value {
    do { return try field.value(model) } catch let error as StoreError {
      var error = error
      error.message = "\(Model.collection).\(field.definition.shownName): \(error.message)"
      throw error
    }
  }

  /// Returns the entity of an id with the fields of the store, and the names of those that hold no
  /// value of their property's type.
  func model(_ entity: StoredEntity) -> (model: Model, unreadable: [String]) {
    let row = EntityRow(identities, entity)
    var model = Model()
    model.id = EntityID(rawValue: entity.id)
    model.read(row)
    return (model, row.unreadable.map { names[$0] })
  }

  /// Returns a value as a property shows it: a value that it cannot hold is the property's default.
  /// - Parameter place: the place of the property's field.
  func shown<V>(_ value: Value, at place: Int, _ property: KeyPath<Model, V>) -> V {
    var model = Model()
    _ = fields[place].read(FieldCell(value), &model)
    return model[keyPath: property]
  }

  /// Returns the id that follows from an entity's key; nil if authors choose the id.
  func derivedID(_ model: Model) -> EntityID<Model>? {
    guard !key.isEmpty else { return nil }
    let values = key.map { (try? fields[$0].value(model)) ?? .null }
    return EntityID(rawValue: DerivedID.id(collection: Model.collection, key: values))
  }
}

extension Entity {
  /// Returns the id that follows from the fields that the collection is keyed by; a new one if
  /// authors choose the id.
  public static func derivedID(of entity: Self) -> ID {
    EntityLayout<Self>.shared.derivedID(entity) ?? ID()
  }
}

/// The layouts of all types that this process uses.
private enum Layouts {
  private static let known = Mutex<[ObjectIdentifier: any Sendable]>([:])

  static func layout<T: Sendable>(_ type: ObjectIdentifier, _ make: () -> T) -> T {
    if let layout = known.withLock({ $0[type] }) as? T { return layout }
    // Made without the lock, because a type's own code runs.
    let layout = make()
    return known.withLock { known in
      if let other = known[type] as? T { return other }
      known[type] = layout
      return layout
    }
  }
}
