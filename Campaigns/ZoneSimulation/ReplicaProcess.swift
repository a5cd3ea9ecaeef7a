import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
import DaybookReplication

/// A store or a hub that runs on a machine: a replica's real storage code on a simulated disk.
///
/// It ends with a crash.
protocol ReplicaProcess: LoggedReplica {
  var responder: SyncResponder { get }
  /// Called after ranges are judged and before they are stored, when another thread could
  /// intervene.
  var beforeStoring: (() -> Void)? { get set }
  /// What was told to others since the last check.
  var told: Knowledge { get set }
  func close()
}

extension ReplicaProcess {
  func knowledge() throws -> Knowledge {
    let knowledge = try reader.knowledge(signer: signer?.id)
    told.formUnion(knowledge)
    return knowledge
  }
}

/// The error of a step for which a machine should have been running.
enum ProcessError: Error { case isDown }
