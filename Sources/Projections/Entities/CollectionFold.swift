import DaybookEventCore

/// Applies the rules that concern several entities (unique fields and trees) to a whole collection:
/// after a bulk rebuild, and after a schema change has rebuilt a table.
///
/// Until then every live entity has a row, which shows all that it can. Values are claimed before
/// references are cut: ownership of a value does not depend on the cuts.
struct CollectionFold {
  let projector: Projector
  let table: CollectionTable

  func run() throws(ProjectionError) {
    guard table.hasRules else { return }
    // Remove earlier entries: the entities may have other numbers now.
    try projector.entities.unique.removeAll(of: table)
    try projector.entities.cycles.removeAll(of: table)
    let unique = UniqueFold(projector: projector, table: table)
    try unique.claim()
    for number in try TreeFold(projector: projector, table: table).run() {
      var record = try projector.entities.load(table, number: number)
      try projector.entities.write(&record, isParked: false)
    }
    try unique.park()
  }
}
