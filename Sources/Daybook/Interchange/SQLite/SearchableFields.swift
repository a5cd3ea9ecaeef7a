/// Which fields of tables that say nothing of it themselves become searchable.
public enum SearchableFields: Hashable, Sendable {
  /// Texts in which words stand, that is, a space in some value; where a table has none of them, the
  /// first of its texts. References are none of either. Only for collections that are new.
  case automatic
  case none
  /// These: fields or columns, of every table that has them, or of one, as `TABLE.COLUMN`.
  case named([String])
}
