package import DaybookEventCore

/// The visible result of projecting a set of events, by which the projector is compared with the
/// reference model.
package struct ProjectedState: Equatable, Sendable {
  /// The tables of all declared collections that are shown, by name.
  var tables: [String: ReferenceTable]
  /// Ascending.
  var misfits: [ReferenceMisfit]
  /// Ascending.
  var unfit: [ReferenceUnfitEdit]
  /// Ascending.
  var conflicts: [ReferenceConflict]
  /// Ascending.
  var parked: [ReferenceParked]
  /// Ascending.
  var cycles: [ReferenceCycle]
  package var digest: StateDigest
  /// Whether this software understands all shared events.
  package var isComplete: Bool
  /// Whether this software understands all private events. The digest says nothing about them.
  var isLocalComplete: Bool

  package var conflictCount: Int { conflicts.count }
}
