import DaybookEventCore

/// The limits on how much a read model shows.
package struct ReferenceLimits: Sendable {
  package var collections: Int
  package var fields: Int
  package var searched: Int
  package var rowBytes: Int

  package init(collections: Int, fields: Int, searched: Int, rowBytes: Int) {
    self.collections = collections
    self.fields = fields
    self.searched = searched
    self.rowBytes = rowBytes
  }

  package static let standard = ReferenceLimits(
    collections: 10_000, fields: 1_900, searched: 100, rowBytes: 268_435_456)
}

/// The declared collections and their columns, by the winners of the definition registers.
struct ReferenceSchema {
  struct Column: Hashable, Sendable {
    /// The field's first name, which events use.
    let identity: ReferenceName
    let name: ReferenceName
    let type: String
    let position: Int64
    let isSearchable: Bool
    let isIndexed: Bool
    /// How values are compared of which no two entities show the same; nil if they may.
    let uniqueness: ReferenceUniqueness?
    /// Whether the field refers to its own collection, in which nothing may be above itself.
    let isTree: Bool
    /// What the column shows if the entity has no value of the type.
    let preset: ReferenceCell
    /// The value of that cell.
    let presetValue: Value
    /// Whether NULL is a value, and not the same as none.
    let isNullable: Bool
    /// What the store keeps in the column; nil for a column that authors write.
    let kept: KeptFact?

    var unsearched: Column {
      Column(
        identity: identity, name: name, type: type, position: position, isSearchable: false,
        isIndexed: isIndexed, uniqueness: uniqueness, isTree: isTree, preset: preset,
        presetValue: presetValue, isNullable: isNullable, kept: kept)
    }

    /// Returns what the column shows of an entity, if no other entity has a part in it; nil for a
    /// misfit.
    func cell(_ entity: ReferenceEntity) -> ReferenceCell? {
      switch kept {
      case .created: ReferenceEntity.time(entity.created ?? 0)
      case .modified: ReferenceEntity.time(entity.modified)
      case .version: .integer(Int64(entity.version))
      case nil: ReferenceCell(entity.fields[identity]?.value ?? .null, type: type)
      }
    }

    /// Returns what the column shows of an entity, with the default for what was never written and
    /// for a misfit.
    func shown(_ entity: ReferenceEntity) -> ReferenceCell {
      showsPreset(entity) ? preset : cell(entity) ?? preset
    }

    /// Whether the column shows the default because there is no value.
    func showsPreset(_ entity: ReferenceEntity) -> Bool {
      guard kept == nil else { return false }
      guard let value = entity.fields[identity]?.value else { return true }
      return value == .null && !isNullable
    }
  }

  struct Collection: Hashable, Sendable {
    let isRelationship: Bool
    /// The columns in their order, without the id.
    let columns: [Column]
    /// The rules about unique values of one column, or of several.
    let rules: [UniqueRule]
  }

  struct UniqueRule: Hashable, Sendable {
    let columns: [Column]
    let uniqueness: ReferenceUniqueness
  }

  private(set) var collections: [ReferenceName: Collection] = [:]

  private let registers: [DefinitionRegister: ReferenceWrite]
  private static let types: Set = [
    "text", "integer", "real", "boolean", "blob", "timestamp", "json",
  ]
  private static let reserved: Set<ReferenceName> = ["id"]
  private let limits: ReferenceLimits

  /// - Parameters:
  ///   - registers: the winner of each register.
  ///   - limits: the limits on what is shown.
  init(_ registers: [DefinitionRegister: ReferenceWrite], _ limits: ReferenceLimits) {
    self.registers = registers
    self.limits = limits
    let named = Set(registers.keys.map(\.collection)).filter {
      Self.isValid($0.shown) && value($0, "", "exists") == .boolean(true)
    }
    let shown = Self.shown(named).sorted { $0.shown.lowercasedASCII < $1.shown.lowercasedASCII }
    for name in shown.prefix(limits.collections) {
      let isRelationship = value(name, "", "relationship") == .boolean(true)
      let columns = columns(of: name, isRelationship)
      collections[name] = Collection(
        isRelationship: isRelationship, columns: columns,
        rules: Self.rules(columns, sets(of: name, columns)))
    }
  }

  /// Returns the rules about unique values. A field that is unique by itself and as a set of one
  /// field has one rule, without case if one of the two is.
  private static func rules(_ columns: [Column], _ sets: [UniqueRule]) -> [UniqueRule] {
    let single = columns.compactMap { column in
      column.uniqueness.map { UniqueRule(columns: [column], uniqueness: $0) }
    }
    var rules: [UniqueRule] = []
    for rule in single + sets {
      if let same = rules.firstIndex(where: { $0.columns == rule.columns }) {
        if rule.uniqueness == .folded { rules[same] = rule }
      } else {
        rules.append(rule)
      }
    }
    return rules
  }

  private func value(
    _ collection: ReferenceName, _ field: ReferenceName, _ attribute: ReferenceName
  ) -> Value {
    let register = DefinitionRegister(
      collection: collection, field: field, attribute: attribute)
    return registers[register]?.value ?? .null
  }

  private func columns(of collection: ReferenceName, _ isRelationship: Bool) -> [Column] {
    let ends: [ReferenceName] = isRelationship ? ["source", "target"] : []
    let fields = Set(registers.keys.filter { $0.collection == collection }.map(\.field))
    let named = fields.filter { field in
      Self.isValid(field) && !Self.reserved.contains(field.lowercasedASCII)
        && !ends.contains(field.lowercasedASCII)
        && value(collection, field, "exists") == .boolean(true)
        && type(of: field, in: collection) != nil
    }
    var columns = shown(named, in: collection, ends).map { field, name in
      let position = value(collection, field, "position")
      return column(
        field, as: name, in: collection, type: type(of: field, in: collection) ?? "",
        position: { if case .integer(let number) = position { number } else { Int64.max } }())
    }
    columns.sort(by: Self.isBefore)
    columns = Array(columns.prefix(max(0, limits.fields - ends.count)))
    for (end, position) in zip(ends, [Int64(-2), -1]) {
      columns.append(
        column(end, as: end, in: collection, type: "text", position: position, isEnd: true))
    }
    columns.sort(by: Self.isBefore)
    var searched = 0
    return columns.map { column in
      guard column.isSearchable else { return column }
      searched += 1
      return searched > limits.searched ? column.unsearched : column
    }
  }

  /// Returns the columns of each attribute such as `unique:a,b`: the first 32, in byte order.
  private func sets(of collection: ReferenceName, _ columns: [Column]) -> [UniqueRule] {
    let attributes = registers.keys.filter {
      $0.collection == collection && $0.field == "" && $0.attribute.text.hasPrefix("unique:")
    }
    let sets = attributes.map(\.attribute).sorted().compactMap { attribute -> UniqueRule? in
      guard let uniqueness = ReferenceUniqueness(value(collection, "", attribute)) else {
        return nil
      }
      let names = attribute.text.dropFirst(7).split(
        separator: ",", omittingEmptySubsequences: false)
      let found = names.compactMap { name in
        columns.first {
          $0.identity == ReferenceName(String(name)) && $0.kept == nil && !$0.isTree
        }
      }
      let isSet = found.count == names.count && Set(found.map(\.identity)).count == found.count
      return isSet && found.count <= 8 ? UniqueRule(columns: found, uniqueness: uniqueness) : nil
    }
    return Array(sets.prefix(32))
  }

  private static func isBefore(_ a: Column, _ b: Column) -> Bool {
    a.position != b.position ? a.position < b.position : a.identity < b.identity
  }

  /// Returns the name under which each field is shown.
  ///
  /// A later name must be valid, and no end's or other field's first name. Of several fields that
  /// want one name, the one whose first name has the smallest bytes gets it. All others are shown
  /// under their first names.
  private func shown(
    _ named: Set<ReferenceName>, in collection: ReferenceName, _ ends: [ReferenceName]
  ) -> [(identity: ReferenceName, name: ReferenceName)] {
    var wishes: [(identity: ReferenceName, name: ReferenceName)] = []
    for field in named {
      guard case .text(let text) = value(collection, field, "name") else { continue }
      let name = ReferenceName(text)
      let small = name.lowercasedASCII
      guard Self.isValid(name), !Self.reserved.contains(small), !ends.contains(small),
        !named.contains(where: { $0 != field && $0.lowercasedASCII == small })
      else { continue }
      wishes.append((field, name))
    }
    let granted = Dictionary(grouping: wishes, by: \.name.lowercasedASCII).values.compactMap {
      $0.min { $0.identity < $1.identity }
    }
    let rest = named.subtracting(granted.map(\.identity))
    return granted + Self.firstOfEquals(rest).map { ($0, $0) }
  }

  private func type(of field: ReferenceName, in collection: ReferenceName) -> String? {
    guard case .text(let type) = value(collection, field, "type") else { return nil }
    return Self.types.contains(type) ? type : nil
  }

  private func column(
    _ field: ReferenceName, as name: ReferenceName, in collection: ReferenceName, type: String,
    position: Int64, isEnd: Bool = false
  ) -> Column {
    let isWanted =
      switch value(collection, field, "search") {
      case .boolean(let flag): flag
      case .integer(let weight): weight > 0
      case .real(let weight): weight > 0
      default: false
      }
    let kept = isEnd ? nil : kept(field, in: collection, type: type)
    let isTree =
      value(collection, field, "tree") == .boolean(true) && type == "text"
      && value(collection, field, "references") == .text(collection.shown.text)
    let given = value(collection, field, "default")
    let preset = isTree || isEnd || kept != nil ? .null : preset(given, type: type)
    return Column(
      identity: field, name: name, type: type, position: position,
      isSearchable: isWanted && (type == "text" || type == "json") && kept == nil,
      isIndexed: value(collection, field, "index") == .boolean(true),
      uniqueness: kept == nil ? ReferenceUniqueness(value(collection, field, "unique")) : nil,
      isTree: isTree && kept == nil,
      preset: preset, presetValue: preset == .null ? .null : Self.reading(given, type: type),
      isNullable: preset != .null && value(collection, field, "optional") == .boolean(true),
      kept: kept)
  }

  /// Returns a value as its column reads: an integer in a column of reals is a real.
  private static func reading(_ value: Value, type: String) -> Value {
    if case .integer(let number) = value, type == "real" { return .real(Double(number)) }
    return value
  }

  private func kept(_ field: ReferenceName, in collection: ReferenceName, type: String) -> KeptFact?
  {
    switch (value(collection, field, "kept"), type) {
    case (.text("created"), "timestamp"): .created
    case (.text("modified"), "timestamp"): .modified
    case (.text("version"), "integer"): .version
    default: nil
    }
  }

  /// Returns the cell of a default; NULL if it is not of the type, has over 1 KiB or a NUL.
  private func preset(_ value: Value, type: String) -> ReferenceCell {
    guard value.canonicalBytes.count <= 1024, let cell = ReferenceCell(value, type: type) else {
      return .null
    }
    if case .text(let text) = cell, text.bytes.contains(0) { return .null }
    return cell
  }

  /// Returns the collections that get their name: a local one before a shared one, then the one
  /// with the smallest bytes.
  private static func shown(_ named: Set<ReferenceName>) -> [ReferenceName] {
    Dictionary(grouping: named, by: \.shown.lowercasedASCII).values.compactMap { group in
      let local = group.filter(\.isLocal)
      return (local.isEmpty ? group : local).min()
    }
  }

  /// Returns the names without those that differ from another only in case;
  /// the smallest bytes stay.
  private static func firstOfEquals(_ names: Set<ReferenceName>) -> [ReferenceName] {
    Dictionary(grouping: names, by: \.lowercasedASCII).values.compactMap { $0.min() }
  }

  /// Returns whether a name is valid: a letter, then up to 62 letters, digits and underscores, and
  /// not beginning with `sqlite_`.
  private static func isValid(_ name: ReferenceName) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    let bytes = name.bytes
    guard let first = bytes.first, isLetter(first), bytes.count <= 63 else { return false }
    guard bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == 0x5F }) else { return false }
    return !name.lowercasedASCII.bytes.starts(with: "sqlite_".utf8)
  }
}
