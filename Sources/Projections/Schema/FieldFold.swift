import DaybookEventCore

/// Folds the definitions of one collection's fields into typed columns, each name once, in order.
struct FieldFold {
  private let collection: String
  /// The fields that a relationship has without a definition: `source` and `target`.
  private let ends: [String]
  private let limits: ReadModelLimits
  private var attributes: [String: [String: Value]] = [:]
  private var candidates: [String: FieldSchema] = [:]
  private var hidden: [HiddenField] = []

  init(collection: String, isRelationship: Bool, limits: ReadModelLimits) {
    self.collection = collection
    ends = isRelationship ? ["source", "target"] : []
    self.limits = limits
  }

  /// Adds a declared field.
  /// - Parameters:
  ///   - identity: the field's first name.
  ///   - attributes: the values that its registers show, by attribute.
  mutating func add(_ identity: String, _ attributes: [String: Value]) {
    self.attributes[identity] = attributes
    guard !ends.contains(identity), attributes[DefinitionRegisters.existence] == .boolean(true),
      case .text(let name)? = attributes["type"], let type = FieldType(rawValue: name)
    else { return }
    guard Names.isValidField(identity) else {
      return hidden.append(HiddenField(field: identity, reason: .invalidName))
    }
    if let end = ends.first(where: { $0 == Names.folded(identity) }) {
      return hidden.append(HiddenField(field: identity, reason: .spelledLike(end)))
    }
    candidates[identity] = field(identity, type, attributes)
  }

  /// Folds the added fields.
  /// - Returns: the columns, in their order, and the hidden fields, by name.
  mutating func finish() -> (shown: [FieldSchema], hidden: [HiddenField]) {
    let names = FieldNames(candidates.keys, ends: ends) { identity in
      guard case .text(let name)? = attributes[identity]?["name"] else { return nil }
      return name
    }
    var named: [FieldSchema] = []
    for (identity, candidate) in candidates {
      guard let name = names.shown[identity] else {
        let other = names.holder(of: identity) ?? identity
        hidden.append(HiddenField(field: identity, reason: .spelledLike(other)))
        continue
      }
      var field = candidate
      field.name = name
      named.append(field)
    }
    named.sort { position(of: $0) < position(of: $1) }
    // The ends always have columns: a relationship needs them.
    let room = max(limits.fields - ends.count, 0)
    for field in named.dropFirst(room) {
      hidden.append(HiddenField(field: field.identity, reason: .overLimit(limits.fields)))
    }
    var shown = ends.map { field($0, .text, attributes[$0] ?? [:]) } + named.prefix(room)
    shown.sort { position(of: $0) < position(of: $1) }
    boundSearched(&shown)
    for field in shown where field.kept == nil {
      let rule = attributes[field.identity]?["unique"]
      guard Uniqueness.isUnknown(rule), case .text(let name)? = rule else { continue }
      hidden.append(HiddenField(field: field.identity, reason: .unknownRule(name)))
    }
    hidden.sort { utf8Less($0.field, $1.field) }
    return (shown, hidden)
  }

  /// Keeps only the first searched fields searched, if there are more than the limit.
  private mutating func boundSearched(_ shown: inout [FieldSchema]) {
    let searched = shown.indices.filter { shown[$0].searchWeight != nil }
    for index in searched.dropFirst(limits.searchedFields) {
      shown[index].searchWeight = nil
      hidden.append(
        HiddenField(field: shown[index].identity, reason: .notSearched(limits.searchedFields)))
    }
  }

  /// The place of a column: by the position that it was given, then by its first name.
  private struct Position: Comparable {
    var number: Int64
    var identity: String

    static func < (a: Position, b: Position) -> Bool {
      a.number != b.number ? a.number < b.number : utf8Less(a.identity, b.identity)
    }
  }

  private func position(of field: FieldSchema) -> Position {
    if let end = ends.firstIndex(of: field.identity) {
      return Position(number: Int64(end) - 2, identity: field.identity)
    }
    guard case .integer(let number)? = attributes[field.identity]?["position"] else {
      return Position(number: .max, identity: field.identity)
    }
    return Position(number: number, identity: field.identity)
  }

  private func field(_ name: String, _ type: FieldType, _ attributes: [String: Value])
    -> FieldSchema
  {
    var weight: Double?
    switch attributes["search"] {
    case .boolean(true)?: weight = 1
    case .integer(let value)? where value > 0: weight = Double(value)
    case .real(let value)? where value > 0: weight = value
    default: break
    }
    let isIndexed = attributes["index"] == .boolean(true)
    if let kept = kept(name, type, attributes) {
      return FieldSchema(
        identity: name, name: name, type: type, isIndexed: isIndexed, isTree: false, kept: kept)
    }
    var references: String?
    if case .text(let collection)? = attributes["references"] { references = collection }
    let isTree = attributes["tree"] == .boolean(true) && type == .text && references == collection
    let preset = isTree ? nil : defaultValue(name, type, attributes)
    return FieldSchema(
      identity: name, name: name, type: type, isIndexed: isIndexed,
      uniqueness: Uniqueness(attributes["unique"]), isTree: isTree,
      searchWeight: type == .text || type == .json ? weight : nil, references: references,
      onDelete: references == nil ? .keep : rule(name, attributes),
      defaultValue: preset,
      isNullable: preset != nil && attributes["optional"] == .boolean(true),
      merges: type == .text && attributes["merge"] == .boolean(true) && !ends.contains(name))
  }

  /// Returns the fact that a store keeps in the field; nil if the field is not of the fact's type.
  private func kept(_ name: String, _ type: FieldType, _ attributes: [String: Value]) -> KeptFact? {
    guard case .text(let fact)? = attributes["kept"], let kept = KeptFact(rawValue: fact),
      kept.type == type, !ends.contains(name)
    else { return nil }
    return kept
  }

  /// Returns what becomes of an entity when the one that the field refers to is deleted.
  ///
  /// An end of a relationship cannot become NULL, so the relationship is deleted instead.
  private func rule(_ name: String, _ attributes: [String: Value]) -> ReferenceRule {
    guard case .text(let text)? = attributes["onDelete"], let rule = ReferenceRule(rawValue: text)
    else { return .keep }
    return rule == .nullify && ends.contains(name) ? .cascade : rule
  }

  /// Returns the field's default; nil if it is not of the field's type, or too large.
  private func defaultValue(_ name: String, _ type: FieldType, _ attributes: [String: Value])
    -> Value?
  {
    guard let value = attributes["default"], value != .null, !ends.contains(name),
      FieldSchema.canBeDefault(value), let cell = type.cell(for: value)
    else { return nil }
    return type.value(of: cell.cell)
  }
}
