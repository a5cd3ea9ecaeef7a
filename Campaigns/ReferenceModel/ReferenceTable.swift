/// A collection's table: its live entities without the parked ones.
struct ReferenceTable: Hashable, Sendable {
  /// `id`, then the declared columns in their order.
  var columns: [String]
  /// The rows, in the order of their ids' UTF-8 bytes.
  var rows: [[ReferenceCell]]
}
