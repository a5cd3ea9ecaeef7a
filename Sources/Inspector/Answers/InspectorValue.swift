import Daybook
import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// Values as the API's answers have them.
///
/// Null, booleans, numbers and texts stand for themselves. What JSON has no form for is an object
/// with one member: `{"integer":"9223372036854775807"}` beyond 2⁵³, `{"blob":base64}`,
/// `{"json":…}`, and `{"cut":text,"bytes":count}` for a value too long for the answer, with its
/// beginning. So no value of a store can look like another one.
enum InspectorValue {
  /// The bytes of a value in a list, beyond which it is cut.
  static let shortBytes = 4 << 10
  /// The bytes of a value on its own, beyond which it is cut.
  static let longBytes = 1 << 20

  static func json(_ value: Value, bytesMax: Int = shortBytes) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): integer(number)
    case .real(let number): .real(number)
    case .text(let text): self.text(text, bytesMax)
    case .blob(let bytes):
      bytes.count <= bytesMax
        ? .object([("blob", .text(Base64.encode(bytes)))])
        : cut(Base64.encode(Array(bytes.prefix(96))), bytes.count)
    case .timestamp(let milliseconds): AnswerJSON.time(milliseconds)
    case .json(let bytes):
      bytes.count <= bytesMax
        ? .object([("json", AnswerJSON.value(value))])
        : cut(String(decoding: bytes.prefix(bytesMax), as: UTF8.self), bytes.count)
    }
  }

  static func integer(_ number: Int64) -> JSONValue {
    (-(1 << 53)...1 << 53).contains(number)
      ? .integer(number) : .object([("integer", .text(String(number)))])
  }

  /// Returns a text, or its beginning. A cut may leave out a part of the last character.
  static func text(_ text: String, _ bytesMax: Int) -> JSONValue {
    let count = text.utf8.count
    guard count > bytesMax else { return .text(text) }
    return cut(String(text.unicodeScalars.prefix(bytesMax / 4)), count)
  }

  private static func cut(_ text: String, _ bytes: Int) -> JSONValue {
    .object([("cut", .text(text)), ("bytes", .integer(Int64(bytes)))])
  }

  static func text(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map(AnswerJSON.time) ?? .null
  }

  static func fields(_ fields: [String: Value], bytesMax: Int = shortBytes) -> JSONValue {
    .object(
      fields.keys.sorted(by: utf8Less).map {
        ($0, json(fields[$0] ?? .null, bytesMax: bytesMax))
      })
  }

  static func entity(_ entity: StoredEntity, bytesMax: Int = longBytes) -> JSONValue {
    .object([
      ("collection", .text(entity.collection)), ("id", .text(entity.id)),
      ("version", .text(entity.version.description)),
      ("fields", fields(entity.fields, bytesMax: bytesMax)),
    ])
  }

  /// What an event is about: who, when, and what for.
  static func event(_ event: EventID, _ times: Store.EventTimes, _ actor: String, _ label: String)
    -> Members
  {
    [("event", .text("\(event)"))] + AnswerJSON.authorship(times, actor, label)
  }

  static func write(_ item: HistoryItem) -> JSONValue {
    let changes: [JSONValue] = item.changes.map { change in
      .object([
        ("field", .text(change.field)), ("from", json(change.from)), ("to", json(change.to)),
        ("current", .boolean(change.isCurrent)), ("conflict", .boolean(change.isConflict)),
      ])
    }
    return .object(
      event(item.event, item.times, item.actor, item.label) + [
        ("kind", .text(item.kind.rawValue)), ("undone", .boolean(item.isUndone)),
        ("changes", .array(changes)),
      ])
  }
}
