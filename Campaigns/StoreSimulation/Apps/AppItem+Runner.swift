import Daybook
import DaybookEventCore
import DaybookSimulation
import Foundation

/// What a version of an app does with its type, through the typed calls alone.
extension AppItem: AppRunner {
  /// Returns what the version sees of the field of a slot, as values.
  private func value(_ field: AppVersion.Field) -> Value {
    switch field.slot {
    case .number:
      field.isOptional ? maybe.map { .integer(Int64($0)) } ?? .null : .integer(Int64(number))
    case .text: .text(text)
    case .code: code.map { .text($0) } ?? .null
    case .parent: parent.map { .text($0.rawValue) } ?? .null
    case .date: Value(date)
    case .extra: .integer(Int64(extra))
    case .odd: field.isText ? .text(word) : .integer(Int64(odd))
    }
  }

  private var values: [String: Value] {
    var values: [String: Value] = [:]
    for field in Self.version.fields { values[field.identity] = value(field) }
    return values
  }

  /// Returns what the version sees, by id and by the first names of its fields.
  static func view(of store: Store) async throws -> [String: [String: Value]] {
    let items = try await store.fetch(Self.all)
    return Dictionary(uniqueKeysWithValues: items.map { ($0.id.rawValue, $0.values) })
  }

  private mutating func change(_ random: inout SplitMix64, _ ids: [String]) {
    func isTime() -> Bool { Bool.random(using: &random) }
    if isTime() { number = Int.random(in: -3...9, using: &random) }
    if isTime() { maybe = isTime() ? nil : Int.random(in: -3...9, using: &random) }
    if isTime() { text += ["a", "é", "😀"].randomElement(using: &random) ?? "" }
    if isTime() { code = isTime() ? nil : "c\(Int.random(in: 0...5, using: &random))" }
    if isTime() {
      parent = isTime() ? nil : ids.randomElement(using: &random).map { ID(rawValue: $0) }
    }
    if isTime() {
      date = Date(timeIntervalSince1970: Double(Int.random(in: 0...9, using: &random)))
    }
    if isTime() { extra = Int.random(in: -3...9, using: &random) }
    if isTime() { odd = Int.random(in: -3...9, using: &random) }
    if isTime() { word = "w\(Int.random(in: -3...9, using: &random))" }
  }

  /// Inserts or changes an item.
  /// - Returns: what the version has written, by the first names of its fields; that of kept fields
  ///   is left out.
  static func write(_ id: String, _ isNew: Bool, _ seed: UInt64, to store: Store) async throws
    -> [String: Value]
  {
    let ids = try await store.fetch(Self.all).map(\.id.rawValue).sorted()
    let written = try await store.write { tx in
      var random = SplitMix64(seed: seed)
      if isNew {
        var item = AppItem()
        item.id = ID(rawValue: id)
        item.change(&random, ids)
        try tx.insert(item)
        return item
      }
      return try tx.update(ID(rawValue: id)) { $0.change(&random, ids) }
    }
    let kept = Set(version.fields.filter(\.isKept).map(\.identity))
    return written.values.filter { !kept.contains($0.key) }
  }

  static func remove(_ id: String, from store: Store) async throws {
    try await store.write { try $0.delete(ID(rawValue: id)) }
  }

  /// Compares queries with what was fetched.
  /// - Returns: what is wrong.
  static func check(_ store: Store, _ seed: UInt64) async throws -> [String] {
    var random = SplitMix64(seed: seed)
    var wrong: [String] = []
    let items = try await store.fetch(Self.all)
    for item in items {
      let same = try await store.fetch(item.id)
      if same != item { wrong.append("\(item.id) is \(item) in a list and \(same as Any) alone") }
    }
    for field in version.fields {
      let number = Int.random(in: -3...9, using: &random)
      let (found, wanted): (Int, Int)
      switch field.slot {
      case .number where !field.isOptional:
        found = try await store.fetch(Self.where { $0.number <= number }.count())
        wanted = items.count { $0.number <= number }
      case .extra:
        found = try await store.fetch(Self.where { $0.extra == number }.count())
        wanted = items.count { $0.extra == number }
      case .code:
        found = try await store.fetch(Self.where { $0.code != "c\(number)" }.count())
        wanted = items.count { $0.code != "c\(number)" }
      case .text:
        found = try await store.fetch(Self.all.order(by: \.text)).count
        wanted = items.count
        if field.isSearched { _ = try await store.search(Self.self, for: "a") }
      default: continue
      }
      if found != wanted { wrong.append("\(field.slot) \(number): found \(found), not \(wanted)") }
    }
    return wrong
  }
}
