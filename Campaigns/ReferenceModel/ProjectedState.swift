package import EventCore

/// All that a projection of a set of events shows: what the reference model and the projector are
/// compared on.
package struct ProjectedState: Equatable, Sendable {
  /// Of every declared collection.
  var tables: [String: ReferenceTable]
  /// Ascending.
  var misfits: [ReferenceMisfit]
  /// Ascending.
  var conflicts: [ReferenceConflict]
  /// Ascending.
  var parked: [ReferenceParked]
  /// Ascending.
  var cycles: [ReferenceCycle]
  package var digest: StateDigest
  /// Whether nothing of the events is beyond this software.
  package var isComplete: Bool
  /// The same of private events, of which the digest does not speak.
  var isLocalComplete: Bool

  package var conflictCount: Int { conflicts.count }
}
