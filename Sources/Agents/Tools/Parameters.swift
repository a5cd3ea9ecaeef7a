import DaybookAnswers

/// The parameters that several tools have.
enum Parameters {
  static let collection = CallParameter(
    "collection", .text, required: true, "The name of a collection; `schema` lists them.")
  static let anyCollection = CallParameter(
    "collection", .text, "The name of the only collection; left out, all.")
  static let id = CallParameter("id", .text, required: true, "The id of the entity.")
  static let limit = CallParameter(
    "limit", .integer(1...ResultBudget.itemsMax),
    "The most results; left out, \(ResultBudget.itemsUsual).")
  static let cursor = CallParameter(
    "cursor", .text, "The cursor of the same call's last result, to read on.")
  static let seconds = CallParameter(
    "seconds", .integer(1...GuardedQuery.secondsMax),
    "The longest time it may run; left out, \(GuardedQuery.secondsUsual).")
  static let label = CallParameter(
    "label", .text, "What the change is for, in words, for the history.")
  static let via = CallParameter(
    "via", .texts, "The collections of relationships to follow; left out, all.")
  static let direction = CallParameter(
    "direction", .choice(["both", "outgoing", "incoming"]),
    "Which way relationships are followed.")
  static let vertex = CallParameter(
    "entity", .text, required: true,
    "COLLECTION/ID, or an id alone if one collection has it.")
  static let fields = CallParameter(
    "fields", .fields, required: true,
    "A value for each field that is written. null takes a value away. Integers beyond 2^53, "
      + "timestamps (ISO 8601) and blobs (base64) are texts.")
  static let position = CallParameter(
    "position", .text, required: true,
    "A moment: a time in ISO 8601, or an event ORIGIN:SEQUENCE.")
}
