// What an app sees of the modules below: `import Daybook` is enough. Names that belong to another
// type are nested in it. The errors of those modules are causes of a `StoreError`, and not here.

public import DaybookEngine
public import DaybookLogEngine
public import DaybookPeers
public import DaybookProjections
public import DaybookReplication

@_exported public import struct DaybookEngine.EditableText
@_exported public import struct DaybookEngine.FieldClash
@_exported public import struct DaybookEngine.PeerState
@_exported public import struct DaybookEngine.StoreError
@_exported public import class DaybookEngine.WriteTransaction
@_exported public import struct DaybookEventCore.Definition
@_exported public import struct DaybookEventCore.EventID
@_exported public import struct DaybookEventCore.HybridTime
@_exported public import enum DaybookEventCore.KeptFact
@_exported public import enum DaybookEventCore.ReferenceRule
@_exported public import struct DaybookEventCore.ReplicaID
@_exported public import struct DaybookEventCore.StateDigest
@_exported public import enum DaybookEventCore.Uniqueness
@_exported public import enum DaybookEventCore.Value
@_exported public import struct DaybookEventCore.VersionVector
@_exported public import class DaybookPeers.FolderPeer
@_exported public import protocol DaybookPeers.LiveSyncPeer
@_exported public import enum DaybookPeers.PeerChange
@_exported public import class DaybookPeers.StorePeer
@_exported public import class DaybookPeers.SyncEngine
@_exported public import protocol DaybookPeers.SyncPeer
@_exported public import struct DaybookPeers.SyncReport
@_exported public import struct DaybookProjections.Conflict
@_exported public import enum DaybookProjections.FieldType
@_exported public import struct DaybookProjections.HistoryItem
@_exported public import struct DaybookProjections.SearchHit
@_exported public import enum DaybookProjections.SearchMatch
@_exported public import struct DaybookProjections.StoreSchema
@_exported public import struct DaybookProjections.StoredEntity
@_exported public import struct DaybookReplication.KnowledgeDigest
// A peer that an app writes throws it.
@_exported public import struct DaybookReplication.SyncError
@_exported public import struct DaybookReplication.SyncRequest
@_exported public import struct DaybookReplication.SyncResponse
@_exported public import struct DaybookReplication.ZoneID
@_exported public import struct DaybookTexts.TextScript

// MARK: - Reads

extension Store {
  /// A deleted entity that can be restored.
  public typealias DeletedEntity = DaybookProjections.DeletedEntity
  /// The times of an event: the author's, and the hub's.
  public typealias EventTimes = DaybookProjections.EventTimes
  /// A value that its table does not show, and the reason.
  public typealias HiddenValue = DaybookProjections.HiddenValue
  /// A part of a text, and the event that wrote it.
  public typealias TextBlame = DaybookProjections.TextBlame
}

extension StoredEntity {
  /// Tells whether an entity has changed since it was read.
  public typealias Version = EntityVersion
}

extension StoreSchema {
  /// A collection as it is defined.
  public typealias Collection = CollectionSchema
  /// Whether relationships have a direction.
  public typealias Directedness = DaybookProjections.Directedness
  /// A field of a collection as it is defined.
  public typealias Field = FieldSchema
  /// A collection that has no table, and the reason.
  public typealias HiddenCollection = DaybookProjections.HiddenCollection
  /// What is defined and not shown, and the reason.
  public typealias HiddenDefinition = DaybookProjections.HiddenDefinition
  /// A field that has no column, and the reason.
  public typealias HiddenField = DaybookProjections.HiddenField
  /// Why a definition is not shown.
  public typealias HiddenReason = DaybookProjections.HiddenReason
  /// An index of a collection.
  public typealias Index = IndexSchema
  /// Fields whose values together are unique.
  public typealias UniqueSet = DaybookProjections.UniqueSet
}

extension Graph {
  /// The direction in which relationships are followed.
  public typealias Direction = GraphDirection
  /// A relationship of the graph.
  public typealias Edge = GraphEdge
  /// How the importance of a vertex is measured.
  public typealias Importance = ImportanceMeasure
  /// A way from one vertex to another.
  public typealias Path = GraphPath
  /// A vertex and its importance.
  public typealias Rank = GraphRank
  /// A vertex that was reached, and how far it is.
  public typealias Reach = GraphReach
  /// Vertices, and the relationships among them.
  public typealias Subgraph = DaybookProjections.Subgraph
  /// An entity as a vertex of the graph.
  public typealias Vertex = GraphVertex
}

// MARK: - The store's files

extension Store {
  /// The result of making or restoring a backup.
  public typealias BackupReport = DaybookEngine.BackupReport
  /// The result of verifying a backup.
  public typealias BackupVerification = DaybookEngine.BackupVerification
  /// An incident of a store: something that it had to put right, or could not do.
  public typealias Incident = DaybookEngine.Incident
  /// Damage in the log.
  public typealias LogFinding = DaybookLogEngine.LogFinding
  /// A place in the log: a segment and an offset.
  public typealias LogPosition = DaybookLogEngine.LogPosition
  /// A problem of a store, with its cure.
  public typealias Problem = StoreProblem
  /// How far a rebuild is.
  public typealias RebuildProgress = DaybookProjections.RebuildProgress
  /// What an opening has found and mended in the log.
  public typealias RecoveryReport = DaybookLogEngine.RecoveryReport
  /// The result of a repair.
  public typealias RepairReport = DaybookEngine.RepairReport
  /// A file of the log.
  public typealias SegmentInfo = DaybookLogEngine.SegmentInfo
  /// The health of a store at a glance.
  public typealias Status = StoreStatus
  /// The findings of ``Store/verify(at:progress:)``.
  public typealias Verification = StoreVerification
}

// MARK: - Sync

extension Store {
  /// The result of settling a fork, that is, an origin with two histories.
  public typealias ForkReport = DaybookPeers.ForkReport
}

extension SyncReport {
  /// A problem at a peer that does not stop the sync.
  public typealias Finding = SyncFinding
}

extension SyncEngine {
  /// How far a sync is.
  public typealias Progress = SyncProgress
}

extension SyncResponse {
  /// Why a range of events was refused.
  public typealias Refusal = RangeRefusal
}

#if DAYBOOK_DOCUMENTATION
  // For Tools/docs: an alias has a page of its type only if that type is exported, too.
  @_exported public import DaybookEngine
  @_exported public import DaybookEventCore
  @_exported public import DaybookLogEngine
  @_exported public import DaybookPeers
  @_exported public import DaybookProjections
  @_exported public import DaybookReplication
  @_exported public import DaybookTexts
#endif
