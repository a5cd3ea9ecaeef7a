import EventCore

/// What the read model remembers of an entity besides its row: which writes its registers show
/// (*provenance*), all writes ever made to it (*history*), and values that the row cannot hold.
package struct EntityState {
  /// The highest insert, delete or restore above the floor.
  var existence: (kind: UInt8, ref: WriteRef)?
  /// The highest insert above the floor: without one, a restore restores nothing.
  var insertion: WriteRef?
  /// The lowest insert above the floor: it ranks the entity among those with the same unique value.
  var firstInsertion: WriteRef?
  /// The highest erase: writes below it no longer count.
  var floor: WriteRef?
  /// Which write each field shows, ascending by field number.
  var fields: [FieldWinner] = []
  /// Each origin's last write to each register. Nil while one origin alone has written the entity:
  /// there can be no conflict then.
  var lastWrites: LastWrites?
  /// Canonical values of registers that the row does not hold exactly: all of them where there is
  /// no row, else misfits and undeclared fields.
  var strays: [Stray] = []
  /// The latest writes; older ones are in chunks.
  var recent: [HistoryEntry] = []
  var chunkCount = 0

  struct FieldWinner: Hashable {
    var field: Int
    var ref: WriteRef
  }

  struct Stray: Hashable {
    var field: Int
    var value: [UInt8]
  }

  /// Writes kept beside the provenance before they are moved to a chunk.
  static let recentMax = 64

  var isLive: Bool {
    guard let existence else { return false }
    return UInt64(existence.kind) == OperationKind.insert
      || (UInt64(existence.kind) == OperationKind.restore && insertion != nil)
  }

  subscript(field number: Int) -> WriteRef? {
    get { fields.first { $0.field == number }?.ref }
    set {
      let index = fields.firstIndex { $0.field >= number } ?? fields.count
      let exists = index < fields.count && fields[index].field == number
      if let newValue {
        let winner = FieldWinner(field: number, ref: newValue)
        if exists { fields[index] = winner } else { fields.insert(winner, at: index) }
      } else if exists {
        fields.remove(at: index)
      }
    }
  }

  /// The only origin that has written the entity, as long as there is only one.
  var soleOrigin: Int? { lastWrites == nil ? recent.last?.ref.origin : nil }
}

/// One write to an entity, without its values: those are in the log.
struct HistoryEntry: Hashable {
  var ref: WriteRef
  /// As ``OperationKind``.
  var kind: UInt8
  /// The numbers of the fields that it names, ascending.
  var fields: [Int]
}

/// The last write of each origin to each register of an entity, with a fingerprint of what it
/// wrote. A register's frontier is among these: whoever saw an origin's earlier write also saw its
/// last, or the origin itself did.
struct LastWrites: Hashable {
  struct Entry: Hashable {
    var ref: WriteRef
    /// 16 bytes of the value's SHA-256; nil for *absent*.
    var fingerprint: [UInt8]?
  }

  /// Registers that are not fields.
  static let existence = -1
  /// Deletes and erases: they write *absent* to every field.
  static let absence = -2

  /// By register (a field's number, or one of the above), one entry an origin.
  var registers: [Int: [Entry]] = [:]

  mutating func note(_ register: Int, _ entry: Entry) {
    var entries = registers[register, default: []]
    if let index = entries.firstIndex(where: { $0.ref.origin == entry.ref.origin }) {
      if entry.ref.isLater(than: entries[index].ref) { entries[index] = entry }
    } else {
      entries.append(entry)
    }
    registers[register] = entries
  }

  static func fingerprint(_ value: Value) -> [UInt8]? {
    value == .null ? nil : Array(Hash256.sha256(of: value.canonicalBytes).bytes[..<16])
  }

  /// Each origin's last write to a field, deletes and erases counted in.
  func fieldEntries(_ field: Int) -> [Entry] {
    var view = LastWrites()
    for entry in registers[field] ?? [] { view.note(field, entry) }
    for entry in registers[Self.absence] ?? [] { view.note(field, entry) }
    return view.registers[field] ?? []
  }
}
