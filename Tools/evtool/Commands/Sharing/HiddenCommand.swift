import ArgumentParser
import Daybook
import DaybookEventCore
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
    var list = output.list(.rows, columns: ["collection", "id", "field", "value", "why"])
    try await store.read { store in
      let schema = try await store.schema()
      let definitions = schema.hiddenDefinitions.filter {
        id == nil && (collection == nil || $0.collection == collection)
      }
      if let collection, definitions.isEmpty { try Entities.requireCollection(collection, schema) }
      for definition in definitions { try list.add(Self.report(definition)) }
      // A collection that is not shown has definitions only.
      if let collection, schema[collection] == nil { return }
      for try await value in store.hidden(in: collection, id: id) {
        try list.add(Self.report(value))
      }
    }
    list.end(none: "nothing is hidden")
  }

  private static func report(_ definition: StoreSchema.HiddenDefinition) -> Report {
    Report {
      $0.fact("collection", definition.collection, column: "collection")
      if let field = definition.field { $0.fact("field", field, column: "field") }
      let (word, text) = reason(definition.reason)
      $0.fact("reason", word)
      $0.fact("text", text, column: "why")
    }
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

  private static func report(_ value: Store.HiddenValue) -> Report {
    Report {
      $0.fact("collection", value.collection, column: "collection")
      $0.fact("id", value.id, column: "id")
      $0.fact("field", value.field, column: "field")
      $0.fact("value", value.value, column: "value", Text.value(value.value, 60))
      switch value.reason {
      case .misfit(let declared):
        $0.fact("reason", "misfit", column: "why", "not of type \(declared.rawValue)")
        $0.fact("type", declared.rawValue)
      case .tooLarge(let limit):
        $0.fact(
          "reason", "too-large", column: "why",
          "the row has no room for it: \(limit) bytes at most")
        $0.fact("limit", limit)
      case .parked(let owner):
        let other = value.ownersValue.flatMap { $0 == value.value ? nil : $0 }
        $0.fact(
          "reason", "parked", column: "why",
          "parked: \(Text.oneLine(owner)) has \(other.map { Text.value($0, 60) } ?? "it")")
        $0.fact("owner", owner)
        if let other { $0.fact("ownersValue", other) }
      case .cycle: $0.fact("reason", "cycle", column: "why", "closes a circle")
      case .unfitEdit(let event, let operation):
        $0.fact(
          "reason", "unfit-edit", column: "why", "edit \(event).\(operation) does not fit the text")
        $0.fact("event", event)
        $0.fact("operation", operation)
      case .unreadable(let property):
        $0.fact(
          "reason", "unreadable", column: "why", "\(Text.oneLine(property)) cannot show it")
        $0.fact("property", property)
      }
    }
  }
}
