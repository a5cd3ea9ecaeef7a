// What an app sees of the modules below: `import Daybook` is enough. Names that belong to another
// type are nested in it. The errors of those modules are causes of a `StoreError`, and not here.

public import DaybookEventCore
public import DaybookLogEngine
public import DaybookProjections
public import DaybookReplication
public import DaybookTexts

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

// MARK: - Events and values

// MARK: - Reads

extension Store {
  public typealias DeletedEntity = DaybookProjections.DeletedEntity
  public typealias EventTimes = DaybookProjections.EventTimes
  public typealias HiddenValue = DaybookProjections.HiddenValue
  public typealias TextBlame = DaybookProjections.TextBlame
}

extension StoredEntity {
  public typealias Version = EntityVersion
}

extension StoreSchema {
  public typealias Collection = CollectionSchema
  public typealias Directedness = DaybookProjections.Directedness
  public typealias Field = FieldSchema
  public typealias HiddenCollection = DaybookProjections.HiddenCollection
  public typealias HiddenDefinition = DaybookProjections.HiddenDefinition
  public typealias HiddenField = DaybookProjections.HiddenField
  public typealias HiddenReason = DaybookProjections.HiddenReason
  public typealias Index = IndexSchema
  public typealias UniqueSet = DaybookProjections.UniqueSet
}

extension Graph {
  public typealias Direction = GraphDirection
  public typealias Edge = GraphEdge
  public typealias Importance = ImportanceMeasure
  public typealias Path = GraphPath
  public typealias Rank = GraphRank
  public typealias Reach = GraphReach
  public typealias Subgraph = DaybookProjections.Subgraph
  public typealias Vertex = GraphVertex
}

// MARK: - The store's files

extension Store {
  public typealias LogFinding = DaybookLogEngine.LogFinding
  public typealias LogPosition = DaybookLogEngine.LogPosition
  public typealias RebuildProgress = DaybookProjections.RebuildProgress
  public typealias RecoveryReport = DaybookLogEngine.RecoveryReport
  public typealias SegmentInfo = DaybookLogEngine.SegmentInfo
}

// MARK: - Sync

extension SyncEngine {
  public typealias Progress = SyncProgress
}

extension SyncResponse {
  public typealias Refusal = RangeRefusal
}
