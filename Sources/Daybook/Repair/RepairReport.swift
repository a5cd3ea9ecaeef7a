public import LogEngine

/// What a repair has found and done.
public struct RepairReport: Sendable {
  /// What was wrong, in words. Empty: there was nothing to repair.
  public var findings: [String] = []
  /// What was done about it, in words; what would be done, where ``isDone`` is false.
  public var actions: [String] = []
  /// Whether anything was done. Not so for a dry run, and where events would have been lost without
  /// consent: then the store is as it was.
  public var isDone = false
  /// Events that were fetched from the sources.
  public var fetched: UInt64 = 0
  /// Events that nobody has any more. What is sound behind them stays in the log, and counts when
  /// they are found after all.
  public var lost: [LogFinding.Events] = []
  /// A part of the log is gone of which nobody can say what was in it.
  public var mayHaveLostMore = false
  /// The store writes as another replica from now on, since events of its own may be among the lost.
  public var takesNewIdentity = false
  /// Where copies of what was replaced or set aside are, relative to the store's folder.
  public var quarantined: [String] = []
  /// Whether the whole store was found sound after that; as it is, where it was a dry run.
  public var isSound = false

  /// Whether events are lost, as far as anybody can say.
  public var losesEvents: Bool { !lost.isEmpty || mayHaveLostMore }
}
