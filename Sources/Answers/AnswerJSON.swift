package import Daybook
package import DaybookEventCore
package import DaybookJSON
package import DaybookProjections

/// Values, entities and events in the JSON of answers.
///
/// An integer beyond 2⁵³ is a text: many clients read every number as a double, and would see
/// another one.
package enum AnswerJSON {
  package static func integer(_ number: Int64) -> JSONValue {
    (-(1 << 53)...1 << 53).contains(number) ? .integer(number) : .text(String(number))
  }

  package static func count(_ number: UInt64) -> JSONValue {
    number <= 1 << 53 ? .integer(Int64(number)) : .text(String(number))
  }

  package static func value(_ value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .blob(let bytes): .text(Base64.encode(bytes))
    case .timestamp(let milliseconds): time(milliseconds)
    case .json(let bytes):
      (try? JSONParser.parse(bytes)).map(safe) ?? .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Returns JSON in which no integer is beyond 2⁵³.
  private static func safe(_ json: JSONValue) -> JSONValue {
    switch json {
    case .integer(let number): integer(number)
    case .array(let elements): .array(elements.map(safe))
    case .object(let members): .object(members.map { ($0.key, safe($0.value)) })
    default: json
    }
  }

  package static func cell(_ cell: Cell) -> JSONValue {
    switch cell {
    case .null: .null
    case .integer(let number): integer(number)
    case .real(let number): number.isFinite ? .real(number) : .text("\(number)")
    case .text(let text): .text(text)
    case .blob(let bytes): .text(Base64.encode(bytes))
    }
  }

  package static func time(_ milliseconds: Int64) -> JSONValue {
    ISO8601.text(milliseconds).map { .text($0) } ?? integer(milliseconds)
  }

  package static func fields(_ fields: [String: Value]) -> JSONValue {
    .object(
      fields.keys.sorted(by: utf8Less).map { ($0, value(fields[$0] ?? .null)) })
  }

  package static func entity(_ entity: StoredEntity) -> JSONValue {
    .object([
      ("collection", .text(entity.collection)), ("id", .text(entity.id)),
      ("version", .text(entity.version.description)), ("fields", fields(entity.fields)),
    ])
  }

  package static func vertex(_ vertex: Graph.Vertex) -> JSONValue {
    .object([("collection", .text(vertex.collection)), ("id", .text(vertex.id))])
  }

  package static func edge(_ edge: Graph.Edge) -> JSONValue {
    .object(
      [
        ("collection", .text(edge.collection)), ("id", .text(edge.id)),
        ("source", vertex(edge.source)), ("target", vertex(edge.target)),
        ("directed", .boolean(edge.isDirected)),
      ] + (edge.weight.map { [("weight", .real($0))] } ?? []))
  }

  /// Who wrote an event, when and what for.
  package static func authorship(_ times: Store.EventTimes, _ actor: String, _ label: String)
    -> [(key: String, value: JSONValue)]
  {
    [
      ("authored", time(times.authored.milliseconds)),
      ("stamped", times.stamped.map { time($0.milliseconds) } ?? .null),
      ("actor", .text(actor)), ("label", .text(label)),
    ]
  }

  package static func write(_ item: HistoryItem) -> JSONValue {
    let changes: [JSONValue] = item.changes.map { change in
      .object([
        ("field", .text(change.field)), ("from", value(change.from)), ("to", value(change.to)),
        ("current", .boolean(change.isCurrent)), ("conflict", .boolean(change.isConflict)),
      ])
    }
    return .object(
      [("event", .text("\(item.event)")), ("kind", .text(item.kind.rawValue))]
        + authorship(item.times, item.actor, item.label) + [
          ("undone", .boolean(item.isUndone)), ("changes", .array(changes)),
        ])
  }

  package static func conflict(_ conflict: Conflict) -> JSONValue {
    let writes: [JSONValue] = conflict.writes.map { write in
      .object(
        [
          ("event", .text("\(write.event)")), ("operation", .integer(Int64(write.operation))),
          ("value", value(write.value)), ("deletion", .boolean(write.isDeletion)),
          ("shown", .boolean(write.wins)),
        ] + authorship(write.author.times, write.author.actor, write.author.label))
    }
    return .object([
      ("collection", .text(conflict.collection)), ("id", conflict.id.map { .text($0) } ?? .null),
      ("field", .text(conflict.field)), ("attribute", .text(conflict.attribute)),
      ("writes", .array(writes)),
    ])
  }

  /// A collection with all about its fields.
  package static func collection(_ collection: StoreSchema.Collection) -> JSONValue {
    let fields: [JSONValue] = collection.fields.map { field in
      .object([
        ("name", .text(field.name)), ("type", .text(field.type.rawValue)),
        ("references", field.references.map { .text($0) } ?? .null),
        ("unique", .boolean(field.isUnique)), ("indexed", .boolean(field.isIndexed)),
        ("searched", .boolean(field.searchWeight != nil)), ("merges", .boolean(field.merges)),
        ("tree", .boolean(field.isTree)),
        ("default", field.defaultValue.map(value) ?? .null),
        ("kept", .boolean(field.kept != nil)),
      ])
    }
    return .object([
      ("name", .text(collection.name)), ("relationship", .boolean(collection.isRelationship)),
      ("local", .boolean(collection.isLocal)),
      ("key", .array(collection.key.map { .text($0) })), ("fields", .array(fields)),
    ])
  }
}
