import DaybookEventCore

/// A report to another replica of what this one holds, in one of three levels of detail.
///
/// ```
/// u8 form · digest: 16 bytes
///         · sketch: 64 × u64
///         · entries: u64 mask · varint n · n × (16 origin · entry)
/// ```
package enum KnowledgeReport: Hashable, Sendable {
  /// The digest of everything held.
  case digest(KnowledgeDigest)
  /// The sums of everything held, by bucket.
  case sketch([UInt64])
  /// Everything held in the buckets of the mask.
  case entries(mask: UInt64, Knowledge)

  private enum Form {
    static let digest: UInt8 = 0
    static let sketch: UInt8 = 1
    static let entries: UInt8 = 2
  }

  /// The most origins that are listed at once. With more origins, buckets are compared first.
  static let listedOrigins = 64

  /// Returns a report of all entries if they are few, else the sketch.
  package static func full(_ knowledge: Knowledge) -> KnowledgeReport {
    knowledge.count <= listedOrigins
      ? .entries(mask: .max, knowledge) : .sketch(knowledge.sums)
  }

  /// Returns a report of what `knowledge` holds in the buckets of `mask`.
  package static func part(of knowledge: Knowledge, _ mask: UInt64) -> KnowledgeReport {
    .entries(
      mask: mask, Knowledge(knowledge.entries(in: mask).map { ($0.origin, $0.entry) }))
  }

  /// Returns a report of this form about what is held now.
  func renewed(_ knowledge: Knowledge) -> KnowledgeReport {
    switch self {
    case .digest: .digest(knowledge.digest)
    case .sketch: .sketch(knowledge.sums)
    case .entries(let mask, _): .part(of: knowledge, mask)
    }
  }

  func encode(to writer: inout ByteWriter) {
    switch self {
    case .digest(let digest):
      writer.byte(Form.digest)
      digest.encode(to: &writer)
    case .sketch(let sums):
      writer.byte(Form.sketch)
      for sum in sums { writer.integer(sum) }
    case .entries(let mask, let knowledge):
      writer.byte(Form.entries)
      writer.integer(mask)
      writer.varint(knowledge.count)
      for (origin, entry) in knowledge.entries(in: .max) {
        writer.replicaID(origin)
        entry.encode(to: &writer)
      }
    }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    let start = reader.offset
    switch try reader.byte() {
    case Form.digest: self = .digest(try KnowledgeDigest(from: &reader))
    case Form.sketch:
      var sums: [UInt64] = []
      for _ in 0..<Knowledge.bucketCount { sums.append(try reader.integer(UInt64.self)) }
      self = .sketch(sums)
    case Form.entries:
      let mask = try reader.integer(UInt64.self)
      var knowledge = Knowledge()
      var previous: ReplicaID?
      for _ in 0..<(try reader.count()) {
        let place = reader.offset
        let origin = try reader.replicaID()
        guard previous.map({ $0 < origin }) ?? true,
          mask >> Knowledge.bucket(of: origin) & 1 == 1
        else {
          throw EventError(.notCanonical, "an origin out of turn", offset: place)
        }
        previous = origin
        knowledge[origin] = try Knowledge.Entry(from: &reader)
        guard knowledge.runCount <= SyncProtocol.reportRunsMax else {
          throw EventError(
            .tooLarge, "a report of more than \(SyncProtocol.reportRunsMax) runs", offset: place)
        }
      }
      self = .entries(mask: mask, knowledge)
    default: throw EventError(.malformed, "an unknown form of knowledge", offset: start)
    }
  }
}
