import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import DaybookRDF
import Foundation
import GRDB

/// A writer of a read model's tables as interchange or RDF, to the output.
struct ExportWriter: Sendable {
  /// How to write a table.
  enum Form {
    case interchange
    case rdf(RDFFormat, RDFNaming)
  }

  /// The collections to export; empty for all.
  let collections: [String]
  /// Whether to include local collections if none are chosen.
  let writesLocal: Bool
  let form: Form
  let line: ProgressLine

  func write(_ db: Database, _ schema: StoreSchema) throws {
    for name in collections { try Entities.requireCollection(name, schema) }
    let chosen = schema.sorted.filter {
      collections.isEmpty ? writesLocal || !$0.isLocal : collections.contains($0.name)
    }
    let left = collections.isEmpty ? schema.sorted.filter { $0.isLocal && !writesLocal } : []
    if !left.isEmpty {
      line.clear()
      StandardError.line(
        "evtool: \(Text.count(left.count, "local collection is", "local collections are")) not "
          + "exported (\(left.map(\.name).joined(separator: ", "))); --local exports them, too")
    }
    switch form {
    case .interchange:
      for collection in chosen { StandardOutput.line(InterchangeWriter.define(collection)) }
      var count = 0
      for collection in chosen { try write(collection, db, &count) }
    case .rdf(let format, let naming):
      try write(RDFTables(chosen, schema, naming), format, naming.prefixes(chosen), db)
    }
    try reportParked(chosen, db)
  }

  private func write(
    _ tables: RDFTables, _ format: RDFFormat, _ prefixes: [String: IRI], _ db: Database
  ) throws {
    var writer = try RDFWriter(format, prefixes: prefixes, write: Self.output)
    var count = 0
    try tables.forEach(db) {
      try writer.write($0)
      if $0.predicate == .rdfType { count += 1 }
      line.update(count, fraction: nil)
    }
    try writer.finish()
  }

  /// Writes bytes of a file to the output.
  static func output(_ bytes: [UInt8]) throws {
    if let failure = StandardOutput.failure { throw failure }
    StandardOutput.write(bytes)
  }

  private func write(_ collection: StoreSchema.Collection, _ db: Database, _ count: inout Int)
    throws
  {
    let columns = (["id"] + collection.fields.map(\.name)).map { "\"\($0)\"" }
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \"\(collection.name)\" ORDER BY id"
    try db.forEachRow(sql) { row in
      if let failure = StandardOutput.failure { throw failure }
      var fields: [String: Value] = [:]
      // The importing store keeps what a store keeps, and shows the same defaults.
      for (field, column) in zip(collection.fields, 1...) where field.kept == nil {
        let cell = row.cell(Int32(column))
        guard cell != .null else { continue }
        guard let value = field.type.value(of: cell) else {
          throw Failure(
            .damaged, "a value of \(collection.name).\(field.name) is not of its type",
            hint: "Make the read model again with `evtool rebuild`")
        }
        if value != field.defaultValue { fields[field.name] = value }
      }
      StandardOutput.line(
        InterchangeWriter.insert(into: collection, id: row.text(0), fields: fields))
      count += 1
      line.update(count, fraction: nil)
    }
  }

  /// Reports parked entities, which are not exported: two entities with one unique value could not
  /// be imported.
  private func reportParked(_ chosen: [StoreSchema.Collection], _ db: Database) throws {
    guard
      chosen.contains(where: { $0.fields.contains(where: \.isUnique) || !$0.uniqueSets.isEmpty })
    else { return }
    // In internal tables, a local collection has the name “local NAME”.
    let names = Set(chosen.map { $0.isLocal ? "local \($0.name)" : $0.name })
    let count = try InternalCounts.parkedEntities(of: names, db)
    guard count > 0 else { return }
    line.clear()
    StandardError.line(
      "evtool: \(Text.count(count, "entity is", "entities are")) parked and not exported, because "
        + "another has a value that is unique; `evtool hidden` names what and whose")
  }
}
