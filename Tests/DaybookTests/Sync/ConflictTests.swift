import DaybookEventCore
import DaybookProjections
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct ConflictTests {
  private let place = SyncPlace()

  /// Makes two stores that have edited the title of one note without seeing each other, and then
  /// synced.
  private func clashing() async throws -> (Store, Store) {
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
    }
    try await b.syncOnce(with: StorePeer(a))
    try await a.write { tx in try tx.update("notes", "n1", ["title": .text("oat milk")]) }
    try await b.write { tx in try tx.update("notes", "n1", ["title": .text("soy milk")]) }
    let report = try await b.syncOnce(with: StorePeer(a))
    #expect(report.newConflicts == 1)
    return (a, b)
  }

  @Test("taking the losing write settles a conflict on every replica")
  func takingTheOther() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing()
    let conflict = try #require(try await a.conflicts().all().first)
    let other = try #require(conflict.writes.first(where: { !$0.wins }))
    try await a.write { tx in try tx.settle(conflict, taking: other) }
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.conflicts().all().isEmpty)
      #expect(try await place.titles(store) == [other.value.textForTest])
    }
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  @Test("keeping the winning write settles a conflict on every replica")
  func keepingTheWinner() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing()
    let before = try await place.titles(b)
    let conflict = try #require(try await b.conflicts().all().first)
    let winner = try #require(conflict.writes.first(where: { $0.wins }))
    try await b.write { tx in try tx.settle(conflict, taking: winner) }
    #expect(try await b.conflicts().all().isEmpty)
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await a.conflicts().all().isEmpty)
    #expect(try await place.titles(a) == before)
    try await place.close([a, b])
  }

  @Test("a conflict with other writes by now is refused, with its present state")
  func staleConflict() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing()
    let stale = try #require(try await a.conflicts().all().first)
    try await b.write { tx in try tx.update("notes", "n1", ["title": .text("later")]) }
    let c = try await place.store("c")
    try await c.syncOnce(with: StorePeer(a))
    try await c.write { tx in try tx.update("notes", "n1", ["title": .text("elsewhere")]) }
    try await a.syncOnce(with: StorePeer(b))
    try await a.syncOnce(with: StorePeer(c))
    let now = try #require(try await a.conflicts().all().first)
    #expect(now.writes.map(\.event) != stale.writes.map(\.event))
    let before = try await a.digest()
    let error = await #expect(throws: StoreError.self) {
      try await a.write { tx in try tx.settle(stale, taking: stale.writes[0]) }
    }
    #expect(error?.code == .staleConflict)
    #expect(error?.conflict == now)
    #expect(try await a.digest() == before)

    try await a.write { tx in
      let inside = try #require(try tx.conflicts("notes", "n1").first)
      #expect(inside == now)
      try tx.settle(inside, with: .text("settled"))
      #expect(try tx.conflicts("notes", "n1").isEmpty)
      let settled = #expect(throws: StoreError.self) { try tx.settle(now, with: .text("again")) }
      #expect(settled?.code == .staleConflict)
      #expect(settled?.conflict == nil)
    }
    #expect(try await place.titles(a) == ["settled"])
    try await place.close([a, b, c])
  }

  /// Settling wrote the attribute past the checks of a definition.
  @Test("a conflict about a definition is settled by the rules of definitions")
  func definition() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    @Sendable func people(_ hasRules: Bool) -> Definition {
      let rule = Value.boolean(hasRules)
      return Definition(
        "people",
        [
          .init("mail", ["type": .text("text"), "unique": rule]),
          .init("above", ["type": .text("text"), "references": .text("people"), "tree": rule]),
        ])
    }
    try await a.write { try $0.define(people(false)) }
    try await a.write { try $0.define(Definition("settings", [.text("value")]).local()) }
    try await b.syncOnce(with: StorePeer(a))
    try await a.write { try $0.define(people(true)) }
    // The later write wins: there are no rules.
    try await b.write { try $0.define(people(true)) }
    try await b.write { try $0.define(people(false)) }
    try await a.syncOnce(with: StorePeer(b))
    try await a.write { tx in
      try tx.insert("people", "p1", ["mail": .text("m"), "above": .text("p2")])
      try tx.insert("people", "p2", ["mail": .text("m"), "above": .text("p1")])
      try tx.insert("people", "p3", ["mail": .text("other")])
    }
    let conflicts = try await a.conflicts().all().filter { $0.id == nil }
    #expect(conflicts.map { "\($0.field).\($0.attribute)" } == ["above.tree", "mail.unique"])
    let before = try await a.digest()
    for (conflict, code) in zip(conflicts, [StoreError.Code.wouldLoop, .valueTaken]) {
      let rule = try #require(conflict.writes.first { $0.value == .boolean(true) })
      #expect(!rule.wins)
      let refused = await #expect(throws: StoreError.self) {
        try await a.write { try $0.settle(conflict, taking: rule) }
      }
      #expect(refused?.code == code)
      let mixed = await #expect(throws: StoreError.self) {
        try await a.write { tx in
          try tx.insert("settings", "s1", ["value": .text("local")])
          try tx.settle(conflict, taking: try #require(conflict.writes.first { $0.wins }))
        }
      }
      #expect(mixed?.code == .mixedTransaction)
      let senseless = await #expect(throws: StoreError.self) {
        try await a.write { try $0.settle(conflict, with: .text("maybe")) }
      }
      #expect(senseless?.code == .invalidName)
      #expect(try await a.digest() == before)
    }
    try await a.write { tx in
      try tx.update("people", "p2", ["mail": .null, "above": .null])
      for conflict in conflicts { try tx.settle(conflict, with: .boolean(true)) }
    }
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.conflicts().all().isEmpty)
      let fields = try #require(try await store.schema()["people"]?.fields)
      #expect(fields.contains { $0.name == "mail" && $0.isUnique })
      #expect(fields.contains { $0.name == "above" && $0.isTree })
    }
    try await place.close([a, b])
  }

  @Test("a later write by a store that has seen both writes settles their conflict")
  func laterWrite() async throws {
    defer { place.remove() }
    let (a, b) = try await clashing()
    try await a.write { tx in try tx.update("notes", "n1", ["title": .text("rice milk")]) }
    #expect(try await a.conflicts().all().isEmpty)
    try await b.syncOnce(with: StorePeer(a))
    #expect(try await b.conflicts().all().isEmpty)
    try await place.close([a, b])
  }

  @Test("a loop settles all conflicts of deletions and edits, though some go with others")
  func loop() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    let ids = (0..<4).map { "n\($0)" }
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.define(Definition("notes", [.text("more")]))
      for id in ids { try tx.insert("notes", id, ["title": .text("milk"), "more": .text("tea")]) }
    }
    try await b.syncOnce(with: StorePeer(a))
    try await a.write { tx in for id in ids { try tx.delete("notes", id) } }
    try await b.write { tx in
      for id in ids { try tx.update("notes", id, ["title": .text("soy"), "more": .text("mate")]) }
    }
    try await b.syncOnce(with: StorePeer(a))
    #expect(try await a.conflicts().all().count > ids.count)
    var settled = 0
    for try await conflict in a.conflicts() {
      try await a.settle(conflict, taking: .other)
      settled += 1
    }
    #expect(settled >= ids.count)
    #expect(try await a.conflicts().all().isEmpty)
    try await place.close([a, b])
  }

  @Test("a conflict of an edit and a deletion can be settled either way")
  func editAgainstDeletion() async throws {
    for takesEdit in [true, false] {
      let place = SyncPlace()
      defer { place.remove() }
      let (a, b) = (try await place.store("a"), try await place.store("b"))
      try await a.write { tx in
        try tx.define(SyncPlace.notes)
        try tx.insert("notes", "n1", ["title": .text("milk")])
      }
      try await b.syncOnce(with: StorePeer(a))
      try await a.write { tx in try tx.delete("notes", "n1") }
      try await b.write { tx in try tx.update("notes", "n1", ["title": .text("soy milk")]) }
      try await b.syncOnce(with: StorePeer(a))
      let conflicts = try await a.conflicts().all()
      let conflict = try #require(conflicts.first(where: { $0.field == "title" }))
      let choice = try #require(conflict.writes.first(where: { $0.isDeletion != takesEdit }))
      try await a.write { tx in try tx.settle(conflict, taking: choice) }
      try await b.syncOnce(with: StorePeer(a))
      for store in [a, b] {
        #expect(try await store.conflicts().all().isEmpty)
        #expect(try await place.titles(store) == (takesEdit ? ["soy milk"] : []))
      }
      try await place.close([a, b])
    }
  }
}

extension Value {
  fileprivate var textForTest: String { if case .text(let text) = self { text } else { "" } }
}
