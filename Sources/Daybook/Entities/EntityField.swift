import DaybookEngine
public import DaybookEventCore
import DaybookProjections
import Foundation

/// A field of an entity's type: its name in the store, its property, and its rules.
///
/// ```swift
/// static let fields: [EntityField<Note>] = [
///   .field("title", \.title).searchable(weight: 2),
///   .field("folder", \.folder).references(Folder.self, onDelete: .nullify),
/// ]
/// ```
public struct EntityField<Model: Entity>: Sendable {
  /// The field as it is defined in the store.
  public private(set) var definition: Definition.Field
  /// The property.
  public let keyPath: any PartialKeyPath<Model> & Sendable
  /// Returns the value of an entity's property.
  let value: @Sendable (Model) throws -> Value
  /// Reads a cell into the property, and returns false if the cell holds no value of its type.
  let read: @Sendable (FieldCell, inout Model) -> Bool
  /// Whether the property can hold that there is no value.
  let isOptional: Bool
  /// Whether the property may begin with another value in each new entity.
  private(set) var isComputed = false
  /// The type of the field's column.
  let type: FieldType
  /// All values that the property can show, if it is an enumeration that lists its cases; empty
  /// otherwise.
  let cases: [Value]

  private init(
    _ name: String, _ type: FieldType, _ keyPath: any PartialKeyPath<Model> & Sendable,
    isOptional: Bool = false, cases: [Value] = [],
    value: @escaping @Sendable (Model) throws -> Value,
    read: @escaping @Sendable (FieldCell, inout Model) -> Bool
  ) {
    definition = Definition.Field(name).attribute("type", .text(type.rawValue))
    self.keyPath = keyPath
    self.type = type
    self.isOptional = isOptional
    self.cases = cases
    self.value = value
    self.read = read
  }

  /// A field of a property that holds a value.
  public static func field<V: FieldValue>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V> & Sendable
  ) -> EntityField {
    EntityField(
      name, V.fieldType, keyPath, isOptional: V.self is any AnyOptional.Type,
      value: { $0[keyPath: keyPath].storedValue },
      read: { cell, model in
        guard let value = V(cell: cell) else { return cell.isNull }
        model[keyPath: keyPath] = value
        return true
      })
  }

  /// A field of a property that holds one case of an enumeration, or anything else with a raw
  /// value.
  @_disfavoredOverload
  public static func field<V: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V> & Sendable
  ) -> EntityField where V.RawValue: FieldValue {
    EntityField(
      name, V.RawValue.fieldType, keyPath, cases: storedCases(V.self),
      value: { $0[keyPath: keyPath].rawValue.storedValue },
      read: { cell, model in
        guard let raw = V.RawValue(cell: cell), let value = V(rawValue: raw) else {
          return cell.isNull
        }
        model[keyPath: keyPath] = value
        return true
      })
  }

  /// A field of a property that holds one case of an enumeration, or nothing.
  @_disfavoredOverload
  public static func field<V: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V?> & Sendable
  ) -> EntityField where V.RawValue: FieldValue {
    EntityField(
      name, V.RawValue.fieldType, keyPath, isOptional: true, cases: storedCases(V.self),
      value: { $0[keyPath: keyPath]?.rawValue.storedValue ?? .null },
      read: { cell, model in
        guard !cell.isNull else {
          model[keyPath: keyPath] = nil
          return true
        }
        guard let raw = V.RawValue(cell: cell), let value = V(rawValue: raw) else { return false }
        model[keyPath: keyPath] = value
        return true
      })
  }

  /// A field of a property that is encoded as JSON.
  @_disfavoredOverload
  public static func field<V: Codable & Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V> & Sendable
  ) -> EntityField {
    EntityField(
      name, .json, keyPath, value: { try Value(encoding: $0[keyPath: keyPath]) },
      read: { cell, model in
        guard let value = JSONField.decode(V.self, cell) else { return cell.isNull }
        model[keyPath: keyPath] = value
        return true
      })
  }

  /// A field of a property that is encoded as JSON, or holds nothing.
  @_disfavoredOverload
  public static func field<V: Codable & Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V?> & Sendable
  ) -> EntityField {
    EntityField(
      name, .json, keyPath, isOptional: true,
      value: { model in try model[keyPath: keyPath].map { try Value(encoding: $0) } ?? .null },
      read: { cell, model in
        guard !cell.isNull else {
          model[keyPath: keyPath] = nil
          return true
        }
        guard let value = JSONField.decode(V.self, cell) else { return false }
        model[keyPath: keyPath] = value
        return true
      })
  }

  /// What is said about a property of a type that no field can hold.
  @available(
    *, unavailable,
    message: "no field can hold this type: make it Codable, or add @Transient to the property"
  )
  @_disfavoredOverload
  public static func field<V>(
    _ name: String, _ keyPath: any WritableKeyPath<Model, V> & Sendable
  ) -> EntityField {
    EntityField(name, .json, keyPath, value: { _ in .null }, read: { _, _ in false })
  }

  // MARK: - Rules

  /// Returns the same field with a change of its definition.
  private func defined(_ change: (Definition.Field) -> Definition.Field) -> EntityField {
    var copy = self
    copy.definition = change(definition)
    return copy
  }

  /// Returns the same field as part of the collection's search index; see
  /// `Definition.Field.searchable(weight:)`.
  public func searchable(weight: Double = 1) -> EntityField {
    defined { $0.searchable(weight: weight) }
  }

  /// Returns the same field with an index.
  public func indexed() -> EntityField { defined { $0.indexed() } }

  /// Returns the same field of type text, whose changes merge; see `Definition.Field.merging()`.
  public func merging() -> EntityField { defined { $0.merging() } }

  /// Returns the same field with the rule that no two live entities have the same value in it.
  /// - Parameter rule: how values are compared; `.folded` is for texts.
  public func unique(_ rule: Uniqueness = .exact) -> EntityField { defined { $0.unique(rule) } }

  /// Returns the same field as a reference to entities of another type.
  /// - Parameters:
  ///   - other: the type of the entities that it refers to.
  ///   - rule: what becomes of an entity when the one that it refers to is deleted.
  public func references<Other: Entity>(
    _ other: Other.Type, onDelete rule: ReferenceRule = .keep
  ) -> EntityField {
    defined { $0.references(Other.collection).onDelete(rule) }
  }

  /// Returns the same field, which refers to its own collection, with the rule that no entity is
  /// above itself.
  public func tree() -> EntityField { defined { $0.tree() } }

  /// Returns the same field as one that the store keeps. What an app sets there is not written.
  public func kept(_ fact: KeptFact) -> EntityField { defined { $0.kept(fact) } }

  /// Returns the same field, which had other names before.
  /// - Parameters:
  ///   - first: the first name that the field ever had.
  ///   - others: the names that it had after that and before this one, oldest first.
  public func formerly(_ first: String, _ others: String...) -> EntityField {
    defined { $0.formerly(first, others) }
  }

  /// Returns the same field with an attribute that this version of Daybook does not know.
  public func attribute(_ name: String, _ value: Value) -> EntityField {
    defined { $0.attribute(name, value) }
  }

  /// Returns the same field with the value that entities show that are older than the field.
  ///
  /// A property that begins with a constant has that without this call.
  public func `default`(_ value: Value) -> EntityField { defined { $0.default(value) } }

  /// Returns the same field, which can hold that there is no value.
  func optional() -> EntityField { defined { $0.optional() } }

  /// Returns the same field without a default in the store, because its property begins with
  /// another value in each new entity, such as a date that follows from the clock.
  ///
  /// An entity that is older than the field has no value there; its property shows what it begins
  /// with at that moment.
  public func computed() -> EntityField {
    var copy = self
    copy.isComputed = true
    return copy
  }

  /// Whether the store keeps the field, so that authors do not write it.
  var isKept: Bool { definition.attributes["kept"] != nil }
}

/// Returns the values of all cases of an enumeration, in the order of SQLite; none if it does not
/// list its cases.
private func storedCases<V: RawRepresentable>(_ type: V.Type) -> [Value]
where V.RawValue: FieldValue {
  func all<C: CaseIterable>(_ type: C.Type) -> [Any] { Array(C.allCases) }
  guard let listed = V.self as? any CaseIterable.Type else { return [] }
  let cases = all(listed).compactMap { ($0 as? V)?.rawValue.storedValue }
  return cases.sorted { a, b in
    switch (a, b) {
    case (.text(let a), .text(let b)): utf8Less(a, b)
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    default: false
    }
  }
}

private protocol AnyOptional {}
extension Optional: AnyOptional {}

/// Decodes properties that are encoded as JSON.
enum JSONField {
  static func decode<V: Decodable>(_ type: V.Type, _ cell: FieldCell) -> V? {
    guard let json = cell.json else { return nil }
    return try? Value.json(Array(json)).decoded(as: V.self)
  }
}
