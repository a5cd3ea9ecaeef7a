import DaybookEventCore
import DaybookReplication
import Foundation

/// A shared folder as one side of an exchange. It exists for one request only.
final class FolderReplica: ReplicaStorage {
  let replica: ReplicaID
  private let index: FolderIndex
  private let writer: FolderWriter
  /// The ranges of the request, as received.
  private let incoming: [EventRange]
  private let promised: [FolderFileName]

  /// Creates the folder's side of one exchange.
  /// - Parameters:
  ///   - index: the scanned contents of the folder.
  ///   - writer: writes files for the replica that asks.
  ///   - request: the request to answer.
  ///   - asker: what the asking replica holds; nil if that is not known.
  init(_ index: FolderIndex, _ writer: FolderWriter, _ request: SyncRequest, asker: Knowledge?) {
    self.index = index
    self.writer = writer
    replica = FolderReplica.name(of: index.zone)
    incoming = request.ranges
    // If the asker holds the events of a file that has not arrived yet, it need not write them
    // again. For other askers, the folder must not claim events that it cannot deliver.
    promised = index.promised.filter { name in
      asker?[name.origin].map { $0.missing(in: name.sequences).isEmpty } ?? false
    }
  }

  /// Returns the replica id under which a folder answers. It is derived from the zone's id, as a
  /// folder has no events of its own.
  static func name(of zone: ZoneID) -> ReplicaID {
    zone.bytes.withUnsafeBytes { ReplicaID(bytes: $0) }
  }

  var zone: ZoneID { index.zone }
  var takesGaps: Bool { true }
  var authority: [UInt8]? { nil }

  func knowledge() -> Knowledge {
    var knowledge = index.knowledge
    for name in promised { knowledge.insert(.init(name.sequences, name.tag), of: name.origin) }
    return knowledge
  }

  func held(of origin: ReplicaID) -> SequenceRanges {
    knowledge()[origin]?.sequences ?? SequenceRanges()
  }

  /// Returns a chain value. After a file that has not arrived yet, it is the asker's, if the file's
  /// name confirms it.
  func chain(after event: EventID) -> Hash256? {
    if let known = index.chain(after: event) { return known }
    guard
      let name = promised.first(where: {
        $0.origin == event.origin && $0.sequences.upperBound == event.sequence
      }), let held = try? index.judge?.storage.chain(after: event), ChainTag(held) == name.tag
    else { return nil }
    return held
  }

  /// Returns an origin's public key. If the file with its first event cannot be read, it is the key
  /// that the asker knows. The origin's id is derived from the key, so it cannot be another one.
  func publicKey(of origin: ReplicaID) -> [UInt8]? {
    if let key = index.publicKey(of: origin) { return key }
    return (try? index.judge?.storage.publicKey(of: origin)) ?? nil
  }

  func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) -> Bool {
    index.start(of: origin, at: sequence).map { $0 == chain } ?? true
  }

  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    -> EventRange?
  {
    index.range(of: origin, with: sequence + 1)
  }

  /// Publishes the events that the asker has sent, as files in the asker's folder.
  func store(_ ranges: [CheckedRange]) throws {
    var file: FolderFile?
    var bytes = 0
    for checked in ranges {
      let event = checked.head.event
      guard
        var range = incoming.first(where: { $0.origin == event.origin && $0.last == event.sequence }
        )
      else { continue }
      index.note(checked.head.chain, after: event)
      let before = EventID(range.origin, range.first - 1)
      range.chainBefore = chain(after: before) ?? range.chainBefore
      guard range.chainBefore != nil else { continue }
      if var open = file, open.origin == range.origin, open.sequences.upperBound + 1 == range.first,
        bytes + range.size <= FolderWriter.fileBytesMax
      {
        open.ranges.append(range)
        open.chainAfter = checked.head.chain
        file = open
      } else {
        if let file { try writer.write(file, index) }
        bytes = 0
        file = FolderFile(
          zone: zone, writer: writer.writer, ranges: [range], chainAfter: checked.head.chain)
      }
      bytes += range.size
    }
    if let file { try writer.write(file, index) }
  }

  func adopt(_ zone: ZoneID) throws {
    throw SyncError(.wrongZone, "a folder's zone stays what it is")
  }
}
