/// One operation of a body, read in place.
package struct OperationView {
  /// The operation's number within the event, from 0.
  package let index: Int
  package let kind: UInt64
  package let payload: UnsafeRawBufferPointer

  /// Reads the kind and the payload of an operation, and not what is in it.
  ///
  /// - Parameter index: the operation's number within the event, from 0.
  package init(index: Int, from reader: inout ByteReader) throws(EventError) {
    self.index = index
    kind = try reader.varint()
    payload = try reader.counted()
  }
}

/// An operation on an entity, read in place; its fields are read one by one.
package struct EntityOperationView {
  package let collection: Int
  package let id: IDView
  package var fields: FieldsView
  /// What an edit changes; nil for other operations.
  package private(set) var edit: TextEditView?
  /// What an undo names; nil for other operations.
  package private(set) var undo: UndoView?
  package var reader: ByteReader

  /// Reads the operation up to its fields.
  ///
  /// - Parameter operation: an operation of one of the kinds that name an entity.
  package init(_ operation: OperationView, nameCount: Int) throws(EventError) {
    reader = ByteReader(operation.payload)
    collection = try reader.index()
    guard collection < nameCount else {
      throw EventError(.malformed, "an operation names number \(collection) of \(nameCount)")
    }
    id = try EntityIDCodec.decode(from: &reader)
    if operation.kind == OperationKind.insert || operation.kind == OperationKind.update {
      fields = try FieldsView(from: &reader, nameCount: nameCount)
    } else {
      fields = FieldsView()
      if OperationKind.isEdit(operation.kind) {
        edit = try TextEditView(from: &reader, nameCount: nameCount, kind: operation.kind)
      } else if operation.kind == OperationKind.undo {
        undo = try UndoView(from: &reader)
      }
      try reader.end(of: "an operation")
    }
  }

  /// Returns the next field: the number of its name, its value, and the value's canonical bytes.
  ///
  /// Returns nil after the last field.
  package mutating func nextField() throws(EventError)
    -> (name: Int, value: ValueView, bytes: UnsafeRawBufferPointer)?
  {
    guard let (name, start) = try fields.nextName(&reader) else {
      try reader.end(of: "an operation")
      return nil
    }
    let value = try ValueView(from: &reader)
    return (name, value, UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset]))
  }
}

/// Pairs of a name and a value, read one by one, with the names in ascending order.
package struct FieldsView {
  private var left = 0
  private var previous = -1
  private let nameCount: Int

  init() { nameCount = 0 }

  init(from reader: inout ByteReader, nameCount: Int) throws(EventError) {
    left = try reader.count()
    self.nameCount = nameCount
  }

  /// Returns the number of the next name and the offset of its value; nil after the last pair.
  mutating func nextName(_ reader: inout ByteReader) throws(EventError) -> (Int, Int)? {
    guard left > 0 else { return nil }
    left -= 1
    let name = try reader.index()
    guard name < nameCount, name > previous else {
      throw EventError(.notCanonical, "fields out of order", offset: reader.offset)
    }
    previous = name
    return (name, reader.offset)
  }

  mutating func next(_ reader: inout ByteReader) throws(EventError) -> (Int, ValueView)? {
    guard let (name, _) = try nextName(&reader) else { return nil }
    return (name, try ValueView(from: &reader))
  }
}
