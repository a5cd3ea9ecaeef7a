import DaybookEventCore

/// The first pass of a rebuild: reads every event once.
struct RebuildScan {
  let projector: Projector
  let partitions: RebuildPartitions
  let selection: Selection
  private(set) var definitions: [DefinitionRegisters.Write] = []
  /// Where the operations of the current event begin: they count only if all of them can be read.
  private var pieces: [(partition: Int, start: Int)] = []
  private var names: RebuildNames

  init(projector: Projector, partitions: RebuildPartitions, selection: Selection) {
    self.projector = projector
    self.partitions = partitions
    self.selection = selection
    names = RebuildNames(projector)
  }

  /// Reads every event, and copies the selected operations to the partitions.
  /// - Returns: the number of selected events.
  mutating func run(_ source: any EventSource, progress: (Int, Int) -> Void) throws -> Int {
    let total = try source.wholeVector.entries.reduce(0) { $0 + Int($1.sequence) }
    var read = 0
    var folded = 0
    if case .time = selection { try scanAllControl(source) }
    try source.forEachFrame(after: VersionVector()) { frame in
      let through = last(of: frame)
      // The log holds no chain value inside a frame: if the selection cuts the frame, compute it.
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

  /// Returns the sequence of the frame's last selected event; the one before its first if none is.
  private func last(of frame: FrameView) -> UInt64 {
    let last = frame.firstSequence + UInt64(frame.count) - 1
    guard case .vector(let vector) = selection else { return last }
    return min(last, max(vector[frame.origin], frame.firstSequence - 1))
  }

  /// For a selection by time, applies all stamps first: they say when an event happened.
  private func scanAllControl(_ source: any EventSource) throws {
    var contexts: [ReplicaID: CausalContext] = [:]
    try source.forEachFrame(after: VersionVector()) { frame in
      try frame.forEachEvent { id, event in
        guard let envelope = try? Envelope(decoding: event.envelope) else { return }
        // An event whose context does not make sense is not read further, not even for stamps.
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

  /// Reads one event.
  /// - Returns: whether the event was selected.
  private mutating func scan(_ event: EventView, _ id: EventID) throws -> Bool {
    let index = projector.index
    let number = index.number(of: id.origin)
    let envelope = try? Envelope(decoding: event.envelope)
    let isOrdered = try index.record(
      number, sequence: id.sequence, authored: envelope?.authored, delta: envelope?.context)
    if case .time(let moment) = selection {
      // An event of a later version may have no readable time. It might belong to any moment, so
      // keep it.
      let times = [envelope?.authored, try index.stamp(number, id.sequence)?.time]
      if let first = times.compactMap({ $0 }).min(), first.milliseconds > moment { return false }
    }
    guard isOrdered, let envelope, !event.bodyIsHash else {
      projector.countOpaque(1, of: number)
      return true
    }
    switch envelope.kind {
    case .transaction: try scanTransaction(event, envelope, number, id.sequence)
    case .identity, .stamps:
      if Body.isIntelligible(event, envelope) {
        if case .time = selection { return true }
        try scanControl(event, envelope, number, id.sequence)
      } else {
        projector.countOpaque(1, of: number)
      }
    case .unknown: projector.countOpaque(1, of: number)
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
    pieces.removeAll(keepingCapacity: true)
    projector.index.markWriter(number)
    var newDefinitions: [DefinitionRegisters.Write] = []
    var unknown = 0
    let isLocal = projector.index.origin(number).id.isPrivate
    do {
      var body = try names.body(event, envelope.bodyCodec, isLocal: isLocal)
      while let operation = try body.next() {
        let ref = WriteRef(
          origin: number, sequence: sequence, operation: UInt32(operation.index))
        switch operation.kind {
        case OperationKind.define, OperationKind.drop:
          newDefinitions += DefinitionRegisters.writes(
            of: try Operation(operation, names: names.texts), ref: ref, isLocal: isLocal)
        case OperationKind.insert...OperationKind.erase, OperationKind.edit,
          OperationKind.comparison, OperationKind.undo:
          try append(operation, ref, envelope.authored)
        case OperationKind.stamp, OperationKind.identity:
          _ = try Operation(operation, names: names.texts)
        default: unknown += 1
        }
      }
    } catch is EventError {
      for piece in pieces.reversed() {
        partitions.buffer(piece.partition).truncate(to: piece.start)
      }
      return projector.countOpaque(1, of: number)
    }
    projector.countOpaque(unknown, of: number)
    definitions += newDefinitions
    for piece in pieces { try partitions.spill(piece.partition) }
  }

  private mutating func append(
    _ operation: OperationView, _ ref: WriteRef, _ authored: HybridTime
  ) throws {
    var view = try EntityOperationView(operation, nameCount: names.texts.count)
    let table = try names.table(view.collection)
    var writer = view.id.withUTF8 { id in
      let hash = RebuildOperation.hash(collection: table.number, id: id)
      let partition = partitions.partition(ofHash: hash)
      let buffer = partitions.buffer(partition)
      pieces.append((partition, buffer.count))
      return RebuildOperationWriter(
        buffer, hash: hash, collection: table.number, kind: operation.kind, ref: ref,
        authored: authored, id: id)
    }
    while let (name, _, bytes) = try view.nextField() {
      writer.add(try names.field(name, of: table), bytes)
    }
    if let edit = view.edit {
      let origin = edit.base.origin
      if projector.index.knownNumber(of: origin) == nil { try names.requireReadable() }
      let base = WriteRef(
        origin: projector.index.number(of: origin), sequence: edit.base.sequence,
        operation: edit.baseOperation)
      let packed = RebuildEdit.packed(base, edit.script)
      let field = try names.field(edit.field, of: table)
      packed.withUnsafeBytes { writer.add(field, $0) }
    }
    if let undo = view.undo {
      RebuildUndo.packed(undo).withUnsafeBytes { writer.add(0, $0) }
    }
    writer.finish()
  }
}

/// Turns the names in an event into collections and field numbers. Most events have the same names
/// as the event before them, so the last result is kept.
///
/// Before anything gets a number, the whole event is checked: an event of which an operation cannot
/// be read leaves no trace.
private struct RebuildNames {
  private(set) var texts: [String] = []
  private let projector: Projector
  /// The bytes from which the names were read.
  private let section = RebuildBuffer()
  private var tables: [CollectionTable?] = []
  /// Whether the names stand in an event of a private origin, and so mean local collections.
  private var isLocal = false
  private var fieldTable: CollectionTable?
  private var fields: [Int] = []
  /// The body of the current event, which is valid until the next one; nil once it is checked.
  private var unchecked: (bytes: UnsafeRawBufferPointer, codec: Envelope.BodyCodec)?

  init(_ projector: Projector) { self.projector = projector }

  /// Begins to read an event's body, and resolves its names.
  mutating func body(_ event: EventView, _ codec: Envelope.BodyCodec, isLocal: Bool)
    throws(EventError) -> BodyView
  {
    let body = try BodyView(event.body, codec: codec, known: section.bytes)
    unchecked = (event.body, codec)
    guard isLocal != self.isLocal || !body.nameSection.hasSameBytes(as: section.bytes) else {
      return body
    }
    self.isLocal = isLocal
    section.truncate(to: 0)
    section.append(body.nameSection)
    texts = body.names.map(\.text)
    tables = Array(repeating: nil, count: texts.count)
    fieldTable = nil
    fields = Array(repeating: -1, count: texts.count)
    return body
  }

  /// Checks that each operation of the current event can be read.
  ///
  /// - Throws: ``EventError``.
  mutating func requireReadable() throws(EventError) {
    guard let body = unchecked else { return }
    _ = try Body(decoding: body.bytes, codec: body.codec)
    unchecked = nil
  }

  mutating func table(_ name: Int) throws -> CollectionTable {
    if let table = tables[name] { return table }
    let identity = CollectionIdentity.of(texts[name], isLocal: isLocal)
    if projector.knownTable(identity) == nil { try requireReadable() }
    let table = try projector.table(identity)
    tables[name] = table
    return table
  }

  mutating func field(_ name: Int, of table: CollectionTable) throws(EventError) -> Int {
    if fieldTable !== table {
      fieldTable = table
      for index in fields.indices { fields[index] = -1 }
    }
    if fields[name] < 0 {
      if table.knownNumber(ofField: texts[name]) == nil { try requireReadable() }
      fields[name] = table.number(ofField: texts[name])
    }
    return fields[name]
  }
}

extension Body {
  fileprivate static func isIntelligible(_ event: EventView, _ envelope: Envelope) -> Bool {
    (try? Body(decoding: event.body, codec: envelope.bodyCodec)) != nil
  }
}
