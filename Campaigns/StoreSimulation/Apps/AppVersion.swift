import Daybook
import DaybookEventCore
import DaybookLocks
import DaybookSimulation
import Foundation

/// What one version of a made-up app declares of its only collection.
struct AppVersion: Sendable {
  enum Slot: String, CaseIterable, Sendable { case number, text, code, parent, date, extra, odd }

  /// One field, by the property that this version has for it.
  struct Field: Sendable {
    var slot: Slot
    /// The names that the field has had, the first one first.
    var names: [String]
    var isOptional = false
    /// What the property begins with, if it is a number that is not optional.
    var preset = 5
    var isUnique = false
    var isSearched = false
    var rule = ReferenceRule.keep
    var isKept = false
    var isText = false

    var identity: String { names[0] }
  }

  var number: Int
  var fields: [Field]
  /// Whether the version has a migration that makes the store's rules its own.
  var takesOver = false

  /// The first version of an app.
  static func first(_ random: inout SplitMix64) -> AppVersion {
    var version = AppVersion(
      number: 0, fields: [Field(slot: .number, names: ["n"]), Field(slot: .text, names: ["t"])])
    for _ in 0..<2 { version.change(&random) }
    return version
  }

  /// Returns the next version of the app.
  func next(_ random: inout SplitMix64) -> AppVersion {
    var next = self
    next.number += 1
    next.takesOver = Int.random(in: 0..<4, using: &random) == 0
    for _ in 0..<Int.random(in: 1...3, using: &random) { next.change(&random) }
    return next
  }

  private mutating func change(_ random: inout SplitMix64) {
    let slot = Slot.allCases.randomElement(using: &random) ?? .number
    guard let index = fields.firstIndex(where: { $0.slot == slot }) else {
      fields.append(Self.new(slot, &random))
      return
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: fields.remove(at: index)
    case 1:
      let names = fields[index].names
      fields[index].names.append("\(names[0])\(names.count)_\(number)")
    case 2:
      switch slot {
      case .number: fields[index].isOptional.toggle()
      case .code: fields[index].isUnique.toggle()
      case .text: fields[index].isSearched.toggle()
      case .parent:
        fields[index].rule = ReferenceRule.allCases.randomElement(using: &random) ?? .keep
      case .date: fields[index].isKept.toggle()
      case .odd: fields[index].isText.toggle()
      case .extra: fields[index].preset += 1
      }
    case 3: fields[index].preset = Int.random(in: 1...3, using: &random)
    default: break
    }
  }

  private static func new(_ slot: Slot, _ random: inout SplitMix64) -> Field {
    var field = Field(slot: slot, names: [String(slot.rawValue.prefix(1))])
    field.isOptional = slot == .number && Bool.random(using: &random)
    field.isUnique = slot == .code && Bool.random(using: &random)
    field.isKept = slot == .date && Bool.random(using: &random)
    field.isText = slot == .odd && Bool.random(using: &random)
    field.isSearched = slot == .text && Bool.random(using: &random)
    if slot == .parent { field.rule = .cascade }
    field.preset = Int.random(in: 1...9, using: &random)
    return field
  }

  func field(_ slot: Slot) -> Field? { fields.first { $0.slot == slot } }
}

// MARK: - Types that are made while the program runs

protocol AppTag {}
enum NoBit: AppTag {}
enum ZeroBit<Rest: AppTag>: AppTag {}
enum OneBit<Rest: AppTag>: AppTag {}

/// An entity whose fields are those of a version. Each version of each life has a type of its own.
struct AppItem<Tag: AppTag>: Entity, Equatable {
  static var collection: String { "items" }
  static var version: AppVersion { AppVersions.version(of: Self.self) }

  static var fields: [EntityField<AppItem>] {
    version.fields.map { field in
      var made: EntityField<AppItem> =
        switch field.slot {
        case .number:
          field.isOptional
            ? .field(field.names.last ?? "", \.maybe) : .field(field.names.last ?? "", \.number)
        case .text: .field(field.names.last ?? "", \.text).merging()
        case .code: .field(field.names.last ?? "", \.code)
        case .parent: .field(field.names.last ?? "", \.parent)
        case .date: .field(field.names.last ?? "", \.date)
        case .extra: .field(field.names.last ?? "", \.extra)
        case .odd:
          field.isText
            ? .field(field.names.last ?? "", \.word) : .field(field.names.last ?? "", \.odd)
        }
      if field.isUnique { made = made.unique() }
      if field.isSearched { made = made.searchable() }
      if field.isKept { made = made.kept(.modified) }
      if field.slot == .parent { made = made.references(Self.self, onDelete: field.rule) }
      if field.names.count > 1 { made = made.formerly(Array(field.names.dropLast())) }
      return made
    }
  }

  var id = ID()
  var number: Int
  var maybe: Int?
  var text = ""
  var code: String?
  var parent: ID?
  var date = Date.distantPast
  var extra: Int
  var odd = 0
  var word = ""

  init() {
    number = Self.version.field(.number)?.preset ?? 0
    extra = Self.version.field(.extra)?.preset ?? 0
  }
}

extension EntityField {
  fileprivate func formerly(_ names: [String]) -> EntityField {
    switch names.count {
    case 1: formerly(names[0])
    case 2: formerly(names[0], names[1])
    case 3: formerly(names[0], names[1], names[2])
    default: formerly(names[0], names[1], names[2], names[3])
    }
  }
}

/// The versions of all lives, by their types.
enum AppVersions {
  private static let known = Mutex<[ObjectIdentifier: AppVersion]>([:])
  private static let count = Mutex(0)

  static func version(of type: any Any.Type) -> AppVersion {
    known.withLock { $0[ObjectIdentifier(type)] } ?? AppVersion(number: 0, fields: [])
  }

  /// Makes the type of a version.
  static func type(of version: AppVersion) -> any AppRunner.Type {
    var number = count.withLock { value in
      value += 1
      return value
    }
    var tag: any AppTag.Type = NoBit.self
    func longer<T: AppTag>(_ tag: T.Type, _ bit: Int) -> any AppTag.Type {
      bit == 1 ? OneBit<T>.self : ZeroBit<T>.self
    }
    while number > 0 {
      tag = longer(tag, number & 1)
      number >>= 1
    }
    func item<T: AppTag>(_ tag: T.Type) -> any AppRunner.Type { AppItem<T>.self }
    let type = item(tag)
    known.withLock { $0[ObjectIdentifier(type)] = version }
    return type
  }
}

/// What a version of the app does with its type.
protocol AppRunner: Entity {
  static var version: AppVersion { get }
  static func view(of store: Store) async throws -> [String: [String: Value]]
  static func write(_ id: String, _ isNew: Bool, _ seed: UInt64, to store: Store) async throws
    -> [String: Value]
  static func remove(_ id: String, from store: Store) async throws
  static func check(_ store: Store, _ seed: UInt64) async throws -> [String]
}
