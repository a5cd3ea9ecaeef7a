public import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// What of a store is exported as RDF, and by which names.
public struct RDFExport: Hashable, Sendable {
  /// The collections; empty for all that are shared.
  public var collections: [String]
  /// Whether local collections are exported, too, if none are chosen.
  public var includesLocal: Bool
  /// The IRIs of what is exported.
  public var naming: RDFNaming

  /// Makes an export of all shared collections.
  public init(
    collections: [String] = [], includesLocal: Bool = false, naming: RDFNaming = RDFNaming()
  ) {
    self.collections = collections
    self.includesLocal = includesLocal
    self.naming = naming
  }

  /// Returns the collections of a schema that are exported, sorted by name.
  package func chosen(_ schema: StoreSchema) -> [CollectionSchema] {
    schema.sorted.filter {
      collections.isEmpty ? includesLocal || !$0.isLocal : collections.contains($0.name)
    }
  }
}

extension Store {
  /// Writes a store's entities, their values and relationships as RDF, and statements that were
  /// loaded as they are: one snapshot, entity by entity, so that equal stores give equal files.
  ///
  /// `docs/rdf.md` has the mapping.
  /// - Parameter write: takes the next bytes of the file.
  /// - Returns: the number of statements.
  /// - Throws: what SQLite and `write` throw.
  @discardableResult
  public func exportRDF(
    _ export: RDFExport = RDFExport(), as format: RDFFormat = .turtle,
    write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Int {
    try await read { db, schema in
      let chosen = export.chosen(schema)
      var count = 0
      var writer = try RDFWriter(
        format, prefixes: export.naming.prefixes(chosen), write: write)
      let tables = RDFTables(chosen, schema, export.naming, hasGraphs: format.hasGraphs)
      try tables.forEach(db) {
        try writer.write($0)
        count += 1
      }
      try writer.finish()
      return count
    }
  }

  /// Writes a store's history as provenance by the W3C's ontology PROV-O: who wrote what and when,
  /// and what came from what.
  ///
  /// `docs/rdf.md` has the mapping. Memory does not grow with the log.
  /// - Parameters:
  ///   - query: the events; all of shared collections if there is none.
  ///   - write: takes the next bytes of the file.
  /// - Returns: the number of statements.
  /// - Throws: what SQLite, reading the log and `write` throw.
  @discardableResult
  public func exportProvenance(
    _ query: EventQuery = EventQuery(), _ export: RDFExport = RDFExport(),
    as format: RDFFormat = .turtle, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Int {
    let schema = try await schema()
    let file = try ProvenanceFile(self, schema, export, format, write)
    try await forEachEvent(query) { event in
      if export.includesLocal || !event.id.origin.isPrivate { try file.note(event) }
      return true
    }
    try await forEachEvent(query) { event in
      if export.includesLocal || !event.id.origin.isPrivate { try file.write(event) }
      return true
    }
    return try file.finish()
  }
}

/// The file that provenance is written to, by one thread after the other.
private final class ProvenanceFile: @unchecked Sendable {
  private let provenance: Provenance
  private var writer: RDFWriter
  private var count = 0

  init(
    _ store: Store, _ schema: StoreSchema, _ export: RDFExport, _ format: RDFFormat,
    _ write: @escaping @Sendable ([UInt8]) throws -> Void
  ) throws {
    provenance = try Provenance(export.naming, schema) { event in
      try store.core.reads.blocking { try $0.view.vector(at: event) }
    }
    let prefixes = export.naming.historyPrefixes(export.chosen(schema))
    writer = try RDFWriter(format, prefixes: prefixes, write: write)
  }

  func note(_ event: LoggedEvent) throws { try provenance.note(event) }

  func write(_ event: LoggedEvent) throws {
    try provenance.write(event) {
      try writer.write($0)
      count += 1
    }
  }

  func finish() throws -> Int {
    try writer.finish()
    return count
  }
}
