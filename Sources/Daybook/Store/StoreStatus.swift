public import EventCore
import Foundation
import GRDB
public import LogEngine
import Projections

/// A store's health at a glance.
public struct StoreStatus: Sendable {
  public struct CollectionCount: Hashable, Sendable {
    public var name: String
    public var isRelationship: Bool
    public var entities: Int
  }

  public var replica: ReplicaID
  public var segments: [SegmentInfo]
  public var events: Int
  /// Bytes of the log's segments, and of the read model with its write-ahead log.
  public var logBytes: UInt64
  public var readModelBytes: UInt64
  public var durableEnd: LogPosition
  /// What the log holds without gaps, and what the read model shows.
  public var logVector: VersionVector
  public var readModelVector: VersionVector
  public var collections: [CollectionCount]
  public var conflicts: Int
  public var misfits: Int
  /// Live entities that are not shown, for each field in which another has their value.
  public var parked: Int
  /// References that are not shown, because they make a cycle in a tree.
  public var cycles: Int
  /// Events and operations that this version does not understand.
  public var opaque: Int
  public var recovery: RecoveryReport
  public var damage: [LogFinding]

  /// Events of the log that the read model does not show yet.
  public var lag: UInt64 {
    logVector.entries.reduce(0) {
      $0 + $1.sequence - min($1.sequence, readModelVector[$1.origin])
    }
  }

  public var isHealthy: Bool { damage.isEmpty && recovery.damage.isEmpty && lag == 0 }
}

extension Store {
  /// Cost: counts the rows of every table.
  public func status() async throws -> StoreStatus {
    let (log, files, recovery, replica) = (log, files, recovery, replica)
    return try await view { view, db in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0
      }
      let segments = log.segments
      return StoreStatus(
        replica: replica, segments: segments,
        events: segments.reduce(0) { $0 + $1.events },
        logBytes: segments.reduce(0) { $0 + $1.bytes },
        readModelBytes: StoreFiles.readModelFiles(files.readModel).reduce(0) {
          $0 + Self.size($1)
        },
        durableEnd: log.durableEnd, logVector: log.vector, readModelVector: view.vector,
        collections: try view.schema.sorted.map {
          .init(
            name: $0.name, isRelationship: $0.isRelationship, entities: try count($0.name))
        },
        conflicts: try count("_daybook_conflicts"), misfits: try count("_daybook_misfits"),
        parked: try count("_daybook_parked"),
        cycles: try count("_daybook_cycles"),
        opaque: view.opaqueCount, recovery: recovery, damage: log.damage)
    }
  }

  private static func size(_ path: String) -> UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
  }
}
