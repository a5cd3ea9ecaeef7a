public import DaybookEventCore

/// What a statement returned and changed.
public struct GQLResult: Sendable {
  /// The names of the columns, in order.
  public var columns: [String]
  /// The rows, each with a value for every column.
  public var rows: [[GQLValue]]
  /// What the statement has changed.
  public var counts: GQLCounts
  /// The event that the statement became; nil if it has written nothing.
  public var event: EventID?
  /// What may be a mistake in the statement: labels, types and properties that nothing has.
  public var notes: [GQLNote] = []

  init(
    columns: [String] = [], rows: [[GQLValue]] = [], counts: GQLCounts = GQLCounts(),
    event: EventID? = nil
  ) {
    self.columns = columns
    self.rows = rows
    self.counts = counts
    self.event = event
  }

  /// Returns the values of one column.
  /// - Throws: ``GQLError`` `notFound` if there is no such column.
  public func column(_ name: String) throws -> [GQLValue] {
    guard let index = columns.firstIndex(of: name) else {
      throw GQLError(
        .notFound, "NoSuchColumn", "the result has no column “\(name)”",
        hint: "It has: \(columns.joined(separator: ", "))")
    }
    return rows.map { $0[index] }
  }

  /// Returns the rows as values of a type.
  ///
  /// Columns are properties of the type. A result of one column is the value itself: a node or map
  /// gives its properties, and a scalar itself.
  /// - Throws: `DecodingError`, which names the row and the column.
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> [T] {
    try rows.map { row in
      let named = GQLValue.map(GQLMap(zip(columns, row).map { ($0, $1) }))
      guard columns.count == 1 else { return try GQLDecoder.decode(type, named) }
      do { return try GQLDecoder.decode(type, row[0]) } catch {
        // A type with one property has the column as that property.
        guard let result = try? GQLDecoder.decode(type, named) else { throw error }
        return result
      }
    }
  }
}
