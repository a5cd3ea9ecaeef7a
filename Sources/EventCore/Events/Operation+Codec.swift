extension Operation {
  var kind: UInt64 {
    switch self {
    case .define: OperationKind.define
    case .drop: OperationKind.drop
    case .insert: OperationKind.insert
    case .update: OperationKind.update
    case .delete: OperationKind.delete
    case .restore: OperationKind.restore
    case .erase: OperationKind.erase
    case .edit(let edit): edit.isComparison ? OperationKind.comparison : OperationKind.edit
    case .undo: OperationKind.undo
    case .stamp: OperationKind.stamp
    case .identity: OperationKind.identity
    case .unknown(let kind, _): kind
    }
  }

  func forEachName(_ body: (String) -> Void) {
    switch self {
    case .define(let definition):
      body(definition.collection)
      definition.attributes.keys.forEach(body)
      for field in definition.fields {
        body(field.name)
        field.attributes.keys.forEach(body)
      }
    case .drop(let collection, let field):
      body(collection)
      if let field { body(field) }
    case .insert(let collection, _, let fields), .update(let collection, _, let fields):
      body(collection)
      fields.keys.forEach(body)
    case .delete(let collection, _), .restore(let collection, _), .erase(let collection, _):
      body(collection)
    case .edit(let edit):
      body(edit.collection)
      body(edit.field)
    case .undo(let undo): body(undo.collection)
    case .stamp, .identity, .unknown: break
    }
  }

  func encodePayload(_ names: NameTable, to writer: inout ByteWriter) {
    switch self {
    case .define(let definition):
      writer.varint(names.number(definition.collection))
      encode(definition.attributes, names, to: &writer)
      writer.varint(definition.fields.count)
      for field in definition.fields {
        writer.varint(names.number(field.name))
        encode(field.attributes, names, to: &writer)
      }
    case .drop(let collection, let field):
      writer.varint(names.number(collection))
      writer.byte(field == nil ? 0 : 1)
      if let field { writer.varint(names.number(field)) }
    case .insert(let collection, let id, let fields), .update(let collection, let id, let fields):
      writer.varint(names.number(collection))
      EntityIDCodec.encode(id, to: &writer)
      encode(fields, names, to: &writer)
    case .delete(let collection, let id), .restore(let collection, let id),
      .erase(let collection, let id):
      writer.varint(names.number(collection))
      EntityIDCodec.encode(id, to: &writer)
    case .edit(let edit):
      writer.varint(names.number(edit.collection))
      EntityIDCodec.encode(edit.id, to: &writer)
      writer.varint(names.number(edit.field))
      writer.replicaID(edit.base.origin)
      writer.varint(edit.base.sequence)
      writer.varint(UInt64(edit.baseOperation))
      writer.counted(edit.script)
    case .undo(let undo):
      writer.varint(names.number(undo.collection))
      EntityIDCodec.encode(undo.id, to: &writer)
      UndoView.encode(
        isUndone: undo.isUndone, turn: undo.turn, events: undo.events, to: &writer)
    case .stamp(let stamp):
      writer.replicaID(stamp.origin)
      writer.varint(stamp.from)
      writer.varint(stamp.through)
      writer.hash(stamp.chain)
      writer.integer(stamp.time.rawValue)
    case .identity(let claim): claim.encode(to: &writer)
    case .unknown(_, let payload): writer.raw(payload)
    }
  }

  private func encode(
    _ values: [String: Value], _ names: NameTable, to writer: inout ByteWriter
  ) {
    writer.varint(values.count)
    let numbered = values.map { (names.number($0.key), $0.value) }.sorted { $0.0 < $1.0 }
    for (number, value) in numbered {
      writer.varint(number)
      value.encode(to: &writer)
    }
  }

  package init(_ view: OperationView, names: [String]) throws(EventError) {
    var reader = ByteReader(view.payload)
    func name(_ number: Int) throws(EventError) -> String { try names.name(number) }
    func values(_ reader: inout ByteReader) throws(EventError) -> [String: Value] {
      try names.values(from: &reader)
    }
    switch view.kind {
    case OperationKind.define:
      self = .define(try Definition(from: &reader, names: names))
    case OperationKind.drop:
      let collection = try name(try reader.index())
      switch try reader.byte() {
      case 0: self = .drop(collection: collection, field: nil)
      case 1: self = .drop(collection: collection, field: try name(try reader.index()))
      default: throw EventError(.malformed, "a drop of neither a collection nor a field")
      }
    case OperationKind.insert:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      self = .insert(collection: collection, id: id.text, fields: try values(&reader))
    case OperationKind.update:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      self = .update(collection: collection, id: id.text, fields: try values(&reader))
    case OperationKind.delete:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      self = .delete(collection: collection, id: id.text)
    case OperationKind.restore:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      self = .restore(collection: collection, id: id.text)
    case OperationKind.erase:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      self = .erase(collection: collection, id: id.text)
    case OperationKind.stamp:
      self = .stamp(
        Stamp(
          origin: try reader.replicaID(), from: try reader.varint(), through: try reader.varint(),
          chain: try reader.hash(), time: HybridTime(rawValue: try reader.integer(UInt64.self))))
      guard case .stamp(let stamp) = self, stamp.from > 0, stamp.from <= stamp.through,
        stamp.through < UInt64(Int64.max)
      else { throw EventError(.malformed, "a stamp of no range") }
    case OperationKind.edit, OperationKind.comparison:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      let edit = try TextEditView(from: &reader, nameCount: names.count, kind: view.kind)
      self = .edit(
        TextEdit(
          collection: collection, id: id.text, field: names[edit.field], base: edit.base,
          baseOperation: edit.baseOperation, script: Array(edit.script),
          isComparison: edit.isComparison))
    case OperationKind.undo:
      let (collection, id) = (try name(try reader.index()), try EntityIDCodec.decode(from: &reader))
      let undo = try UndoView(from: &reader)
      self = .undo(
        Undo(
          collection: collection, id: id.text, isUndone: undo.isUndone, turn: undo.turn,
          events: undo.events))
    case OperationKind.identity: self = .identity(try IdentityClaim(from: &reader))
    default:
      self = .unknown(kind: view.kind, payload: Array(view.payload))
      return
    }
    try reader.end(of: "an operation")
  }
}

extension Definition {
  fileprivate init(from reader: inout ByteReader, names: [String]) throws(EventError) {
    self.init(collection: try names.name(try reader.index()))
    attributes = try names.values(from: &reader)
    var numbers: Set<Int> = []
    for _ in 0..<(try reader.count()) {
      let number = try reader.index()
      let field = try names.name(number)
      guard numbers.insert(number).inserted else {
        throw EventError(.malformed, "a definition names the field “\(field)” twice")
      }
      fields.append(.init(field, try names.values(from: &reader)))
    }
  }
}

/// The names of a body, which its operations use by number.
extension [String] {
  fileprivate func name(_ number: Int) throws(EventError) -> String {
    guard number < count else {
      throw EventError(.malformed, "an operation names number \(number) of \(count)")
    }
    return self[number]
  }

  fileprivate func values(from reader: inout ByteReader) throws(EventError) -> [String: Value] {
    var values: [String: Value] = [:]
    var fields = try FieldsView(from: &reader, nameCount: count)
    while let (number, value) = try fields.next(&reader) { values[self[number]] = value.value }
    return values
  }
}
