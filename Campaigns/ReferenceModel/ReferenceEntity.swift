import DaybookEventCore

/// An entity, folded from all operations that name it.
struct ReferenceEntity {
  enum ChangeKind: UInt8 {
    case insert = 3
    case update = 4
    case delete = 5
    case restore = 6
    case erase = 7
    case edit = 10
    case undo = 11
  }

  struct Change {
    let kind: ChangeKind
    let key: OrderKey
    /// By the author's clock.
    let authored: HybridTime
    let fields: [ReferenceName: Value]
    let seen: VersionVector
    var edit: TextEdit?
    var undo: Undo?

    func write(_ value: Value) -> ReferenceWrite {
      ReferenceWrite(key: key, value: value, seen: seen)
    }
  }

  /// The highest erase: writes below it no longer count.
  let floor: Change?
  /// The write that decides whether the entity exists; nil if there were only updates.
  let existence: Change?
  let isLive: Bool
  /// The order key of the first insert above the floor; nil if there is none.
  let firstInsert: OrderKey?
  /// The authored time of the first insert above the floor.
  let created: Int64?
  /// The highest authored time of all changes.
  let modified: Int64
  /// The number of all changes.
  let version: Int
  /// The winner of each field that has a write above the floor, nulls included.
  private(set) var fields: [ReferenceName: ReferenceWrite]
  /// The number of edits that each text has; absent if it has none.
  private(set) var editCounts: [ReferenceName: Int] = [:]
  /// By text that has edits, the write that each of its scalars is from.
  private(set) var textWriters: [ReferenceName: [OperationReference]] = [:]
  /// The edits of texts that are shown which change nothing.
  private(set) var unfit: [(field: ReferenceName, edit: OperationReference)] = []
  /// All changes, in no order.
  let changes: [Change]
  /// The highest edit, or undo.
  let lastEdit: ReferenceWrite?
  /// The first insert above the floor.
  private let insertion: OperationReference?

  init(_ changes: [Change]) {
    self.changes = changes
    let floor = changes.filter { $0.kind == .erase }.max { $0.key < $1.key }
    let left = Self.withoutUndone(changes)
    let counting = left.filter { change in
      change.kind != .erase && (floor.map { $0.key < change.key } ?? true)
    }
    self.floor = floor
    existence =
      counting.filter { ![.update, .edit, .undo].contains($0.kind) }.max { $0.key < $1.key }
      ?? floor
    isLive =
      switch existence?.kind {
      case .insert: true
      case .restore: counting.contains { $0.kind == .insert }
      default: false
      }
    let first = counting.filter { $0.kind == .insert }.min { $0.key < $1.key }
    firstInsert = first?.key
    created = first?.authored.milliseconds
    modified = changes.map(\.authored.milliseconds).max() ?? 0
    version = changes.count
    var writes: [ReferenceName: [ReferenceWrite]] = [:]
    for change in counting {
      for (name, value) in change.fields { writes[name, default: []].append(change.write(value)) }
    }
    fields = writes.compactMapValues(\.winner)
    lastEdit = left.filter { $0.kind == .edit || $0.kind == .undo }.map { $0.write(.null) }.winner
    insertion = first?.write(.null).reference
    mergeTexts(changes, first?.write(.null))
  }

  /// The write that a text begins with: what was assigned, or the first insert.
  func base(of field: ReferenceName) -> OperationReference? {
    fields[field]?.reference ?? insertion
  }

  /// Returns the changes whose events were not undone. An erasure is for ever.
  static func withoutUndone(_ changes: [Change]) -> [Change] {
    changes.filter { change in
      change.kind == .erase || change.kind == .undo || !isUndone(change, by: changes)
    }
  }

  /// Returns whether the event of a change is undone: by the strongest undo that names it.
  static func isUndone(_ change: Change, by changes: [Change]) -> Bool {
    let named = changes.filter {
      $0.undo?.events.contains { $0.contains(change.key.event.id) } ?? false
    }
    return named.max { $0.isWeaker(than: $1) }?.undo?.isUndone ?? false
  }

  /// Merges the edits of each text whose base is what the field shows, or the first insert if
  /// nothing was assigned.
  private mutating func mergeTexts(_ changes: [Change], _ first: ReferenceWrite?) {
    let edits = changes.filter { $0.kind == .edit }
    for name in Set(edits.compactMap { $0.edit.map { ReferenceName($0.field) } }) {
      guard let base = fields[name] ?? first else { continue }
      let own = edits.filter {
        $0.edit.map { ReferenceName($0.field) } == name && $0.baseReference == base.reference
      }
      let assigned = fields[name]?.value ?? .null
      let undos = changes.filter { $0.kind == .undo }
      let merged = ReferenceTexts.merge(own, undos, base: base, assigned)
      unfit += merged.unfit.map { (name, $0) }
      guard merged.count > 0 else { continue }
      editCounts[name] = merged.count
      textWriters[name] = merged.writers
      fields[name] = ReferenceWrite(key: base.key, value: .text(merged.text), seen: base.seen)
    }
  }

  /// Returns the cell of a time; beyond the year 9999, that of its last moment.
  static func time(_ milliseconds: Int64) -> ReferenceCell {
    .text(
      ReferenceCalendar.text(milliseconds: min(milliseconds, 253_402_300_799_999)) ?? "too late")
  }

  /// Returns the frontiers on which authors disagree, by field name; existence has the empty name.
  static func clashes(_ all: [Change]) -> [ReferenceName: [OperationReference]] {
    let changes = withoutUndone(all)
    var clashes: [ReferenceName: [OperationReference]] = [:]
    let ends = changes.filter { $0.kind == .delete || $0.kind == .erase }
    let edited = changes.compactMap { $0.edit.map { ReferenceName($0.field) } }
    for name in Set(changes.flatMap(\.fields.keys) + edited) {
      let assignments = changes.compactMap { change in change.fields[name].map(change.write) }
      // Edits of one base agree, whatever they say.
      let edits = changes.compactMap { change -> ReferenceWrite? in
        guard let edit = change.edit, ReferenceName(edit.field) == name else { return nil }
        return change.write(.blob(Array("edit of \(edit.base).\(edit.baseOperation)".utf8)))
      }
      let writes = assignments + edits
      clashes[name] = (writes + ends.map { $0.write(.null) }).clash
    }
    let begins = changes.filter { $0.kind == .insert || $0.kind == .restore }
    let existence = begins.map { $0.write(.boolean(true)) } + ends.map { $0.write(.null) }
    clashes[""] = existence.clash
    return clashes
  }
}

extension ReferenceEntity.Change {
  /// Whether another undo decides over this one.
  func isWeaker(than other: ReferenceEntity.Change) -> Bool {
    guard let undo, let theirs = other.undo else { return false }
    if undo.turn != theirs.turn { return undo.turn < theirs.turn }
    if authored != other.authored { return authored < other.authored }
    return write(.null).reference < other.write(.null).reference
  }
}
