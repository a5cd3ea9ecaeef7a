package import DaybookEventCore

/// The packing of an entity's state into one blob.
///
/// An entity that was inserted once and never touched again, as most are, takes the short form: its
/// only history entry says everything.
extension EntityState {
  private static let shortForm: UInt8 = 1
  static let longForm: UInt8 = 2
  /// The long form, and behind it what follows from undos.
  private static let undoForm: UInt8 = 3

  /// Whether the only write is an insert that still wins every field that it wrote.
  private var isShort: Bool {
    guard recent.count == 1, chunkCount == 0, lastWrites == nil, floor == nil, texts.isEmpty,
      undone == nil, let only = recent.first, UInt64(only.kind) == OperationKind.insert
    else { return false }
    return existence?.ref == only.ref && fields.map(\.field) == only.fields
      && fields.allSatisfy { $0.ref == only.ref }
  }

  /// Writes the beginning of the short form, before the fields, for an entity
  /// that a rebuild inserts.
  static func beginShortForm(_ ref: WriteRef, to writer: inout ByteWriter) {
    writer.byte(shortForm)
    ref.encode(to: &writer)
  }

  /// Writes the rest of the short form, for a row that holds every value exactly.
  static func endShortForm(_ fields: FieldBitmap, to writer: inout ByteWriter) {
    fields.encode(kind: UInt8(OperationKind.insert), to: &writer)
    writer.varint(0)
  }

  /// Returns whether a packed state is in the short form and the row holds every value exactly.
  static func isPlainInsert(_ state: UnsafeRawBufferPointer) -> Bool {
    state.first == shortForm && state.last == 0
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 32)
    if isShort, let only = recent.first {
      writer.byte(Self.shortForm)
      only.encode(to: &writer)
    } else {
      writer.byte(undone == nil ? Self.longForm : Self.undoForm)
      encodeLongForm(to: &writer)
      undone?.encode(to: &writer)
    }
    encodeInexactValues(to: &writer)
    return writer.bytes
  }

  private func encodeLongForm(to writer: inout ByteWriter) {
    writer.byte(existence?.kind ?? 0)
    existence?.ref.encode(to: &writer)
    let hasOtherFirst = firstInsertion != nil && firstInsertion != insertion
    writer.byte(insertion == nil ? 0 : hasOtherFirst ? 2 : 1)
    insertion?.encode(to: &writer)
    if insertion != nil, hasOtherFirst { firstInsertion?.encode(to: &writer) }
    writer.byte(floor == nil ? 0 : 1)
    floor?.encode(to: &writer)
    encodeFields(to: &writer)
    encodeLastWrites(to: &writer)
    encodeTexts(to: &writer)
    writer.varint(chunkCount)
    writer.varint(recent.count)
    for entry in recent { entry.encode(to: &writer) }
  }

  /// Writes the write that most fields show, and for each field either a reference to it
  /// or its own write.
  private func encodeFields(to writer: inout ByteWriter) {
    writer.varint(fields.count)
    guard !fields.isEmpty else { return }
    var counts: [WriteRef: Int] = [:]
    for winner in fields { counts[winner.ref, default: 0] += 1 }
    var base = fields[0].ref
    for winner in fields where counts[winner.ref, default: 0] > counts[base, default: 0] {
      base = winner.ref
    }
    base.encode(to: &writer)
    for winner in fields {
      let isBase = winner.ref == base
      writer.varint(winner.field << 1 | (isBase ? 0 : 1))
      if !isBase { winner.ref.encode(to: &writer) }
    }
  }

  private func encodeLastWrites(to writer: inout ByteWriter) {
    guard let lastWrites else { return writer.varint(0) }
    writer.varint(lastWrites.registers.count + 1)
    for (register, entries) in lastWrites.registers.sorted(by: { $0.key < $1.key }) {
      writer.signedVarint(Int64(register))
      writer.varint(entries.count)
      for entry in entries {
        entry.ref.encode(to: &writer)
        writer.byte(entry.fingerprint == nil ? 0 : 1)
        entry.fingerprint?.encode(to: &writer)
      }
    }
  }

  private func encodeTexts(to writer: inout ByteWriter) {
    writer.varint(texts.count)
    for text in texts {
      writer.varint(text.field << 1 | (text.base == nil ? 1 : 0))
      text.base?.encode(to: &writer)
      writer.varint(text.merged)
    }
    if !texts.isEmpty || undone != nil {
      writer.byte(lastEdit == nil ? 0 : 1)
      lastEdit?.encode(to: &writer)
    }
  }

  private func encodeInexactValues(to writer: inout ByteWriter) {
    writer.varint(inexactValues.count)
    for inexact in inexactValues {
      writer.varint(inexact.field << 1 | (inexact.value == nil ? 1 : 0))
      if let value = inexact.value { writer.counted(value) }
    }
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    var reader = ByteReader(bytes)
    switch try reader.byte() {
    case Self.shortForm:
      let only = try HistoryEntry(from: &reader)
      guard UInt64(only.kind) == OperationKind.insert else {
        throw EventError(.malformed, "a short state that is no insert's", offset: 0)
      }
      recent = [only]
      existence = (only.kind, only.ref)
      insertion = only.ref
      firstInsertion = only.ref
      fields = only.fields.map { FieldWinner(field: $0, ref: only.ref) }
    case Self.longForm: try decodeLongForm(&reader)
    case Self.undoForm:
      undone = UndoneEvents()
      try decodeLongForm(&reader)
      undone = try UndoneEvents(from: &reader)
    default: throw EventError(.malformed, "an entity's state of unknown form", offset: 0)
    }
    for _ in 0..<(try reader.count()) {
      let tag = try reader.index()
      let value = tag & 1 == 0 ? Array(try reader.counted()) : nil
      inexactValues.append(InexactValue(field: tag >> 1, value: value))
    }
    try reader.end(of: "an entity's state")
  }

  private mutating func decodeLongForm(_ reader: inout ByteReader) throws(EventError) {
    let kind = try reader.byte()
    if kind != 0 { existence = (kind, try WriteRef(from: &reader)) }
    let insertions = try reader.byte()
    if insertions != 0 { insertion = try WriteRef(from: &reader) }
    firstInsertion = insertions == 2 ? try WriteRef(from: &reader) : insertion
    if try reader.byte() != 0 { floor = try WriteRef(from: &reader) }
    let fieldCount = try reader.count()
    if fieldCount > 0 {
      let base = try WriteRef(from: &reader)
      for _ in 0..<fieldCount {
        let tag = try reader.index()
        let ref = tag & 1 == 0 ? base : try WriteRef(from: &reader)
        fields.append(FieldWinner(field: tag >> 1, ref: ref))
      }
    }
    let registerCount = try reader.count()
    if registerCount > 0 {
      var last = LastWrites()
      for _ in 1..<registerCount {
        let register = Int(truncatingIfNeeded: try reader.signedVarint())
        var entries: [LastWrites.Entry] = []
        for _ in 0..<(try reader.count()) {
          let ref = try WriteRef(from: &reader)
          let fingerprint =
            try reader.byte() == 0 ? nil : LastWrites.Fingerprint(try reader.take(16))
          entries.append(.init(ref: ref, fingerprint: fingerprint))
        }
        last.set(register, entries)
      }
      lastWrites = last
    }
    for _ in 0..<(try reader.count()) {
      let tag = try reader.index()
      let base = tag & 1 == 0 ? try WriteRef(from: &reader) : nil
      texts.append(TextState(field: tag >> 1, base: base, merged: try reader.index()))
    }
    if !texts.isEmpty || undone != nil, try reader.byte() != 0 {
      lastEdit = try WriteRef(from: &reader)
    }
    chunkCount = try reader.index()
    for _ in 0..<(try reader.count()) { recent.append(try HistoryEntry(from: &reader)) }
  }
}

/// The fields that a write names, one bit each: the first 64 in a word, any others in a list.
struct FieldBitmap {
  private var low: UInt64 = 0
  private var rest: [Int] = []

  mutating func insert(_ field: Int) {
    if field < 64 { low |= 1 << UInt64(field) } else { rest.append(field) }
  }

  func encode(kind: UInt8, to writer: inout ByteWriter) {
    let lowBytes = (64 - low.leadingZeroBitCount + 7) / 8
    let count = rest.max().map { $0 / 8 + 1 } ?? lowBytes
    writer.byte(kind & 7 | UInt8(min(count, 31)) << 3)
    if count >= 31 { writer.varint(count) }
    let start = writer.count
    for i in 0..<count { writer.byte(i < 8 ? UInt8(truncatingIfNeeded: low >> UInt64(8 * i)) : 0) }
    for field in rest { writer.bytes[start + field / 8] |= 1 << UInt8(field % 8) }
  }
}

extension HistoryEntry {
  /// Writes `ref · u8 (bitmap bytes << 3 | kind) · bitmap`, and of an edit its base. A count of 31
  /// means that a varint with the true count follows.
  func encode(to writer: inout ByteWriter) {
    ref.encode(to: &writer)
    var bitmap = FieldBitmap()
    for field in fields { bitmap.insert(field) }
    bitmap.encode(kind: kind, to: &writer)
    if isEdit, let base { base.encode(to: &writer) }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    ref = try WriteRef(from: &reader)
    let tag = try reader.byte()
    kind = tag & 7
    let short = Int(tag >> 3)
    let bitmap = try reader.take(short < 31 ? short : try reader.index())
    fields = []
    for (index, byte) in bitmap.enumerated() where byte != 0 {
      for bit in 0..<8 where byte >> UInt8(bit) & 1 == 1 { fields.append(index * 8 + bit) }
    }
    if isEdit {
      guard fields.count == 1 else {
        throw EventError(.malformed, "an edit of \(fields.count) fields", offset: reader.offset)
      }
      base = try WriteRef(from: &reader)
    }
  }

  /// Decodes a chunk: entries one after another.
  static func decode(chunk: UnsafeRawBufferPointer) throws(EventError) -> [HistoryEntry] {
    var reader = ByteReader(chunk)
    var entries: [HistoryEntry] = []
    while !reader.isAtEnd { entries.append(try HistoryEntry(from: &reader)) }
    return entries
  }
}
