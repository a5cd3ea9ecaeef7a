import EventCore

/// The merged text of a field, from the changes that edit it.
enum ReferenceTexts {
  struct Merged {
    var text = ""
    var count = 0
    var unfit: [OperationReference] = []
  }

  /// Merges edits of one base.
  static func merge(
    _ edits: [ReferenceEntity.Change], base: ReferenceWrite, _ assigned: Value
  ) -> Merged {
    let text: String
    switch assigned {
    case .null: text = ""
    case .text(let assigned): text = assigned
    default: return Merged(unfit: edits.map { $0.write(.null).reference })
    }
    var merged = Merged()
    var counting: [(write: ReferenceWrite, steps: [ReferenceText.Step])] = []
    for change in edits {
      let write = change.write(.null)
      if write.hasSeen(base), let steps = ReferenceText.steps(of: change.edit?.script ?? []) {
        counting.append((write, steps))
      } else {
        merged.unfit.append(write.reference)
      }
    }
    let authors = Set(counting.map(\.write.reference.event.origin)).sorted()
    let byAuthor = authors.map { author in
      counting.filter { $0.write.reference.event.origin == author }
        .sorted { $0.write.reference < $1.write.reference }
    }
    let result = ReferenceText(
      base: Array(text.unicodeScalars),
      edits: byAuthor.enumerated().map { author, edits in
        edits.map { edit in
          ReferenceText.Edit(
            author: author,
            seen: byAuthor.map { others in others.count { edit.write.hasSeen($0.write) } },
            steps: edit.steps)
        }
      })
    let unfit = result.unfit.map { byAuthor[$0.author][$0.index].write.reference }
    merged.unfit += unfit
    merged.count = counting.count - unfit.count
    merged.text = String(String.UnicodeScalarView(result.text))
    return merged
  }
}

extension ReferenceEntity.Change {
  var baseReference: OperationReference? {
    edit.map { OperationReference(event: $0.base, operation: $0.baseOperation) }
  }
}

extension ReferenceText {
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
          let text = String(validating: rest.prefix(Int(count)), as: UTF8.self)
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
