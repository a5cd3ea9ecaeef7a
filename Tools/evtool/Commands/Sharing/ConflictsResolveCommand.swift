import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// The command `evtool conflicts resolve`.
struct ConflictsResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Settles a conflict with one event, here and wherever that arrives.",
    discussion: """
      --take winner keeps the write that counts, --take other takes the one that does not, --take \
      ORIGIN:SEQUENCE takes that event's; anything else is a value, read as the field's type is \
      (VALUE:null is no value). A value that is called “other” or “winner” is given as --value.

      Examples:
        evtool conflicts resolve notes.daybook notes n1 title --take other
        evtool conflicts resolve notes.daybook notes n1 title --value 'Oat and soy milk'
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The collection.")
  var collection: String
  @Argument(help: "The entity's id.")
  var id: String
  @Argument(help: "The field; left out for whether the entity is there.")
  var field: String?
  @Option(help: "winner, other, ORIGIN:SEQUENCE, or a value.")
  var take: String?
  @Option(help: "A value.")
  var value: String?
  @Option(help: "Who does it, for the history. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?
  @Option(help: "What it is for, in words.")
  var label = ""
  @OptionGroup var output: JSONOption

  func run() async throws {
    guard (take == nil) != (value == nil) else {
      throw Failure(
        .usage, "either --take or --value says what is to count", hint: "Give one of them")
    }
    let event = try await store.write(actor: actor) { store in
      try await Entities.requireCollection(collection, store)
      return try await store.write(label: label) { transaction -> EventID in
        let conflict = try conflict(transaction)
        switch try choice(conflict, transaction.schema) {
        case .write(let write): try transaction.settle(conflict, taking: write)
        case .value(let value): try transaction.settle(conflict, with: value)
        }
        return transaction.event
      }
    }
    try output.confirm(
      Report {
        $0.line(
          "settled \(Text.oneLine(id)) in \(collection)  "
            + Terminal.dim("event \(Text.event(event))"))
        $0.event(event)
      })
  }

  private func conflict(_ transaction: WriteTransaction) throws -> Conflict {
    let identity =
      field.map { transaction.schema[collection]?[field: $0]?.identity ?? $0 } ?? ""
    let open = try transaction.conflicts(collection, id)
    guard let found = open.first(where: { $0.field == identity }) else {
      let others = open.map { $0.field.isEmpty ? "whether it is there" : $0.field }
      throw Failure(
        .problem,
        "\(Text.oneLine(id)) in \(collection) has no conflict about "
          + (field.map { "the field \($0)" } ?? "whether it is there"),
        hint: others.isEmpty ? nil : "It has one about: \(others.joined(separator: ", "))")
    }
    return found
  }

  private enum Choice: Sendable {
    case write(Conflict.Write)
    case value(Value)
  }

  private func choice(_ conflict: Conflict, _ schema: StoreSchema) throws -> Choice {
    guard let take else { return .value(try typed(value ?? "", schema)) }
    switch take {
    case "winner":
      guard let winner = conflict.writes.first(where: \.wins) else {
        throw Failure(
          .usage, "none of the conflict's writes counts", hint: "Name one: ORIGIN:SEQUENCE")
      }
      return .write(winner)
    case "other":
      let others = conflict.writes.filter { !$0.wins }
      guard let other = others.first, others.count == 1 else {
        throw Failure(
          .usage, "the conflict has \(others.count) writes that do not count",
          hint: "Name one: " + others.map(\.event.description).joined(separator: ", "))
      }
      return .write(other)
    default:
      if let named = conflict.writes.first(where: { $0.event.description == take }) {
        return .write(named)
      }
      return .value(try typed(take, schema))
    }
  }

  private func typed(_ text: String, _ schema: StoreSchema) throws -> Value {
    guard let field else {
      throw Failure(
        .usage, "whether an entity is there has no value", hint: "Take winner or other")
    }
    let argument = text.isSame(as: ":null") ? "\(field):null" : "\(field)=\(text)"
    guard let assignment = FieldAssignment(argument: argument) else {
      throw Failure(.usage, "\(text.quotedForMessage) is no value")
    }
    let values = try FieldAssignment.values([assignment], collection, schema)
    return values[field] ?? .null
  }
}
