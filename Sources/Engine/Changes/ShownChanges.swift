import DaybookEventCore
import DaybookProjections

/// What a change of the read model has changed, and the events that it shows.
struct ShownChanges: Sendable {
  /// The changed rows; nil if anything may have changed.
  var rows: RowChanges?
  /// The events that the read model showed before.
  var before: VersionVector
  /// The events that it shows now.
  var after: VersionVector
  /// The number of rebuilds before and after; nil if the change was not this store's.
  var rebuilds: (before: Int64?, after: Int64?)?
}
