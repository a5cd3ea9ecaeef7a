internal import Daybook
internal import EventCore
internal import LogEngine
internal import Replication

/// A store or a hub as it runs on a machine: the real storage half of a replica, on a simulated disk.
/// Gone with a crash.
protocol ReplicaProcess: ReplicaStorage {
  var log: EventLog { get }
  var responder: SyncResponder { get }
  /// Called where another thread could come between: ranges were judged, and are not stored yet.
  var beforeStoring: (() -> Void)? { get set }
  /// What was told to others since the last look.
  var told: Knowledge { get set }
  func close()
}
