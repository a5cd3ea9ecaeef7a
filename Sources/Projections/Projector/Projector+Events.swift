package import DaybookEventCore

/// The door for events: an event that is applied comes in here, one after another.
///
/// A received event comes whole. An event that this replica writes comes in parts, so that the
/// transaction sees what it has written: it is begun, its operations follow, and it is finished.
///
/// What is no event changes rows elsewhere: ``takeBack(_:of:before:)`` takes the last writes of an
/// event back, ``rebuild(collection:progress:)`` makes a table again, ``setAside(after:)`` drops
/// one, and a rebuild of all writes entities that are folded already.
extension Projector {
  /// Applies the next event of its origin. The contents of an event never make it fail: what cannot
  /// be understood is counted and left for a later version.
  /// - Throws: what SQLite or the log throw; ``ProjectionError/Code/missingEvent`` if `id` is not
  ///   the origin's next event.
  package func apply(_ event: EventView, id: EventID) throws {
    let number = index.number(of: id.origin)
    let envelope = try? Envelope(decoding: event.envelope)
    let isOrdered = try index.record(
      number, sequence: id.sequence, authored: envelope?.authored, delta: envelope?.context)
    if isOrdered, envelope?.kind == .transaction, !event.bodyIsHash { index.markWriter(number) }
    guard isOrdered, let envelope, let body = Self.body(of: event, envelope) else {
      countOpaque(1, of: number)
      return
    }
    func ref(_ position: Int) -> WriteRef {
      WriteRef(
        origin: number, sequence: id.sequence, operation: UInt32(truncatingIfNeeded: position))
    }
    if envelope.kind == .transaction {
      // All at once: an event may define thousands of collections.
      try applyDefinitions(
        body.operations.enumerated().flatMap { position, operation in
          DefinitionRegisters.writes(
            of: operation, ref: ref(position), isLocal: isPrivate(number))
        })
    }
    for (position, operation) in body.operations.enumerated() {
      try apply(operation, kind: envelope.kind, ref(position))
    }
    try finishEvent()
  }

  static func body(of event: EventView, _ envelope: Envelope) -> Body? {
    guard !event.bodyIsHash else { return nil }
    if case .unknown = envelope.kind { return nil }
    return try? Body(decoding: event.body, codec: envelope.bodyCodec)
  }

  /// Begins an event that this replica is writing. Its operations follow, then ``finishEvent()``.
  package func beginLocalEvent(_ id: EventID, _ envelope: Envelope) throws(ProjectionError) {
    let number = index.number(of: id.origin)
    localOrigins.insert(number)
    _ = try index.record(
      number, sequence: id.sequence, authored: envelope.authored, delta: envelope.context)
    if envelope.kind == .transaction { index.markWriter(number) }
  }

  /// Applies an operation of an event that this replica is writing.
  /// - Parameters:
  ///   - operation: the operation.
  ///   - position: its number in the event.
  ///   - event: the event, which was begun.
  ///   - handle: the entity that it is about, if that was just looked up.
  /// - Returns: the entity as it is then; nil if it has to be looked up.
  @discardableResult
  package func apply(
    _ operation: Operation, at position: Int, of event: EventID, to handle: EntityHandle? = nil
  ) throws -> EntityHandle? {
    let ref = WriteRef(
      origin: index.number(of: event.origin), sequence: event.sequence,
      operation: UInt32(position))
    switch operation {
    case .define, .drop:
      try applyDefinitions(
        DefinitionRegisters.writes(of: operation, ref: ref, isLocal: isPrivate(ref.origin)))
    case .identity: try apply(operation, kind: .identity, ref)
    default:
      guard let (write, name, id) = try entityWrite(operation, ref) else {
        try apply(operation, kind: .transaction, ref)
        return nil
      }
      if let handle, handle.isLoaded {
        var record = handle.record
        try apply(write, to: &record)
        record.isEdited = false
        return EntityHandle(projector: self, record: record)
      }
      try writeCrowded()
      var record = try entities.load(try table(name), id)
      try apply(write, to: &record)
    }
    return nil
  }

  /// Ends the event that was begun, or applied last.
  package func finishEvent() throws {
    if !lowered.isEmpty { try refoldLowered() }
    currentWrites = [:]
  }
}
