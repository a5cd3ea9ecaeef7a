import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool show`.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows an entity, as it is or as it was.",
    discussion: """
      The exit code is 1 if there is no such entity.

      \(positionHelp)

      Examples:
        evtool show notes.daybook notes n1
        evtool show notes.daybook notes n1 --at 2026-11-20
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The collection.")
  var collection: String
  @Argument(help: "The entity's id.")
  var id: String
  @Option(help: "The position to show it at.")
  var at: String?
  @OptionGroup var output: JSONOption

  func run() async throws {
    let (entity, schema) = try await store.read { store in
      try await Entities.requireCollection(collection, store)
      return (try await fetch(store), try await store.schema())
    }
    guard let entity else {
      try output.show(.nothing)
      let when = at.map { " at \($0)" } ?? ""
      throw Failure(.problem, "there is no \(id.quotedForMessage) in \(collection)\(when)")
    }
    try output.show(Self.report(entity, schema[collection]))
  }

  private func fetch(_ store: Store) async throws -> StoredEntity? {
    guard let at else { return try await store.fetch(collection, id) }
    return try await store.at(try await store.position(at)).fetch(collection, id)
  }

  private static func report(_ entity: StoredEntity, _ schema: StoreSchema.Collection?) -> Report {
    Report {
      $0.line(
        "\(Terminal.bold(Text.oneLine(entity.id)))  \(entity.collection)  "
          + Terminal.dim("last changed by event \(Text.event(entity.version.event))"))
      $0.fact("collection", entity.collection)
      $0.fact("id", entity.id)
      $0.fact("version", entity.version.description)
      $0.fact("fields", entity.fields)
      let declared = schema?.fields.map(\.name) ?? []
      let names =
        declared.filter { entity[$0] != .null }
        + entity.fields.keys.filter { !declared.contains($0) }.sorted(by: utf8Less)
      let width = names.map(Text.width).max() ?? 0
      for name in names { $0.line("  \(Text.padded(name, width))  \(Text.value(entity[name]))") }
    }
  }
}
