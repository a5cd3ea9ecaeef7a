import EventCore

/// The first pass of a rebuild: reads every event once.
struct BulkScan {
  let projector: Projector
  let partitions: Partitions
  let selection: Selection
  private(set) var definitions: [DefinitionRegisters.Write] = []
  private var scratch = ByteWriter(capacity: 4096)
  /// The operations of the event being read: they count only if all of them can be read.
  private var pending: [(partition: Int, range: Range<Int>)] = []

  init(projector: Projector, partitions: Partitions, selection: Selection) {
    self.projector = projector
    self.partitions = partitions
    self.selection = selection
  }

  /// - Returns: how many events were folded.
  mutating func run(_ source: any EventSource, progress: (Int, Int) -> Void) throws -> Int {
    let total = try source.vector.entries.reduce(0) { $0 + Int($1.sequence) }
    var read = 0
    var folded = 0
    if case .time = selection { try scanAllControl(source) }
    try source.forEachFrame(after: VersionVector()) { frame in
      let through = last(of: frame)
      // Of a frame that the selection cuts, the chain value at the cut is not written down.
      let isCut = through < frame.firstSequence + UInt64(frame.count) - 1
      var chain = Chain(value: projector.chain(of: frame.origin))
      try frame.forEachEvent { id, event in
        read += 1
        guard id.sequence <= through else { return }
        if isCut { chain.append(event) }
        if try scan(event, id) { folded += 1 }
      }
      if through >= frame.firstSequence {
        projector.setChain(of: frame.origin, isCut ? chain.value : frame.chain)
      }
      progress(read, total)
    }
    return folded
  }

  /// The last event of a frame's that is to be read; one before its first where none is.
  private func last(of frame: FrameView) -> UInt64 {
    let last = frame.firstSequence + UInt64(frame.count) - 1
    guard case .vector(let vector) = selection else { return last }
    return min(last, max(vector[frame.origin], frame.firstSequence - 1))
  }

  /// For a selection by time: all stamps come first, because they say when an event happened.
  private func scanAllControl(_ source: any EventSource) throws {
    var contexts: [ReplicaID: CausalContext] = [:]
    try source.forEachFrame(after: VersionVector()) { frame in
      try frame.forEachEvent { id, event in
        guard let envelope = try? Envelope(decoding: event.envelope) else { return }
        // An event whose context makes no sense says nothing: not even a stamp.
        var context = contexts[id.origin] ?? CausalContext(author: id.origin)
        do throws(EventError) { try context.apply(envelope.context) } catch { return }
        contexts[id.origin] = context
        guard envelope.kind == .identity || envelope.kind == .stamps, !event.bodyIsHash else {
          return
        }
        try scanControl(event, envelope, projector.index.number(of: id.origin), id.sequence)
      }
    }
  }

  /// - Returns: whether the event was selected.
  private mutating func scan(_ event: EventView, _ id: EventID) throws -> Bool {
    let index = projector.index
    let number = index.number(of: id.origin)
    let envelope = try? Envelope(decoding: event.envelope)
    let isOrdered = try index.record(
      number, sequence: id.sequence, authored: envelope?.authored, delta: envelope?.context)
    if case .time(let moment) = selection {
      // Of an event of a later version no time may be known: it might belong to any moment.
      let times = [envelope?.authored, try index.stamp(number, id.sequence)?.time]
      if let first = times.compactMap({ $0 }).min(), first.milliseconds > moment { return false }
    }
    guard isOrdered, let envelope, !event.bodyIsHash else {
      projector.countOpaque(1)
      return true
    }
    switch envelope.kind {
    case .transaction: try scanTransaction(event, envelope, number, id.sequence)
    case .identity, .stamps:
      if Body.isIntelligible(event, envelope) {
        if case .time = selection { return true }
        try scanControl(event, envelope, number, id.sequence)
      } else {
        projector.countOpaque(1)
      }
    case .unknown: projector.countOpaque(1)
    }
    return true
  }

  private func scanControl(
    _ event: EventView, _ envelope: Envelope, _ number: Int, _ sequence: UInt64
  ) throws {
    guard let body = try? Body(decoding: event.body, codec: envelope.bodyCodec) else { return }
    for (position, operation) in body.operations.enumerated() {
      let ref = WriteRef(origin: number, sequence: sequence, operation: UInt32(position))
      try projector.applyControl(operation, envelope.kind, ref)
    }
  }

  private mutating func scanTransaction(
    _ event: EventView, _ envelope: Envelope, _ number: Int, _ sequence: UInt64
  ) throws {
    scratch.bytes.removeAll(keepingCapacity: true)
    pending.removeAll(keepingCapacity: true)
    var newDefinitions: [DefinitionRegisters.Write] = []
    var unknown = 0
    do {
      var body = try BodyView(event.body, codec: envelope.bodyCodec)
      var names = BulkNames(body, projector)
      while let operation = try body.next() {
        let ref = WriteRef(
          origin: number, sequence: sequence, operation: UInt32(operation.index))
        switch operation.kind {
        case OperationKind.define, OperationKind.drop:
          newDefinitions += DefinitionRegisters.writes(
            of: try Operation(operation, names: names.texts), ref: ref)
        case OperationKind.insert...OperationKind.erase:
          try append(operation, ref, &names)
        case OperationKind.stamp, OperationKind.identity:
          _ = try Operation(operation, names: names.texts)
        default: unknown += 1
        }
      }
    } catch is EventError {
      return projector.countOpaque(1)
    }
    projector.countOpaque(unknown)
    definitions += newDefinitions
    for piece in pending {
      try scratch.bytes.withUnsafeBytes {
        try partitions.append(
          UnsafeRawBufferPointer(rebasing: $0[piece.range]), to: piece.partition)
      }
    }
  }

  private mutating func append(
    _ operation: OperationView, _ ref: WriteRef, _ names: inout BulkNames
  ) throws {
    var view = try EntityOperationView(operation, nameCount: names.texts.count)
    let table = try names.table(view.collection)
    let start = scratch.count
    scratch.integer(UInt32(0))
    let hash = view.id.withUTF8 { BulkOperation.hash(collection: table.number, id: $0) }
    scratch.integer(hash)
    scratch.integer(UInt32(truncatingIfNeeded: table.number))
    scratch.integer(UInt32(truncatingIfNeeded: ref.origin))
    scratch.integer(ref.operation)
    scratch.integer(ref.sequence)
    view.id.withUTF8 {
      scratch.integer(UInt16($0.count))
      scratch.byte(UInt8(operation.kind))
      scratch.byte(0)
      scratch.raw($0)
    }
    // The count comes first in the bytes, but the fields are only known when they have been read.
    let countOffset = scratch.count
    scratch.integer(UInt32(0))
    var count: UInt32 = 0
    while let (name, _, bytes) = try view.nextField() {
      scratch.varint(names.field(name, of: table))
      scratch.raw(bytes)
      count += 1
    }
    scratch.patch(UInt32(count), at: countOffset)
    scratch.patch(UInt32(scratch.count - start - 4), at: start)
    pending.append((partitions.partition(ofHash: hash), start..<scratch.count))
  }
}

/// The names of one event, turned into collections and field numbers once.
private struct BulkNames {
  let texts: [String]
  private let projector: Projector
  private var tables: [CollectionTable?]
  private var fieldTable: CollectionTable?
  private var fields: [Int]

  init(_ body: BodyView, _ projector: Projector) {
    texts = body.names.map(\.text)
    self.projector = projector
    tables = Array(repeating: nil, count: texts.count)
    fields = Array(repeating: -1, count: texts.count)
  }

  mutating func table(_ name: Int) throws(ProjectionError) -> CollectionTable {
    if let table = tables[name] { return table }
    let table = try projector.table(texts[name])
    tables[name] = table
    return table
  }

  mutating func field(_ name: Int, of table: CollectionTable) -> Int {
    if fieldTable !== table {
      fieldTable = table
      fields = Array(repeating: -1, count: texts.count)
    }
    if fields[name] < 0 { fields[name] = table.number(ofField: texts[name]) }
    return fields[name]
  }
}

extension Body {
  fileprivate static func isIntelligible(_ event: EventView, _ envelope: Envelope) -> Bool {
    (try? Body(decoding: event.body, codec: envelope.bodyCodec)) != nil
  }
}

extension ByteWriter {
  mutating func patch(_ value: UInt32, at offset: Int) {
    for i in 0..<4 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt32(8 * i)) }
  }
}
