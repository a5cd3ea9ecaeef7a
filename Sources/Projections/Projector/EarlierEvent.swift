import DaybookEventCore

/// The body of an earlier event, of which each operation can be decoded alone.
///
/// An event may have a hundred thousand operations, each on another entity. Whoever looks at one
/// entity needs one of them.
final class EarlierEvent {
  let actor: String
  let label: String
  let annotations: [String: String]
  private let bytes: [UInt8]
  private let names: [String]
  /// The offset of each operation. An event has 16 MiB at most.
  private let starts: [UInt32]

  /// Reads a body up to its operations, and where each of them begins.
  ///
  /// - Throws: ``EventError`` if the bytes are no body.
  init(_ body: UnsafeRawBufferPointer, codec: Envelope.BodyCodec) throws(EventError) {
    var view = try BodyView(body, codec: codec)
    actor = view.actor.text
    label = view.label.text
    var annotations: [String: String] = [:]
    for (key, value) in view.annotations { annotations[key.text] = value.text }
    self.annotations = annotations
    names = view.names.map(\.text)
    var starts: [UInt32] = []
    starts.reserveCapacity(view.operationCount)
    var start = view.offset
    while try view.next() != nil {
      starts.append(UInt32(truncatingIfNeeded: start))
      start = view.offset
    }
    self.starts = starts
    bytes = Array(body)
  }

  /// About the memory that the event takes, in bytes.
  var weight: Int { 512 + bytes.count + 4 * starts.count + 32 * names.count }

  /// Whether the event is so large that it is kept even if it was read with others.
  var isLarge: Bool { bytes.count >= EarlierEvents.largeBytes }

  /// Decodes an operation; returns nil if the event has none of that number.
  ///
  /// Cost: that of the operation, whatever others the event has.
  func operation(_ number: UInt32) throws(EventError) -> Operation? {
    guard Int(number) < starts.count else { return nil }
    return try bytes.withRawBytes { raw throws(EventError) in
      try Operation(try view(Int(number), raw), names: names)
    }
  }

  /// Decodes all operations.
  func operations() throws(EventError) -> [Operation] {
    try bytes.withRawBytes { raw throws(EventError) in
      var operations: [Operation] = []
      operations.reserveCapacity(starts.count)
      for number in starts.indices {
        operations.append(try Operation(try view(number, raw), names: names))
      }
      return operations
    }
  }

  /// Calls `body` with an edit, which is valid only during the call; returns nil if the operation
  /// is none.
  func withEdit<T>(_ number: UInt32, _ body: (TextEditView) -> T) throws(EventError)
    -> T?
  {
    guard Int(number) < starts.count else { return nil }
    return try bytes.withRawBytes { raw throws(EventError) -> T? in
      let operation = try view(Int(number), raw)
      guard OperationKind.isEdit(operation.kind) else { return nil }
      let edit = try EntityOperationView(operation, nameCount: names.count).edit
      return edit.map(body)
    }
  }

  private func view(_ number: Int, _ raw: UnsafeRawBufferPointer) throws(EventError)
    -> OperationView
  {
    var reader = ByteReader(raw)
    reader.offset = Int(starts[number])
    return try OperationView(index: number, from: &reader)
  }
}

/// The events that were read last, by whoever needs old values: a refolding, a history, a merge.
///
/// An event that was read is kept for the next entity that it has changed. Without that, an event
/// of n operations would be decoded n times.
final class EarlierEvents {
  let source: any EventSource
  /// The events used since the last change of generations, and those used before it.
  private var young: [EventID: EarlierEvent] = [:]
  private var old: [EventID: EarlierEvent] = [:]
  private var youngWeight = 0
  /// Whether any large event was kept.
  private(set) var hasLarge = false
  /// The number of events that were read by themselves. Tests count the work with it.
  private(set) var readCount = 0
  /// Returns the body of a local event that has ended and that the log does not have yet; nil for
  /// others.
  var unlogged: (EventID) -> (body: [UInt8], codec: Envelope.BodyCodec)? = { _ in nil }

  /// The memory of one generation, in bytes: more than one event takes.
  private static let generationBytes = 32 << 20
  /// The size of a body, in bytes, from which an event is large: more than a few edits.
  static let largeBytes = 2 << 10

  init(_ source: any EventSource) { self.source = source }

  /// Forgets all events: after a rollback, another event may get the name of one.
  func removeAll() {
    young = [:]
    old = [:]
    youngWeight = 0
    hasLarge = false
  }

  /// Whether an event is kept, and large.
  func isLarge(_ id: EventID) -> Bool { (young[id] ?? old[id])?.isLarge ?? false }

  /// Returns an event that is kept; nil if it has to be read.
  func known(_ id: EventID) -> EarlierEvent? {
    if let event = young[id] { return event }
    guard let event = old[id] else { return nil }
    keep(event, id)
    return event
  }

  /// Returns an event's body.
  ///
  /// - Throws: ``ProjectionError`` `missingEvent` if the log lacks the event; what reading the log
  ///   throws.
  func event(_ id: EventID) throws -> EarlierEvent {
    if let known = known(id) { return known }
    if let (body, codec) = unlogged(id) {
      let made = try body.withRawBytes { raw throws(EventError) in
        try EarlierEvent(raw, codec: codec)
      }
      keep(made, id)
      return made
    }
    readCount += 1
    var read: EarlierEvent?
    try source.forEachEvent(of: id.origin, in: id.sequence...id.sequence) { _, event in
      guard !event.bodyIsHash else { return }
      let envelope = try Envelope(decoding: event.envelope)
      read = try EarlierEvent(event.body, codec: envelope.bodyCodec)
    }
    guard let read else { throw ProjectionError(.missingEvent, "event \(id) is not in the log") }
    keep(read, id)
    return read
  }

  /// Keeps an event that was read with others, if it is large.
  /// - Returns: the event; nil if it is small, or if its body cannot be read.
  func admit(_ event: EventView, _ id: EventID) -> EarlierEvent? {
    guard event.body.count >= Self.largeBytes, !event.bodyIsHash else { return nil }
    if let known = known(id) { return known }
    guard let envelope = try? Envelope(decoding: event.envelope),
      let made = try? EarlierEvent(event.body, codec: envelope.bodyCodec)
    else { return nil }
    keep(made, id)
    return made
  }

  private func keep(_ event: EarlierEvent, _ id: EventID) {
    if youngWeight + event.weight > Self.generationBytes {
      old = young
      young = [:]
      youngWeight = 0
    }
    if young.updateValue(event, forKey: id) == nil { youngWeight += event.weight }
    hasLarge = hasLarge || event.isLarge
  }
}
