import DaybookEventCore

/// The last write of each origin to each register of an entity, with a fingerprint of its value.
///
/// A register's frontier is among these writes: each author has seen its own earlier writes.
struct LastWrites {
  struct Entry: Hashable {
    var ref: WriteRef
    /// The fingerprint of the value; nil for *absent*.
    var fingerprint: Fingerprint?
  }

  /// The first 16 bytes of a value's SHA-256.
  struct Fingerprint: Hashable {
    private var high: UInt64
    private var low: UInt64

    /// - Parameter bytes: at least 16 bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
      high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { Self($0) } }

    func encode(to writer: inout ByteWriter) {
      for word in [high, low] {
        withUnsafeBytes(of: word.bigEndian) { writer.raw(Array($0)) }
      }
    }
  }

  /// The register of inserts, deletes and restores; it is no field.
  static let existence = -1
  /// The register of deletes and erases, which write *absent* to every field.
  static let absence = -2

  /// By register (a field's number, ``existence`` or ``absence``), one entry per origin.
  private(set) var registers: [Int: [Entry]] = [:]
  /// By register, the place of each origin's entry, once there are many entries.
  private var places: [Int: [Int: Int]] = [:]

  /// The number of entries up to which they are searched one after another.
  private static let fewEntries = 16

  /// Sets all entries of a register, at most one of each origin.
  mutating func set(_ register: Int, _ entries: [Entry]) {
    registers[register] = entries
    places[register] = nil
  }

  /// Notes a write; an earlier one of its origin is replaced. Cost: does not grow with the entries.
  mutating func note(_ register: Int, _ entry: Entry) {
    guard let place = place(of: entry.ref.origin, in: register) else {
      let count = registers[register]?.count ?? 0
      registers[register, default: []].append(entry)
      if places[register] != nil { places[register]?[entry.ref.origin] = count }
      return
    }
    if let known = registers[register]?[place].ref, entry.ref.isLater(than: known) {
      registers[register]?[place] = entry
    }
  }

  private mutating func place(of origin: Int, in register: Int) -> Int? {
    guard let entries = registers[register] else { return nil }
    guard entries.count > Self.fewEntries else {
      return entries.firstIndex { $0.ref.origin == origin }
    }
    if places[register] == nil {
      let all = entries.enumerated().map { ($1.ref.origin, $0) }
      places[register] = Dictionary(all) { first, _ in first }
    }
    return places[register]?[origin]
  }

  /// The number of entries of the register that has the most.
  var width: Int { registers.values.map(\.count).max() ?? 0 }

  static func fingerprint(_ value: Value) -> Fingerprint? {
    value == .null ? nil : Fingerprint(Hash256.sha256(of: value.canonicalBytes).bytes)
  }

  /// Returns the fingerprint of an edit: that of its base. Edits of one base do not conflict,
  /// because the merge has all of them, whatever they say.
  static func fingerprint(editOf base: WriteRef, origin: ReplicaID) -> Fingerprint? {
    var writer = ByteWriter(capacity: 64)
    writer.raw(Array("daybook.edit.1".utf8))
    base.encodeForDigest(origin: origin, to: &writer)
    return fingerprint(.blob(writer.bytes))
  }

  /// Returns each origin's last write to a field, deletes and erases included.
  func fieldEntries(_ field: Int) -> [Entry] {
    guard registers[Self.absence] != nil else { return registers[field] ?? [] }
    var view = LastWrites()
    for entry in registers[field] ?? [] { view.note(field, entry) }
    for entry in registers[Self.absence] ?? [] { view.note(field, entry) }
    return view.registers[field] ?? []
  }
}

extension LastWrites: Hashable {
  static func == (a: LastWrites, b: LastWrites) -> Bool { a.registers == b.registers }
  func hash(into hasher: inout Hasher) { hasher.combine(registers) }
}
