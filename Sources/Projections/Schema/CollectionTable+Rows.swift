import DaybookEventCore

/// The rows of a collection's table, made from the values of registers.
extension CollectionTable {
  /// Returns the values that are not NULL, by the names under which they are shown. The name of a
  /// column always means that column, even if the column has no value.
  /// - Parameters:
  ///   - values: by field number.
  ///   - facts: what the store keeps of the entity; nil if no column shows it.
  func shown(_ values: [Int: Value], _ facts: EntityFacts?) -> [String: Value] {
    var shown: [String: Value] = [:]
    for (field, value) in values where value != .null && column(ofField: field) == nil {
      let name = fieldNames[field]
      if !columnNames.contains(name) { shown[name] = value }
    }
    for (field, value) in values where value != .null {
      if let column = column(ofField: field) { shown[columns[column].schema.name] = value }
    }
    for column in columns where showsPreset(values[column.field], column) {
      if let value = column.schema.defaultValue { shown[column.schema.name] = value }
    }
    for index in keptColumns {
      guard let kept = columns[index].schema.kept else { continue }
      shown[columns[index].schema.name] = facts?.value(kept)
    }
    return shown
  }

  /// Returns the cells of an entity's row, the fields that the row does not hold exactly, and the
  /// misfits, ascending.
  /// - Parameters:
  ///   - values: by field number.
  ///   - facts: what the store keeps of the entity; nil if no column shows it.
  ///   - rowBytesMax: the limit for values in a row, in bytes. Values that other entities
  ///     depend on (in unique fields, trees and ends) are always shown; of the others, the
  ///     first columns that fit.
  func place(_ values: [Int: Value], _ facts: EntityFacts?, rowBytesMax: Int) -> (
    cells: [Cell], inexact: Set<Int>, misfits: [Int]
  ) {
    var inexact: Set<Int> = []
    var misfits: [Int] = []
    var cells = presets
    var bytes = 0
    for (field, value) in values {
      guard let index = column(ofField: field),
        keptColumns.isEmpty || columns[index].schema.kept == nil
      else {
        inexact.insert(field)
        continue
      }
      guard let placed = columns[index].schema.type.cell(for: value) else {
        inexact.insert(field)
        misfits.append(field)
        continue
      }
      // The row cannot tell NULL from a field that was never written: both show the default.
      if placed.cell == .null, presets[index] != .null, !columns[index].schema.isNullable {
        inexact.insert(field)
        continue
      }
      cells[index] = placed.cell
      if placed.cell != presets[index] { bytes += placed.cell.byteCount }
      if !placed.isExact { inexact.insert(field) }
    }
    if bytes > rowBytesMax {
      var room = rowBytesMax
      let given = cells.indices.filter { cells[$0] != presets[$0] }
      for index in given where hasRule(index) { room -= cells[index].byteCount }
      for index in given where !hasRule(index) {
        // What takes no room fits, also if the values with rules are beyond the limit already.
        guard cells[index].byteCount > max(room, 0) else {
          room -= cells[index].byteCount
          continue
        }
        cells[index] = presets[index]
        inexact.insert(columns[index].field)
        misfits.append(columns[index].field)
      }
    }
    for index in keptColumns {
      guard let kept = columns[index].schema.kept, let facts else { continue }
      cells[index] = facts.cell(kept)
    }
    return (cells, inexact, misfits.sorted())
  }
}
