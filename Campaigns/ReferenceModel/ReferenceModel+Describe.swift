import DaybookEventCore

extension ReferenceModel {
  /// Returns the state in words, for reading when a comparison fails.
  func describe() -> String {
    var lines = ["digest \(digest), \(isComplete ? "complete" : "incomplete")"]
    for (register, winner) in definitions.sorted(by: { $0.key < $1.key }) {
      let name = "\(register.collection).\(register.field).\(register.attribute)"
      lines.append("definition \(name) = \(winner.value) by \(winner.reference)")
    }
    for (collection, ids) in entities.sorted(by: { $0.key < $1.key }) {
      for (id, entity) in ids.sorted(by: { $0.key < $1.key }) {
        lines += Self.describe(entity, named: "\(collection)/\(id)")
      }
    }
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      lines.append("table \(name) \(table.columns)")
      lines += table.rows.map { "  \($0)" }
    }
    lines += misfits.map { "misfit \($0)" }
    lines += conflicts.map { "conflict \($0)" }
    lines += parked.map { "parked \($0)" }
    lines += cycles.map { "cycle \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func describe(_ entity: ReferenceEntity, named name: String) -> [String] {
    let existence = entity.existence.map { "\($0.kind) by \($0.write(.null).reference)" }
    let floor = entity.floor.map { ", erased by \($0.write(.null).reference)" } ?? ""
    let life = entity.isLive ? "live" : "not live"
    return ["entity \(name): \(life), \(existence ?? "never inserted")\(floor)"]
      + entity.fields.sorted { $0.key < $1.key }.map { field, winner in
        "  \(field) = \(winner.value) by \(winner.reference)"
      }
  }
}
