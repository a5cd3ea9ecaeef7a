public import DaybookLogEngine

/// The result of a repair.
public struct RepairReport: Sendable {
  /// The problems found, in words; empty if there was nothing to repair.
  public var findings: [String] = []
  /// The actions taken, in words. If ``isDone`` is false, the actions that would be taken.
  public var actions: [String] = []
  /// Whether anything was changed. It is false for a dry run. It is also false if events would
  /// have been lost without consent; then the store was left unchanged.
  public var isDone = false
  /// The number of events that were fetched from the sources.
  public var fetched: UInt64 = 0
  /// Events that neither the log nor any source holds. Sound events after them stay in the log,
  /// and take effect if the missing events are found later.
  public var lost: [LogFinding.Events] = []
  /// Whether a part of the log with unknown contents is lost.
  public var mayHaveLostMore = false
  /// Whether the store takes a new identity with its next write, because events of its own may be
  /// lost.
  public var takesNewIdentity = false
  /// The copies of what was replaced or set aside, relative to the store's folder.
  public var quarantined: [String] = []
  /// Whether the whole store was found sound after the repair. For a dry run, whether it is sound
  /// as it is.
  public var isSound = false

  /// Whether events are lost or may be lost.
  public var losesEvents: Bool { !lost.isEmpty || mayHaveLostMore }
}
