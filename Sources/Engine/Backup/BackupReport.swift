/// The result of making or restoring a backup.
public struct BackupReport: Hashable, Sendable {
  /// The number of events in the backup.
  public var events: UInt64
  /// The number of segments of the log in the backup.
  public var segments: Int
  /// The size of the log in the backup, in bytes.
  public var bytes: UInt64
  /// The number of segments that were copied. Intact segments from an earlier backup in the same
  /// folder do not count.
  public var copied: Int
  /// The bytes that were copied. Intact segments of an earlier backup do not count.
  public var bytesCopied: UInt64
}

/// The result of verifying a backup.
public struct BackupVerification: Hashable, Sendable {
  /// The time when the backup was made, in ISO 8601.
  public var made: String
  /// The number of events in the backup, according to its manifest.
  public var events: UInt64
  /// The number of segments of the log in the backup, according to its manifest.
  public var segments: Int
  /// The size of the log in the backup, in bytes.
  public var bytes: UInt64
  /// The problems found, as sentences; empty if the backup is intact.
  public var findings: [String] = []

  /// Whether nothing was found.
  public var isSound: Bool { findings.isEmpty }
}
