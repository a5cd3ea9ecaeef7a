import DaybookEventCore

/// What follows if the order of events that are applied already changes.
extension Projector {
  /// Refolds what newly stamped events wrote, if their place in the order has changed.
  func refoldLowered() throws {
    let keepPlaces = try index.keepTheirPlaces(lowered)
    let pieces = lowered.map { (origin: $0.origin, range: $0.range) }
    lowered = []
    // Unique values store ranks, and cuts in trees depend on them, so such collections go on.
    if keepPlaces, !tablesByNumber.contains(where: \.hasRules) { return }
    try refold(pieces, keepPlaces: keepPlaces)
  }

  /// Refolds what some events have written, because their order may have changed.
  /// - Parameters:
  ///   - pieces: the ranges of events, by the origin's number.
  ///   - keepPlaces: whether all events keep their places, and only the ranks have changed.
  func refold(_ pieces: [(origin: Int, range: ClosedRange<UInt64>)], keepPlaces: Bool)
    throws
  {
    try writeCrowded()
    // Ids as bytes: texts that Unicode holds to be equivalent are different ids.
    var affected: [String: Set<[UInt8]>] = [:]
    var defined: Set<String> = []
    let readable = try source.wholeVector
    for piece in Self.joined(pieces) {
      let origin = index.origin(piece.origin)
      // An event being written now has seen everything, and so already has its place.
      let last = localOrigins.contains(piece.origin) ? readable[origin.id] : origin.sequence
      guard piece.range.lowerBound <= last else { continue }
      let known = piece.range.lowerBound...min(piece.range.upperBound, last)
      try source.forEachEvent(of: origin.id, in: known) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope),
          envelope.kind == .transaction, let body = Self.body(of: event, envelope)
        else { return }
        for operation in body.operations {
          switch operation {
          case .define(let definition):
            defined.insert(identity(of: definition.collection, origin: piece.origin))
          case .drop(let collection, _):
            defined.insert(identity(of: collection, origin: piece.origin))
          default:
            guard let entity = operation.entity else { continue }
            affected[identity(of: entity.collection, origin: piece.origin), default: []]
              .insert(Array(entity.id.utf8))
          }
        }
      }
    }
    if !keepPlaces { try adopt(try note(try definitions.refold(defined, by: orderKey))) }
    for (name, ids) in affected.sorted(by: { utf8Less($0.key, $1.key) }) {
      for id in ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let text = String(decoding: id, as: UTF8.self)
        var record = try entities.load(try table(name), text)
        guard record.isStored else { continue }
        let isOnlyWrite = record.state.recent.count == 1 && record.state.chunkCount == 0
        if keepPlaces || isOnlyWrite {
          // The winners are the same, but rank differently among the writes to other entities.
          if record.table.hasRules { try entities.save(&record, isReordered: true) }
          continue
        }
        let old = record.contribution(index)
        try refold(&record)
        replaceInDigest(old, record.contribution(index))
        try entities.save(&record, isReordered: true)
      }
    }
  }

  /// Returns ranges of events without overlaps: one event of a hub may stamp an event many times.
  private static func joined(_ pieces: [(origin: Int, range: ClosedRange<UInt64>)])
    -> [(origin: Int, range: ClosedRange<UInt64>)]
  {
    var joined: [(origin: Int, range: ClosedRange<UInt64>)] = []
    let sorted = pieces.sorted {
      ($0.origin, $0.range.lowerBound) < ($1.origin, $1.range.lowerBound)
    }
    for piece in sorted {
      guard let last = joined.last, last.origin == piece.origin,
        piece.range.lowerBound <= last.range.upperBound
      else {
        joined.append(piece)
        continue
      }
      let end = max(last.range.upperBound, piece.range.upperBound)
      joined[joined.count - 1].range = last.range.lowerBound...end
    }
    return joined
  }
}
