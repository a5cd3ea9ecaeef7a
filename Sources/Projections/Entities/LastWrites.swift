import EventCore

/// The last write of each origin to each register of an entity, with a fingerprint of its value.
///
/// A register's frontier is among these writes: each author has seen its own earlier writes.
struct LastWrites: Hashable {
  struct Entry: Hashable {
    var ref: WriteRef
    /// The first 16 bytes of the value's SHA-256; nil for *absent*.
    var fingerprint: [UInt8]?
  }

  /// The register of inserts, deletes and restores; it is no field.
  static let existence = -1
  /// The register of deletes and erases, which write *absent* to every field.
  static let absence = -2

  /// By register (a field's number, ``existence`` or ``absence``), one entry per origin.
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

  /// Returns the fingerprint of an edit: that of its base. Edits of one base do not conflict,
  /// because the merge has all of them, whatever they say.
  static func fingerprint(editOf base: WriteRef, origin: ReplicaID) -> [UInt8]? {
    var writer = ByteWriter(capacity: 64)
    writer.raw(Array("daybook.edit.1".utf8))
    base.encodeForDigest(origin: origin, to: &writer)
    return fingerprint(.blob(writer.bytes))
  }

  /// Returns each origin's last write to a field, deletes and erases included.
  func fieldEntries(_ field: Int) -> [Entry] {
    var view = LastWrites()
    for entry in registers[field] ?? [] { view.note(field, entry) }
    for entry in registers[Self.absence] ?? [] { view.note(field, entry) }
    return view.registers[field] ?? []
  }
}
