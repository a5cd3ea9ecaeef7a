/// Which fields become searchable if the imported tables do not say so themselves.
public enum SearchableFields: Hashable, Sendable {
  /// Text fields with a space in some value, which suggests words. If a table has none, its first
  /// text field. References are excluded. Applies only to new collections.
  case automatic
  /// No field.
  case none
  /// The named fields or columns, in every table that has them. `TABLE.COLUMN` names a field of one
  /// table.
  case named([String])
}
