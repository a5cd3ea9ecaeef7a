import DaybookEventCore

/// Finds every cycle in the trees of a whole collection and cuts it: after a bulk
/// rebuild, and after a schema change has made a new table. All live entities must have
/// rows, which show all references.
///
/// Cost: nothing without trees; otherwise a pass over the collection, with 13 bytes
/// of memory per entity.
struct TreeFold {
  let projector: Projector
  let table: CollectionTable

  private var sql: StatementCache { projector.sql }
  private var entities: EntityStore { projector.entities }

  /// Records the reference to cut of each cycle; the rows still show it.
  /// - Returns: the numbers of the entities with such a reference.
  func run() throws(ProjectionError) -> [Int64] {
    var cut: [Int64] = []
    for index in table.treeColumns {
      let column = table.columns[index]
      for member in try cycles(column) {
        guard let start = entities.edge(of: try entities.load(table, number: member), column),
          let latest = try entities.latest(try entities.cycle(from: start, column, table))
        else { continue }
        try entities.cycles.insert(latest.id, target: latest.target, column, of: table)
        cut.append(latest.number)
      }
    }
    return cut
  }

  /// Returns the number of one member of each cycle that a column of texts makes.
  func cycles(_ column: CollectionTable.Column) throws(ProjectionError) -> [Int64] {
    let numbers = try numbers()
    let parents = try parents(of: numbers, column)
    var members: [Int64] = []
    // 0: not visited; 1: on the current path; 2: done.
    var marks = [UInt8](repeating: 0, count: numbers.count)
    for start in parents.indices where parents[start] >= 0 && marks[start] == 0 {
      var at = start
      while marks[at] == 0 {
        marks[at] = 1
        guard parents[at] >= 0 else { break }
        at = Int(parents[at])
      }
      if marks[at] == 1, parents[at] >= 0 { members.append(numbers[at]) }
      at = start
      while marks[at] == 1 {
        marks[at] = 2
        guard parents[at] >= 0 else { break }
        at = Int(parents[at])
      }
    }
    return members
  }

  /// Returns, for each index in `numbers`, the index of the parent; −1 if there is none.
  private func parents(of numbers: [Int64], _ column: CollectionTable.Column)
    throws(ProjectionError) -> [Int32]
  {
    var parents = [Int32](repeating: -1, count: numbers.count)
    let name = Names.quoted(column.schema.name)
    let query = try sql(
      """
      SELECT t._rowid_, p._rowid_ FROM \(table.quotedName) t
      JOIN \(table.quotedName) p ON p.id = t.\(name)
      """)
    defer { query.reset() }
    while try query.step() {
      guard let child = Self.place(of: query.integer(0), in: numbers),
        let parent = Self.place(of: query.integer(1), in: numbers)
      else { continue }
      parents[child] = Int32(truncatingIfNeeded: parent)
    }
    return parents
  }

  private func numbers() throws(ProjectionError) -> [Int64] {
    let query = try sql("SELECT _rowid_ FROM \(table.quotedName) ORDER BY _rowid_")
    defer { query.reset() }
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.integer(0)) }
    return numbers
  }

  private static func place(of number: Int64, in numbers: [Int64]) -> Int? {
    var range = numbers.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if numbers[middle] == number { return middle }
      range =
        numbers[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
