import DaybookEventCore

/// The scripts of edits, read from the log.
///
/// Events that follow one another are read together, so that each frame is unpacked once. An event
/// with edits of many texts is kept for the next text.
struct EditReader {
  let index: EventIndex
  let events: EarlierEvents

  /// The number of other events between two edits up to which they are read together.
  private static let gapMax: UInt64 = 64

  /// The scripts of many edits, one after another.
  struct Scripts {
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate var ranges: [(ref: WriteRef, range: Range<Int>, isComparison: Bool)] = []

    /// Calls `body` with the edits, which are valid only during the call.
    func withEdits<T, E: Error>(_ body: ([TextFold.Edit]) throws(E) -> T) throws(E) -> T {
      try bytes.withRawBytes { raw throws(E) in
        try body(
          ranges.map {
            .init(
              ref: $0.ref, script: UnsafeRawBufferPointer(rebasing: raw[$0.range]),
              isComparison: $0.isComparison)
          })
      }
    }
  }

  /// Reads the scripts of edits.
  ///
  /// - Parameter refs: The edits, in any order.
  /// - Throws: ``ProjectionError`` `missingEvent` if the log lacks one; and what
  ///   reading the log throws.
  func scripts(of refs: [WriteRef]) throws -> Scripts {
    var scripts = Scripts()
    let sorted = refs.sorted()
    var start = 0
    while start < sorted.count {
      if let known = events.known(id(of: sorted[start])) {
        try scripts.append(sorted[start], of: known, id(of: sorted[start]))
        start += 1
        continue
      }
      var end = start + 1
      while end < sorted.count, try follows(sorted[end], sorted[end - 1]) { end += 1 }
      try read(sorted[start..<end], into: &scripts)
      start = end
    }
    return scripts
  }

  private func id(of ref: WriteRef) -> EventID {
    EventID(index.origin(ref.origin).id, ref.sequence)
  }

  /// Returns whether two edits are read together: if there is little between them.
  private func follows(_ next: WriteRef, _ last: WriteRef) throws -> Bool {
    guard next.origin == last.origin, next.sequence - last.sequence <= Self.gapMax else {
      return false
    }
    guard events.hasLarge, next.sequence > last.sequence else { return true }
    let origin = index.origin(next.origin).id
    return !(last.sequence + 1...next.sequence).contains { events.isLarge(EventID(origin, $0)) }
  }

  private func read(_ refs: ArraySlice<WriteRef>, into scripts: inout Scripts) throws {
    guard let first = refs.first, let last = refs.last else { return }
    let origin = index.origin(first.origin).id
    var rest = refs
    try events.source.forEachEvent(of: origin, in: first.sequence...last.sequence) {
      sequence, event in
      let id = EventID(origin, sequence)
      let large = events.admit(event, id)
      guard rest.first?.sequence == sequence else { return }
      if let large {
        while let next = rest.first, next.sequence == sequence {
          try scripts.append(next, of: large, id)
          rest = rest.dropFirst()
        }
        return
      }
      let envelope = try Envelope(decoding: event.envelope)
      var body = try BodyView(event.body, codec: envelope.bodyCodec)
      while let operation = try body.next() {
        guard let next = rest.first, next.sequence == sequence else { return }
        guard operation.index == Int(next.operation) else { continue }
        let view = try EntityOperationView(operation, nameCount: body.nameCount)
        guard let edit = view.edit else { return }
        scripts.append(next, edit)
        rest = rest.dropFirst()
      }
    }
    if let missing = rest.first { throw Self.missing(id(of: missing)) }
  }

  fileprivate static func missing(_ id: EventID) -> ProjectionError {
    ProjectionError(.missingEvent, "event \(id) has no edit of a text")
  }
}

extension EditReader.Scripts {
  fileprivate mutating func append(_ ref: WriteRef, _ edit: TextEditView) {
    let start = bytes.count
    bytes.append(contentsOf: edit.script)
    ranges.append((ref, start..<bytes.count, edit.isComparison))
  }

  fileprivate mutating func append(_ ref: WriteRef, of event: EarlierEvent, _ id: EventID) throws {
    let found = try event.withEdit(ref.operation) { append(ref, $0) }
    guard found != nil else { throw EditReader.missing(id) }
  }
}
