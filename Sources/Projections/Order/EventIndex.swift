import DaybookEventCore

/// The index of the events that the read model has applied: origins, how far each was read, when
/// events were authored and stamped, and what their authors had seen.
final class EventIndex {
  struct Origin {
    var id: ReplicaID
    /// The highest event applied.
    var sequence: UInt64 = 0
    var chain: Hash256
    /// The latest authored time that is not far in the future.
    var latestAuthored = HybridTime.zero
    /// The first event that ranks by what its author had seen, since its time is far in the future
    /// or detached; 0 if there is none.
    var firstFar: UInt64 = 0
    /// Whether it has an event with a time far in the future.
    var isAhead = false
    var isHub = false
    /// Whether it has given a stamp that does not count, as its time is far in the future.
    var hasFarStamps = false
    /// Whether authored times never ran backwards: then pending events rank in sequence order.
    var isMonotone = true
    var hasStamps = false
    /// Whether it has written anything that has a place in the order; hubs usually have not.
    var hasWrites = false
    var isDirty = true
    /// Authored times of the block that the next event goes to. Until the block is full they stay
    /// in the origin's row, which each commit writes anyway.
    var openTimes: [HybridTime] = []

    /// The number of the open block.
    var openBlock: UInt64 { sequence == 0 ? 0 : (sequence - 1) / EventIndex.blockSize }
  }

  /// The number of authored times in one row.
  static let blockSize: UInt64 = 128

  let sql: StatementCache
  /// By origin number − 1.
  var origins: [Origin] = []
  var numbers: [ReplicaID: Int] = [:]
  private var contexts: [Int: CausalContext] = [:]
  var readBlock: (origin: Int, block: UInt64, times: [HybridTime])?
  var readStamp: (origin: Int, piece: StampPiece)?
  /// By origin number, the sequence up to which every event has a stamp; absent if
  /// not looked up yet.
  var stampedThrough: [Int: UInt64] = [:]
  /// A time that no stamp exceeds; nil if not looked up yet.
  var latestStamp: HybridTime?
  /// The numbers of origins with events that are far in the future or detached; almost always
  /// empty.
  var farOrigins: [Int] = []
  /// By origin number, the latest event that any author had seen, whether it is here or not. Kept
  /// only while there are ``farOrigins``.
  var seenThrough: [Int: UInt64]?
  /// The number of times that the history of what an author had seen was looked at. Tests count the
  /// work of a projection with it.
  private(set) var sightLookups = 0
  /// Whether events have arrived that change how pending events rank behind events
  /// far in the future.
  var hasFarMoved = false

  init(_ sql: StatementCache) throws(ProjectionError) {
    self.sql = sql
    let query = try sql(
      """
      SELECT origin, sequence, chain, authored, flags, times, number, far FROM _daybook_origins
      ORDER BY number
      """)
    while try query.step() {
      let (id, chain) = (query.blob(0), query.blob(2))
      guard id.count == 16, chain.count == 32, query.int(6) == origins.count + 1,
        query.integer(1) >= 0
      else { throw .damaged("an origin's id, chain or sequence") }
      let flags = query.integer(4)
      origins.append(
        Origin(
          id: id.withUnsafeBytes { ReplicaID(bytes: $0) },
          sequence: UInt64(bitPattern: query.integer(1)),
          chain: chain.withUnsafeBytes { Hash256(bytes: $0) },
          latestAuthored: HybridTime(rawValue: UInt64(bitPattern: query.integer(3))),
          firstFar: UInt64(clamping: query.integer(7)), isAhead: flags & 32 != 0,
          isHub: flags & 1 != 0, hasFarStamps: flags & 16 != 0, isMonotone: flags & 2 == 0,
          hasStamps: flags & 4 != 0, hasWrites: flags & 8 != 0, isDirty: false))
      numbers[origins[origins.count - 1].id] = origins.count
      if query.integer(7) > 0 { farOrigins.append(origins.count) }
      let times = try Self.decode(query.blob(5))
      if !times.isEmpty {
        let sequence = origins[origins.count - 1].sequence
        guard sequence > 0, times.count == Int((sequence - 1) % Self.blockSize) + 1 else {
          throw .damaged("authored times")
        }
        origins[origins.count - 1].openTimes = times
      }
    }
    query.reset()
  }

  // MARK: - Origins

  /// Returns the number of an origin, from 1; assigns the next number to a new origin.
  func number(of id: ReplicaID) -> Int {
    if let number = numbers[id] { return number }
    origins.append(Origin(id: id, chain: Chain(origin: id).value))
    numbers[id] = origins.count
    return origins.count
  }

  func knownNumber(of id: ReplicaID) -> Int? { numbers[id] }

  /// Returns an origin by its number.
  /// - Parameter number: a number that was assigned; `isKnown` tells.
  func origin(_ number: Int) -> Origin { origins[number - 1] }

  /// Returns the id of an origin by its number.
  func id(of number: Int) -> ReplicaID { origins[number - 1].id }

  /// Returns whether `number` was assigned: a damaged read model may hold any.
  func isKnown(_ number: Int) -> Bool { number >= 1 && number <= origins.count }

  func markHub(_ number: Int) {
    origins[number - 1].isHub = true
    origins[number - 1].isDirty = true
  }

  func markFarStamps(_ number: Int) {
    origins[number - 1].hasFarStamps = true
    origins[number - 1].isDirty = true
  }

  func markStamped(_ number: Int) {
    origins[number - 1].hasStamps = true
    origins[number - 1].isDirty = true
    readStamp = nil
  }

  func markWriter(_ number: Int) {
    guard !origins[number - 1].hasWrites else { return }
    origins[number - 1].hasWrites = true
    origins[number - 1].isDirty = true
  }

  func setChain(_ number: Int, _ chain: Hash256) {
    origins[number - 1].chain = chain
    origins[number - 1].isDirty = true
  }

  /// The sequence up to which each origin was read, private ones included.
  var wholeVector: VersionVector { VersionVector(origins.map { ($0.id, $0.sequence) }) }

  /// For each origin, the latest authored time of its events. Times far in the future do not count.
  var latestTimes: [HybridTime] { origins.map(\.latestAuthored) }

  // MARK: - Events

  /// Records the next event of an origin.
  /// - Parameters:
  ///   - number: the origin's number.
  ///   - sequence: the event's sequence.
  ///   - authored: its authored time; nil if the envelope could not be read.
  ///   - delta: its context delta; nil if the envelope could not be read, which leaves the context
  ///     as it was.
  /// - Returns: whether the delta could be applied.
  /// - Throws: ``ProjectionError/Code/missingEvent`` if the event does not follow the last one.
  func record(_ number: Int, sequence: UInt64, authored: HybridTime?, delta: ContextDelta?)
    throws(ProjectionError) -> Bool
  {
    let index = number - 1
    guard sequence == origins[index].sequence + 1 else {
      throw ProjectionError(
        .missingEvent,
        "event \(sequence) of \(origins[index].id) does not follow \(origins[index].sequence)")
    }
    let latest = origins[index].latestAuthored
    let time = authored ?? latest
    if time.ranksBySeen {
      // Such an event may rank below the one before it.
      origins[index].isMonotone = false
      if origins[index].firstFar == 0 {
        origins[index].firstFar = sequence
        farOrigins.append(number)
      }
    }
    if time < latest {
      origins[index].isMonotone = false
    } else if !time.isFar {
      origins[index].latestAuthored = time
    }
    if time.isFar { origins[index].isAhead = true }
    try noteFar(number, sequence)
    if (sequence - 1) % Self.blockSize == 0 { try closeBlock(number) }
    origins[index].sequence = sequence
    origins[index].openTimes.append(time)
    origins[index].isDirty = true
    guard let delta else { return false }
    guard !delta.advances.isEmpty else { return true }
    return try advanceContext(number, sequence, delta)
  }

  /// Returns what the author had seen at its latest event.
  func context(of number: Int) throws(ProjectionError) -> CausalContext {
    if let context = contexts[number] { return context }
    let query = try sql(
      "SELECT seen, through FROM _daybook_mentions WHERE author = ? ORDER BY number")
    try query.bind(1, number)
    var entries: [(origin: ReplicaID, sequence: UInt64)] = []
    while try query.step() {
      guard isKnown(query.int(0)) else { throw .damaged("an unknown origin in a context") }
      entries.append((origin(query.int(0)).id, UInt64(bitPattern: query.integer(1))))
    }
    query.reset()
    let context = CausalContext(author: origin(number).id, entries: entries)
    contexts[number] = context
    return context
  }

  private func advanceContext(_ number: Int, _ sequence: UInt64, _ delta: ContextDelta)
    throws(ProjectionError) -> Bool
  {
    var context = try context(of: number)
    let changes: [(origin: ReplicaID, sequence: UInt64)]
    do throws(EventError) { changes = try context.apply(delta) } catch { return false }
    contexts[number] = context
    for (seen, through) in changes {
      let seenNumber = self.number(of: seen)
      let before = seenThrough?[seenNumber] ?? 0
      seenThrough?[seenNumber] = max(before, through)
      let history = try sql("INSERT INTO _daybook_context VALUES (?, ?, ?, ?)")
      try history.bind(1, number)
      try history.bind(2, seenNumber)
      try history.bind(3, Int64(bitPattern: sequence))
      try history.bind(4, Int64(bitPattern: through))
      try history.run()
      let mention = try sql("INSERT OR REPLACE INTO _daybook_mentions VALUES (?, ?, ?, ?)")
      try mention.bind(1, number)
      try mention.bind(2, context.number(of: seen) ?? 0)
      try mention.bind(3, seenNumber)
      try mention.bind(4, Int64(bitPattern: through))
      try mention.run()
    }
    return true
  }

  /// Returns whether the author of one event had seen another event.
  func hasSeen(_ author: Int, at sequence: UInt64, event: (origin: Int, sequence: UInt64))
    throws(ProjectionError) -> Bool
  {
    if author == event.origin { return sequence >= event.sequence }
    return try seen(by: author, at: sequence, of: event.origin) >= event.sequence
  }

  func seen(by author: Int, at sequence: UInt64, of other: Int)
    throws(ProjectionError) -> UInt64
  {
    sightLookups += 1
    let query = try sql(
      """
      SELECT through FROM _daybook_context WHERE author = ? AND seen = ? AND sequence <= ?
      ORDER BY sequence DESC LIMIT 1
      """)
    try query.bind(1, author)
    try query.bind(2, other)
    try query.bind(3, Int64(bitPattern: sequence))
    defer { query.reset() }
    return try query.step() ? UInt64(bitPattern: query.integer(0)) : 0
  }

  /// Returns the vector of an event and all that its author had seen. Private origins count only
  /// for a private event, whatever the context of another says.
  func vector(at author: Int, _ sequence: UInt64) throws(ProjectionError) -> VersionVector {
    var vector = VersionVector()
    let mayNamePrivate = origin(author).id.isPrivate
    for mentioned in try context(of: author).mentioned
    where mayNamePrivate || !mentioned.isPrivate {
      let other = number(of: mentioned)
      vector.include(mentioned, try seen(by: author, at: sequence, of: other))
    }
    vector.include(origin(author).id, sequence)
    return vector
  }

  /// Returns, for each private origin, the number of events whose author had seen no shared event
  /// beyond `vector`. These are its first events, since what an author has seen only grows.
  func privateEvents(within vector: VersionVector) throws(ProjectionError) -> VersionVector {
    var found = VersionVector()
    for number in origins.indices.map({ $0 + 1 }) where origin(number).id.isPrivate {
      var last = origin(number).sequence
      for mentioned in try context(of: number).mentioned where !mentioned.isPrivate {
        let query = try sql(
          "SELECT min(sequence) FROM _daybook_context WHERE author = ? AND seen = ? AND through > ?"
        )
        try query.bind(1, number)
        try query.bind(2, self.number(of: mentioned))
        try query.bind(3, Int64(clamping: vector[mentioned]))
        defer { query.reset() }
        guard try query.step(), !query.isNull(0) else { continue }
        last = min(last, UInt64(clamping: query.integer(0)) - 1)
      }
      found.include(origin(number).id, last)
    }
    return found
  }

  // MARK: - Order

  /// Returns an event's place in the order when only the events in `vector` were known.
  func order(_ number: Int, _ sequence: UInt64, within vector: VersionVector)
    throws(ProjectionError) -> EventOrder
  {
    guard isKnown(number) else { throw .damaged("an unknown origin") }
    let id = EventID(origin(number).id, sequence)
    if let stamp = try stamp(number, sequence, within: vector) {
      return EventOrder(stamped: stamp.time, hub: origin(stamp.hub).id, id: id)
    }
    return try pendingOrder(number, sequence) { vector[self.origin($0).id] }
  }

  func order(_ number: Int, _ sequence: UInt64) throws(ProjectionError) -> EventOrder {
    guard isKnown(number) else { throw .damaged("an unknown origin") }
    let id = EventID(origin(number).id, sequence)
    if let stamp = try stamp(number, sequence) {
      return EventOrder(stamped: stamp.time, hub: origin(stamp.hub).id, id: id)
    }
    return try pendingOrder(number, sequence)
  }

  func key(_ ref: WriteRef) throws(ProjectionError) -> OrderKey {
    OrderKey(try order(ref.origin, ref.sequence), operation: ref.operation)
  }

  /// Returns a write's order key, given its event's authored time.
  func key(_ ref: WriteRef, authored: HybridTime) throws(ProjectionError) -> OrderKey {
    let id = EventID(origin(ref.origin).id, ref.sequence)
    if let stamp = try stamp(ref.origin, ref.sequence) {
      let order = EventOrder(stamped: stamp.time, hub: origin(stamp.hub).id, id: id)
      return OrderKey(order, operation: ref.operation)
    }
    let order =
      farOrigins.isEmpty
      ? EventOrder(pending: authored, id: id) : try pendingOrder(ref.origin, ref.sequence)
    return OrderKey(order, operation: ref.operation)
  }

  /// Returns whether write `a` ranks before write `b`.
  func isOrdered(_ a: WriteRef, before b: WriteRef) throws(ProjectionError) -> Bool {
    if a.origin == b.origin {
      if a.sequence == b.sequence { return a.operation < b.operation }
      let known = origin(a.origin)
      if known.isMonotone, !known.hasStamps { return a.sequence < b.sequence }
    }
    return try key(a) < key(b)
  }

  // MARK: - Saving

  /// Writes the origins that have changed since the last save.
  func save() throws(ProjectionError) {
    for index in origins.indices where origins[index].isDirty {
      let origin = origins[index]
      let insert = try sql(
        "INSERT OR REPLACE INTO _daybook_origins VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      try insert.bind(1, index + 1)
      try insert.bind(2, origin.id.bytes)
      try insert.bind(3, Int64(bitPattern: origin.sequence))
      try insert.bind(4, origin.chain.bytes)
      try insert.bind(5, Int64(bitPattern: origin.latestAuthored.rawValue))
      let flags =
        (origin.isHub ? 1 : 0) | (origin.isMonotone ? 0 : 2) | (origin.hasStamps ? 4 : 0)
        | (origin.hasWrites ? 8 : 0) | (origin.hasFarStamps ? 16 : 0)
        | (origin.isAhead ? 32 : 0)
      try insert.bind(6, flags)
      try insert.bind(7, Self.encode(origin.openTimes))
      try insert.bind(8, Int64(bitPattern: origin.firstFar))
      try insert.run()
      origins[index].isDirty = false
    }
  }
}
