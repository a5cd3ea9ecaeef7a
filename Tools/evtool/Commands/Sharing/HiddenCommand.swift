import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The command `evtool hidden`.
struct HiddenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hidden",
    abstract: "Lists what tables do not show of definitions and live entities, and why.",
    discussion: """
      A collection or field has no table or column if SQLite cannot tell its name from another, if \
      there are too many, or if SQLite refuses to hold it. A value that is not of its field's type \
      reads NULL. An entity whose unique value an earlier one has is parked, out of its table. In \
      a tree, the latest of the references that make a circle reads NULL. Nothing of it is lost: \
      update or delete such an entity as any other.

      Examples:
        evtool hidden notes.daybook
        evtool hidden notes.daybook --collection notes --id n1
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection.")
  var collection: String?
  @Option(help: "Only this entity.")
  var id: String?
  @OptionGroup var output: JSONOption

  func run() async throws {
    let rows = JSONRows()
    var table = Table(["collection", "id", "field", "value", "why"])
    var isEmpty = true
    try await store.read { store in
      let schema = try await store.schema()
      let definitions = schema.hiddenDefinitions.filter {
        id == nil && (collection == nil || $0.collection == collection)
      }
      if let collection, definitions.isEmpty { try Entities.requireCollection(collection, schema) }
      for definition in definitions {
        isEmpty = false
        if output.json { rows.add(Self.json(definition)) } else { Self.add(definition, to: &table) }
      }
      // A collection that is not shown has definitions only.
      if let collection, schema[collection] == nil { return }
      for try await value in store.hidden(in: collection, id: id) {
        if let failure = StandardOutput.failure { throw failure }
        isEmpty = false
        if output.json { rows.add(Self.json(value)) } else { Self.add(value, to: &table) }
      }
    }
    if output.json {
      rows.end()
    } else if isEmpty {
      StandardOutput.line("nothing is hidden")
    } else {
      table.end()
    }
  }

  private static func add(_ definition: StoreSchema.HiddenDefinition, to table: inout Table) {
    table.add([
      Text.oneLine(definition.collection), "–", Text.oneLine(definition.field ?? "–"), "–",
      reason(definition.reason).text,
    ])
  }

  private static func add(_ value: Store.HiddenValue, to table: inout Table) {
    table.add([
      value.collection, Text.oneLine(value.id), value.field, Text.value(value.value, 60),
      reason(value),
    ])
  }

  /// Returns the reason for hiding a value.
  /// - Returns: The word for JSON, and the sentence for the table.
  private static func reason(_ reason: StoreSchema.HiddenReason) -> (word: String, text: String) {
    switch reason {
    case .spelledLike(let other):
      ("spelled-like", "SQLite cannot tell it from \(Text.oneLine(other))")
    case .localHasName: ("local", "a local collection has the name")
    case .invalidName: ("name", "no table or column can have the name")
    case .overLimit(let limit): ("limit", "only the first \(limit) are shown")
    case .notSearched(let limit): ("not-searched", "only the first \(limit) fields are searched")
    case .unknownRule(let rule):
      (
        "unknown-rule",
        "its values are unique by “\(Text.oneLine(rule))”, which a later version of Daybook knows"
      )
    case .refused(let words): ("refused", Text.oneLine(words))
    }
  }

  private static func reason(_ value: Store.HiddenValue) -> String {
    switch value.reason {
    case .misfit(let declared): "not of type \(declared.rawValue)"
    case .tooLarge(let limit): "the row has no room for it: \(limit) bytes at most"
    case .parked(let owner):
      if let spelled = value.ownersValue, spelled != value.value {
        "parked: \(Text.oneLine(owner)) has \(Text.value(spelled, 60))"
      } else {
        "parked: \(Text.oneLine(owner)) has it"
      }
    case .cycle: "closes a circle"
    case .unfitEdit(let event, let operation):
      "edit \(event).\(operation) does not fit the text"
    case .unreadable(let property): "\(Text.oneLine(property)) cannot show it"
    }
  }

  private static func json(_ definition: StoreSchema.HiddenDefinition) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("collection", definition.collection)
      if let field = definition.field { $0.member("field", field) }
      $0.member("reason", reason(definition.reason).word)
      $0.member("text", reason(definition.reason).text)
    }
    return writer.bytes
  }

  private static func json(_ value: Store.HiddenValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("collection", value.collection)
      $0.member("id", value.id)
      $0.member("field", value.field)
      $0.key("value")
      $0.value(value.value)
      switch value.reason {
      case .misfit(let declared):
        $0.member("reason", "misfit")
        $0.member("type", declared.rawValue)
      case .tooLarge(let limit):
        $0.member("reason", "too-large")
        $0.member("limit", limit)
      case .parked(let owner):
        $0.member("reason", "parked")
        $0.member("owner", owner)
        if let spelled = value.ownersValue, spelled != value.value {
          $0.key("ownersValue")
          $0.value(spelled)
        }
      case .cycle: $0.member("reason", "cycle")
      case .unfitEdit(let event, let operation):
        $0.member("reason", "unfit-edit")
        $0.member("event", "\(event)")
        $0.member("operation", Int(operation))
      case .unreadable(let property):
        $0.member("reason", "unreadable")
        $0.member("property", property)
      }
    }
    return writer.bytes
  }
}
