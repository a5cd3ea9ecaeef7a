package import Daybook
import DaybookEventCore
package import DaybookProjections

/// The import of one file: opened, not yet read.
package struct FileImport: Sendable {
  package let source: ImportSource
  package let format: ImportFormat
  /// How the file is read as a table; nil if it is none.
  package let reading: TableReading?
  package let options: ImportOptions
  private let hooks: ImportHooks

  /// Opens a file, which ``close()`` closes.
  /// - Parameter path: the file's path; `-` for the standard input.
  /// - Throws: ``ImportError``.
  package init(
    path: String, _ options: ImportOptions, _ hooks: ImportHooks,
    checking: (ImportSource, ImportFormat) throws -> Void = { _, _ in }
  ) throws {
    source = try ImportSource(path: path)
    self.options = options
    self.hooks = hooks
    do {
      format = options.format ?? ImportFormat(of: source)
      try checking(source, format)
      if format != .sqlite { try source.requireUTF8() }
      reading = format.isTable ? try TableReading(source, format, options.tables) : nil
    } catch {
      source.close()
      throw error
    }
  }

  package func close() { source.close() }

  /// The first line to import, as the options and the store say.
  package enum FirstLine: Sendable {
    case line(Int)
    /// The first one. What was read of the file in another way is in the same collection.
    case afterOtherReading
  }

  /// Returns the first line to import.
  ///
  /// Cost: reads the log back to the last import of that content, or all of it.
  /// - Throws: ``ImportError`` `importedBefore`; what reading the store throws.
  package func firstLine(in store: Store) async throws -> FirstLine {
    switch options.start {
    case .again: return .line(1)
    case .line(let line): return .line(max(line, 1))
    case .new, .resuming: break
    }
    switch try await ImportLog.past(of: source, reading, in: store) {
    case .none: return .line(1)
    case .otherReading: return .afterOtherReading
    case .line(let last):
      guard options.start == .resuming else {
        var error = ImportError(
          .importedBefore, "\(source.name) has been imported before, up to line \(last)",
          hint: "Resume the import behind that line, or import all of it again",
          remedy: .again(isTable: reading != nil))
        error.lastLine = last
        throw error
      }
      return .line(last + 1)
    }
  }

  /// Returns what the file will become. Reads all of a table or a database.
  /// - Throws: ``ImportError``.
  package func plan(_ schema: StoreSchema, from firstLine: Int) throws -> any ImportPlan {
    do { return try plan(schema) } catch let error as ImportLineError {
      throw error.explained(source, unit: "line", lastLine: firstLine - 1)
    }
  }

  private func plan(_ schema: StoreSchema) throws -> any ImportPlan {
    if let reading { return try CSVPlan(source, reading, options.tables, schema, hooks) }
    switch format {
    case .ndjson, .csv, .tsv:
      return ElementReader.fits(source) ? ElementPlan(source: source) : LinePlan(source: source)
    case .events: return EventPlan(source: source)
    case .sqlite:
      if case .line = options.start {
        throw ImportError(
          .unusable, "a database has no lines to begin with", hint: "Resume the import instead")
      }
      return try SQLitePlan(source, options.tables, schema, hooks)
    }
  }

  /// Returns the importer of a plan.
  package func importer(
    _ plan: any ImportPlan, from firstLine: Int, into store: Store
  ) -> Importer {
    Importer(
      store: store, source: source, plan: plan, firstLine: firstLine,
      batch: max(options.operationsPerEvent, 1),
      label: options.label ?? "import \(source.fileName)", hooks: hooks)
  }
}

extension ImportSource {
  /// The last part of the path.
  package var fileName: String {
    name.parts(between: "/").last { !$0.isEmpty }.map(String.init) ?? name
  }

  /// The text after the name's last dot, in lower case; empty if there is none.
  var ending: String {
    let parts = fileName.parts(between: ".")
    return parts.count > 1 ? Names.folded(String(parts[parts.count - 1])) : ""
  }
}

extension ImportLineError {
  /// Returns the error with its place in the file, and with what of the file is in the store.
  func explained(_ source: ImportSource, unit: String, lastLine: Int) -> ImportError {
    var error = failure
    error.place =
      if let table {
        "\(source.name): table \(table), row \(line)"
      } else if let beginsOn {
        "\(source.name):\(beginsOn): \(unit) \(line)"
      } else {
        "\(source.name):\(line)"
      }
    error.file = source.name
    error.lastLine = lastLine
    error.unit = unit
    error.isAtRow = table != nil
    return error
  }
}
