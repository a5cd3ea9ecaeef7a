/// A collection's live entities, as its table shows them.
struct ReferenceTable: Hashable, Sendable {
  /// `id`, then the declared columns in their order.
  var columns: [String]
  /// In the order of the ids' UTF-8.
  var rows: [[ReferenceCell]]
}
