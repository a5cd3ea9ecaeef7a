public import DaybookEventCore
package import DaybookLogEngine
package import DaybookProjections

/// The findings of ``Store/verify(at:progress:)``.
public struct StoreVerification: Sendable {
  /// The findings of the log.
  package var log: LogVerification
  /// Problems of the small files beside the log: the identity and its key.
  public var fileFindings: [String] = []
  /// Problems of the read model's file and of its search indexes.
  public var readModelFindings: [String] = []
  /// The first difference between the read model and the log.
  package var difference: ReadModelDifference?
  /// Whether the read model was compared with the log.
  ///
  /// False if either could not be read.
  public var isCompared = false
  /// Facts that are worth knowing and are not problems.
  public var notes: [String] = []
  /// The digest of the read model or, if there is no usable one, of what the log gives; nil if
  /// neither could be read.
  public var digest: StateDigest?

  /// Whether everything that cannot be rebuilt is as it was written: the log and the identity.
  public var isDurablySound: Bool { log.isSound && fileFindings.isEmpty }
  /// Whether nothing is wrong with the log, the small files and the read model.
  public var isSound: Bool {
    isDurablySound && readModelFindings.isEmpty && difference == nil
  }
}
