/// A text as a list of spans of an old text and of inserted texts, for many changes in a row.
///
/// The old text is not needed: it is one span at first. A change costs a scan over counts of whole
/// chunks, some hundreds for a text of 100,000 edits.
struct SpanList {
  /// A piece of the old text, or of what was inserted.
  struct Span {
    /// The first scalar of a piece of the old text; or `-1 - offset` in ``inserted``.
    var start: Int
    var bytes: Int32
    var scalars: Int
    var isOld: Bool { start >= 0 }
  }

  private struct Chunk {
    var spans: [Span]
    var scalars: Int
  }

  private static let chunkLimit = 128

  /// The UTF-8 of all insertions, one after another; what was deleted again is still here.
  private(set) var inserted: [UInt8] = []
  private var chunks: [Chunk]
  /// The scalars of the whole text.
  private(set) var length: Int

  /// Makes a list of one span.
  ///
  /// - Parameter length: The scalars of the old text.
  init(length: Int) {
    self.length = length
    let spans = length > 0 ? [Span(start: 0, bytes: 0, scalars: length)] : []
    chunks = [Chunk(spans: spans, scalars: length)]
  }

  /// The spans, from the beginning of the text to its end.
  var spans: some Sequence<Span> { chunks.lazy.flatMap(\.spans) }

  /// The chunk and the span in it that a position is in or behind, and the scalars before.
  ///
  /// A position between two spans belongs to the first of them.
  private func find(_ position: Int) -> (chunk: Int, span: Int, offset: Int) {
    var left = position
    var chunk = 0
    while chunk < chunks.count - 1, left > chunks[chunk].scalars {
      left -= chunks[chunk].scalars
      chunk += 1
    }
    var span = 0
    let spans = chunks[chunk].spans
    while span < spans.count, left > spans[span].scalars {
      left -= spans[span].scalars
      span += 1
    }
    return (chunk, span, left)
  }

  /// Cuts a span in two, after some of its scalars.
  private func halves(_ span: Span, at offset: Int) -> (Span, Span) {
    if span.isOld {
      return (
        Span(start: span.start, bytes: 0, scalars: offset),
        Span(start: span.start + offset, bytes: 0, scalars: span.scalars - offset)
      )
    }
    var bytes = offset
    if Int(span.bytes) != span.scalars {
      let from = -1 - span.start
      bytes = inserted.withUnsafeBytes {
        let part = UnsafeRawBufferPointer(rebasing: $0[from..<from + Int(span.bytes)])
        return UTF8Scalars.offset(after: offset, in: part, from: 0) ?? part.count
      }
    }
    return (
      Span(start: span.start, bytes: Int32(bytes), scalars: offset),
      Span(
        start: span.start - bytes, bytes: span.bytes - Int32(bytes), scalars: span.scalars - offset)
    )
  }

  /// Inserts text at a position, which must not be beyond the end.
  mutating func insert(_ text: UnsafeRawBufferPointer, scalars: Int, at position: Int) {
    guard scalars > 0 else { return }
    let start = -1 - inserted.count
    inserted.append(contentsOf: text)
    length += scalars
    let (chunk, index, offset) = find(position)
    chunks[chunk].scalars += scalars
    let new = Span(start: start, bytes: Int32(text.count), scalars: scalars)
    guard index < chunks[chunk].spans.count else {
      chunks[chunk].spans.append(new)
      return
    }
    let span = chunks[chunk].spans[index]
    if offset == span.scalars {
      if !span.isOld, span.start - Int(span.bytes) == start {
        chunks[chunk].spans[index].bytes += Int32(text.count)
        chunks[chunk].spans[index].scalars += scalars
        return
      }
      chunks[chunk].spans.insert(new, at: index + 1)
    } else if offset == 0 {
      chunks[chunk].spans.insert(new, at: index)
    } else {
      let (before, after) = halves(span, at: offset)
      chunks[chunk].spans[index] = before
      chunks[chunk].spans.insert(contentsOf: CollectionOfOne(new), at: index + 1)
      chunks[chunk].spans.insert(after, at: index + 2)
    }
    splitIfLarge(chunk)
  }

  /// Deletes scalars from a position; the text must have as many behind it.
  mutating func delete(_ count: Int, at position: Int) {
    var left = count
    length -= count
    var (chunk, index, offset) = find(position)
    while left > 0, chunk < chunks.count {
      guard index < chunks[chunk].spans.count else {
        chunk += 1
        (index, offset) = (0, 0)
        continue
      }
      let span = chunks[chunk].spans[index]
      if offset == span.scalars {
        index += 1
        offset = 0
        continue
      }
      let taken = min(left, span.scalars - offset)
      left -= taken
      chunks[chunk].scalars -= taken
      if offset == 0, taken == span.scalars {
        chunks[chunk].spans.remove(at: index)
        continue
      }
      let (before, rest) = halves(span, at: offset)
      let (_, after) = halves(rest, at: taken)
      if offset == 0 {
        chunks[chunk].spans[index] = after
      } else {
        chunks[chunk].spans[index] = before
        if after.scalars > 0 { chunks[chunk].spans.insert(after, at: index + 1) }
        index += 1
        offset = 0
      }
    }
    if chunk < chunks.count {
      if chunks[chunk].spans.isEmpty, chunks.count > 1 {
        chunks.remove(at: chunk)
      } else {
        splitIfLarge(chunk)
      }
    }
  }

  /// Changes the text by a script in canonical form.
  ///
  /// - Returns: Whether the script fits the text. If not, the text is as before.
  mutating func patch(_ script: UnsafeRawBufferPointer) -> Bool {
    guard TextScript.lengthNeeded(script) <= length else { return false }
    var steps = TextScript.RawSteps(script)
    var at = 0
    while let step = steps.next() {
      switch step {
      case .retain(let count): at += count
      case .delete(let count): delete(count, at: at)
      case .insert(let text, let scalars):
        insert(text, scalars: scalars, at: at)
        at += scalars
      }
    }
    return true
  }

  private mutating func splitIfLarge(_ chunk: Int) {
    guard chunks[chunk].spans.count > Self.chunkLimit else { return }
    let half = Self.chunkLimit / 2
    let spans = Array(chunks[chunk].spans[half...])
    let scalars = spans.reduce(0) { $0 + $1.scalars }
    chunks[chunk].spans.removeSubrange(half...)
    chunks[chunk].scalars -= scalars
    chunks.insert(Chunk(spans: spans, scalars: scalars), at: chunk + 1)
  }

  /// Returns the text in UTF-8.
  ///
  /// - Parameter base: The old text in UTF-8. Cost: a copy of the text.
  func text(base: UnsafeRawBufferPointer) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(base.count + inserted.count)
    // Spans of the old text come in its order.
    var (at, scalars) = (0, 0)
    inserted.withUnsafeBytes { inserted in
      for span in spans {
        if span.isOld {
          let start = UTF8Scalars.offset(after: span.start - scalars, in: base, from: at) ?? at
          let end = UTF8Scalars.offset(after: span.scalars, in: base, from: start) ?? base.count
          out.append(contentsOf: UnsafeRawBufferPointer(rebasing: base[start..<end]))
          (at, scalars) = (end, span.start + span.scalars)
        } else {
          let start = -1 - span.start
          out.append(
            contentsOf: UnsafeRawBufferPointer(rebasing: inserted[start..<start + Int(span.bytes)]))
        }
      }
    }
    return out
  }

  /// The script that makes this text of the old one.
  var script: TextScript {
    var script = TextScript()
    var at = 0
    var from = 0
    var count = 0  // bytes of insertions that follow one another here
    func text() -> String {
      inserted.withUnsafeBytes { String(decoding: $0[from..<from + count], as: UTF8.self) }
    }
    for span in spans {
      if span.isOld {
        script.append(.insert(text()))
        count = 0
        script.append(.delete(span.start - at))
        script.append(.retain(span.scalars))
        at = span.start + span.scalars
      } else {
        if -1 - span.start != from + count || count == 0 {
          script.append(.insert(text()))
          from = -1 - span.start
          count = 0
        }
        count += Int(span.bytes)
      }
    }
    script.append(.insert(text()))
    return script
  }

  /// The script for an old text whose length is known.
  func script(oldLength: Int) -> TextScript {
    var script = self.script
    let end = spans.reduce(0) { $1.isOld ? max($0, $1.start + $1.scalars) : $0 }
    script.append(.delete(oldLength - end))
    script.finish()
    return script
  }
}
