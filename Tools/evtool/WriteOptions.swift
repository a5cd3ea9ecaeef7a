import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookProjections

/// The options of all commands that write one event.
struct WriteOptions: ParsableArguments {
  @OptionGroup var store: StoreArgument

  @Argument(help: "The collection.")
  var collection: String

  @Argument(help: "The entity's id.")
  var id: String

  @Option(help: "Who does it, for the history. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?

  @Option(help: "What it is for, in words.")
  var label = ""

  @OptionGroup var output: JSONOption

  /// Writes one event about the entity ``id``, and reports it.
  func run(
    _ verb: String, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws {
    let id = id
    try await run(verb) { transaction -> String in
      try body(transaction)
      return id
    }
  }

  /// Writes one event, and reports it with the entity that `body` returns.
  func run(
    _ verb: String, _ body: @escaping @Sendable (WriteTransaction) throws -> String
  ) async throws {
    let (event, id) = try await store.write(actor: actor) { store in
      try await store.write(label: label) { transaction -> (EventID?, String) in
        let id = try body(transaction)
        return (transaction.isEmpty ? nil : transaction.event, id)
      }
    }
    try report(verb, event, id)
  }

  private func report(_ verb: String, _ event: EventID?, _ id: String) throws {
    let place = "\(Text.oneLine(id)) in \(collection)"
    try output.confirm(
      Report {
        $0.event(event)
        $0.fact("id", id)
        $0.line(
          event.map { "\(verb) \(place)  \(Terminal.dim("event \(Text.event($0))"))" }
            ?? "nothing to change: \(place) is so already")
      })
  }
}

/// An argument `FIELD=VALUE` or `FIELD:null`, before the field's type is known.
struct FieldAssignment: ExpressibleByArgument, Sendable {
  var field: String
  /// The text of the value; nil for null.
  var value: String?

  init?(argument: String) {
    if let equals = argument.unicodeScalars.firstIndex(of: "=") {
      field = String(argument[..<equals])
      value = String(argument[argument.unicodeScalars.index(after: equals)...])
    } else if let name = argument.rest(before: ":null") {
      field = String(name)
    } else {
      return nil
    }
    guard !field.isEmpty else { return nil }
  }

  static let help: ArgumentHelp = """
    FIELD=VALUE, as the field's type reads it; FIELD:null takes the value away.
    """

  static let discussion = """
    VALUE is read as the field is declared: text as it stands (FIELD= is the empty text), integer, \
    real, boolean and json as in JSON, timestamp as ISO 8601 or milliseconds since 1970, blob as \
    base64. FIELD:null takes the value away. The ends of a relationship are the fields source and \
    target.
    """

  static func values(_ assignments: [FieldAssignment], _ collection: String, _ schema: StoreSchema)
    throws -> [String: Value]
  {
    guard let declared = schema[collection] else {
      throw Failure(
        .usage, "there is no collection \(collection.quotedForMessage)",
        hint: NameSuggestion.hint(
          for: collection, among: schema.sorted.map(\.name),
          none: "Nothing is defined yet; import a file that begins with define lines"))
    }
    return try values(assignments, declared)
  }

  static func values(_ assignments: [FieldAssignment], _ declared: StoreSchema.Collection) throws
    -> [String: Value]
  {
    let collection = declared.name
    var values: [String: Value] = [:]
    for assignment in assignments {
      let name = assignment.field
      guard let field = declared[field: name] else {
        throw Failure(
          .usage, "\(collection) has no field \(name.quotedForMessage)",
          hint: NameSuggestion.hint(
            for: name, among: declared.fields.map(\.name), none: "It has none"))
      }
      guard values[name] == nil else {
        throw Failure(.usage, "the field \(name) is given twice", hint: "Give it once")
      }
      values[name] = try assignment.typed(field, collection)
    }
    return values
  }

  private func typed(_ field: StoreSchema.Field, _ collection: String) throws -> Value {
    guard let value else { return .null }
    do {
      if field.type == .timestamp, Timestamp.isFiner(value) {
        StandardError.line("evtool: note: \(field.name): \(ImportNotes.finer(1))")
      }
      return try ValueTyping.value(argument: value, as: field.type)
    } catch {
      throw Failure(
        .usage,
        "the field \(field.name) of \(collection) is declared as \(field.type.rawValue), and "
          + "\(value.quotedForMessage) is none; \(error.remedy)",
        hint: value.isEmpty ? "\(field.name):null takes the value away" : nil)
    }
  }
}
