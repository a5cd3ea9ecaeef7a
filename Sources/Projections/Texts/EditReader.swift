import EventCore

/// The scripts of edits, read from the log.
///
/// Events that follow one another are read together, so that each frame is unpacked once.
struct EditReader {
  let index: EventIndex
  let source: any EventSource

  /// The number of other events between two edits up to which they are read together.
  private static let gapMax: UInt64 = 64

  /// The scripts of many edits, one after another.
  struct Scripts {
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate var ranges: [(ref: WriteRef, range: Range<Int>)] = []

    /// Calls `body` with the edits, which are valid only during the call.
    func withEdits<T, E: Error>(_ body: ([TextFold.Edit]) throws(E) -> T) throws(E) -> T {
      try bytes.withRawBytes { raw throws(E) in
        try body(
          ranges.map {
            .init(ref: $0.ref, script: UnsafeRawBufferPointer(rebasing: raw[$0.range]))
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
      var end = start + 1
      while end < sorted.count, sorted[end].origin == sorted[start].origin,
        sorted[end].sequence - sorted[end - 1].sequence <= Self.gapMax
      { end += 1 }
      try read(sorted[start..<end], into: &scripts)
      start = end
    }
    return scripts
  }

  private func read(_ refs: ArraySlice<WriteRef>, into scripts: inout Scripts) throws {
    guard let first = refs.first, let last = refs.last else { return }
    let origin = index.origin(first.origin).id
    var rest = refs
    try source.forEachEvent(of: origin, in: first.sequence...last.sequence) { sequence, event in
      guard let next = rest.first, next.sequence == sequence else { return }
      let envelope = try Envelope(decoding: event.envelope)
      var body = try BodyView(event.body, codec: envelope.bodyCodec)
      while let operation = try body.next() {
        guard let next = rest.first, next.sequence == sequence else { return }
        guard operation.index == Int(next.operation) else { continue }
        let view = try EntityOperationView(operation, nameCount: body.nameCount)
        guard let edit = view.edit else { return }
        let start = scripts.bytes.count
        scripts.bytes.append(contentsOf: edit.script)
        scripts.ranges.append((next, start..<scripts.bytes.count))
        rest = rest.dropFirst()
      }
    }
    if let missing = rest.first {
      throw ProjectionError(
        .missingEvent, "event \(EventID(origin, missing.sequence)) has no edit of a text")
    }
  }
}
