import DaybookEventCore

/// The merged text of a field, from the changes that edit it.
enum ReferenceTexts {
  struct Merged {
    var text = ""
    var count = 0
    var unfit: [OperationReference] = []
    /// By scalar of the text, the write that it is from.
    var writers: [OperationReference] = []
  }

  /// Merges edits of one base.
  ///
  /// - Parameters:
  ///   - edits: The edits, undone ones included.
  ///   - undos: The undos of the entity.
  ///   - base: The write that the text begins with.
  ///   - assigned: What that write has assigned.
  static func merge(
    _ edits: [ReferenceEntity.Change], _ undos: [ReferenceEntity.Change], base: ReferenceWrite,
    _ assigned: Value
  ) -> Merged {
    guard let text = beginning(assigned) else {
      return Merged(unfit: edits.map { $0.write(.null).reference })
    }
    var merged = Merged()
    var counting: [(write: ReferenceWrite, steps: [ReferenceText.Step], isComparison: Bool)] = []
    for change in edits {
      let write = change.write(.null)
      if write.hasSeen(base), let steps = ReferenceText.steps(of: change.edit?.script ?? []) {
        counting.append((write, steps, change.edit?.isComparison ?? false))
      } else {
        merged.unfit.append(write.reference)
      }
    }
    // What each author had seen of undos decides which text its edit was for.
    let toggles = toggles(of: edits, undos)
    for toggle in toggles { counting.append((toggle.write, [], false)) }
    let authors = Set(counting.map(\.write.reference.event.origin)).sorted()
    let byAuthor = authors.map { author in
      counting.filter { $0.write.reference.event.origin == author }
        .sorted { $0.write.reference < $1.write.reference }
    }
    func toggle(_ reference: OperationReference) -> ReferenceText.Toggle? {
      guard let found = toggles.first(where: { $0.write.reference == reference }) else {
        return nil
      }
      var named: Set<ReferenceText.Writer> = []
      for (author, writes) in byAuthor.enumerated() {
        for (index, other) in writes.enumerated()
        where found.undo.events.contains(where: { $0.contains(other.write.reference.event) }) {
          named.insert(.init(author: author, index: index))
        }
      }
      return ReferenceText.Toggle(
        isUndone: found.undo.isUndone, rank: found.rank, edits: named)
    }
    let result = ReferenceText(
      base: Array(text.unicodeScalars),
      edits: byAuthor.enumerated().map { author, edits in
        edits.map { edit in
          ReferenceText.Edit(
            author: author,
            seen: byAuthor.map { others in others.count { edit.write.hasSeen($0.write) } },
            steps: edit.steps, isComparison: edit.isComparison,
            toggle: toggle(edit.write.reference))
        }
      })
    func reference(_ writer: ReferenceText.Writer) -> OperationReference {
      byAuthor[writer.author][writer.index].write.reference
    }
    let unfit = result.unfit.map(reference).filter { toggle($0) == nil }
    merged.unfit += unfit
    let all = edits + undos
    let undone = Set(
      edits.filter { ReferenceEntity.isUndone($0, by: all) }.map { $0.write(.null).reference })
    merged.count = counting.count {
      let reference = $0.write.reference
      return toggle(reference) == nil && !unfit.contains(reference) && !undone.contains(reference)
    }
    let shown = result.shown { undone.contains(reference($0)) }
    merged.text = String(String.UnicodeScalarView(shown.map(\.scalar)))
    merged.writers = shown.map { $0.writer.map(reference) ?? base.reference }
    return merged
  }

  /// Returns the text with which a field begins; nil if its value is no text.
  private static func beginning(_ assigned: Value) -> String? {
    switch assigned {
    case .null: ""
    case .text(let text): text
    default: nil
    }
  }

  /// Returns the undos that name some of the edits, the weakest first.
  private static func toggles(
    of edits: [ReferenceEntity.Change], _ undos: [ReferenceEntity.Change]
  ) -> [(write: ReferenceWrite, rank: Int, undo: Undo)] {
    undos.sorted { $0.isWeaker(than: $1) }.enumerated().compactMap { rank, change in
      guard let undo = change.undo,
        edits.contains(where: { edit in undo.events.contains { $0.contains(edit.key.event.id) } })
      else { return nil }
      return (change.write(.null), rank, undo)
    }
  }
}

extension ReferenceEntity.Change {
  var baseReference: OperationReference? {
    edit.map { OperationReference(event: $0.base, operation: $0.baseOperation) }
  }
}

extension ReferenceText {
  /// The canonical bytes of steps, of which neighbours differ in kind.
  static func script(of steps: [Step]) -> [UInt8] {
    var writer = ByteWriter()
    for step in steps {
      switch step {
      case .retain(let count): writer.varint(UInt64(count) << 2)
      case .delete(let count): writer.varint(UInt64(count) << 2 | 1)
      case .insert(let scalars):
        let bytes = Array(String(String.UnicodeScalarView(scalars)).utf8)
        writer.varint(UInt64(bytes.count) << 2 | 2)
        writer.raw(bytes)
      }
    }
    return writer.bytes
  }

  /// The steps of a script; nil if the bytes are none in canonical form.
  package static func steps(of script: [UInt8]) -> [Step]? {
    var steps: [Step] = []
    var rest = script[...]
    var last: UInt64?
    while !rest.isEmpty {
      guard let head = varint(&rest) else { return nil }
      let (count, kind) = (head / 4, head % 4)
      guard kind < 3, kind != last, count > 0, count < 1 << 53, !(kind == 2 && last == 1) else {
        return nil
      }
      last = kind
      switch kind {
      case 0: steps.append(.retain(Int(count)))
      case 1: steps.append(.delete(Int(count)))
      default:
        guard count <= rest.count,
          let text = String(utf8: rest.prefix(Int(count)))
        else { return nil }
        steps.append(.insert(Array(text.unicodeScalars)))
        rest = rest.dropFirst(Int(count))
      }
    }
    return last == 0 ? nil : steps
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      guard shift < 63 || byte < 2 else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
      shift += 7
    }
    return nil
  }
}
