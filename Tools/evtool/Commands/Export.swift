import ArgumentParser
import Daybook
import EventCore
import Foundation
import GRDB
import Projections

/// `evtool export`.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the state as interchange: NDJSON, one operation a line.",
    discussion: """
      First a define line for each collection, then an insert line for each live entity, in the \
      order of their ids: the same state gives the same bytes. What comes out, imported into an \
      empty store, gives the same tables; the history stays behind (see `evtool log --json`).

      Example:
        evtool export notes.daybook --collection notes > notes.ndjson
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection; may be given several times.")
  var collection: [String] = []

  func run() async throws {
    try await store.read { store in
      let schema = try await store.schema()
      for name in collection { try await Entities.requireCollection(name, store) }
      let chosen = schema.sorted.filter { collection.isEmpty || collection.contains($0.name) }
      for collection in chosen { StandardOutput.line(InterchangeWriter.define(collection)) }
      let line = ProgressLine("export", unit: "entities")
      try await store.read { db in
        var count = 0
        for collection in chosen { try Self.write(collection, db, line, &count) }
      }
      line.clear()
    }
  }

  private static func write(
    _ collection: CollectionSchema, _ db: Database, _ line: ProgressLine, _ count: inout Int
  ) throws {
    let columns = (["id"] + collection.fields.map(\.name)).map { "\"\($0)\"" }
    let rows = try Row.fetchCursor(
      db,
      sql: "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" ORDER BY id")
    while let row = try rows.next() {
      var fields: [String: Value] = [:]
      for (index, field) in collection.fields.enumerated() {
        let cell = Self.cell(row[index + 1] as DatabaseValue)
        guard cell != .null else { continue }
        guard let value = field.type.value(of: cell) else {
          throw Failure(
            .damaged, "a value of \(collection.name).\(field.name) is not of its type",
            hint: "Make the read model again with `evtool rebuild`")
        }
        fields[field.name] = value
      }
      StandardOutput.line(
        InterchangeWriter.insert(into: collection, id: row[0], fields: fields))
      count += 1
      line.update(count, fraction: nil)
    }
  }

  private static func cell(_ value: DatabaseValue) -> Cell {
    switch value.storage {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob(let data): .blob(Array(data))
    }
  }
}
