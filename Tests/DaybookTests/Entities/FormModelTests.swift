import DaybookSimulation
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Random forms on three replicas that sync while they are open, against a small reference.
///
/// Each scalar that is typed is another one, so of a text it is known which scalars it must have,
/// without any merge.
@Suite(.timeLimit(.minutes(10))) struct FormModelTests {
  struct Card: Entity, Equatable {
    static let collection = "cards"
    static let fields: [EntityField<Card>] = [
      .field("title", \.title), .field("count", \.count), .field("due", \.due),
      .field("tags", \.tags), .field("body", \.body).merging(),
    ]
    var id = ID()
    var title = ""
    var count = 0
    var due: Date?
    var tags: [String] = []
    var body = ""
  }

  /// A form that is open.
  private struct Form {
    var store: Int
    var base: Versioned<Card>
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  /// A run of one test.
  private struct Run {
    var stores: [Store] = []
    var random: SplitMix64
    var nextScalar: UInt32 = 0
    var forms: [Form] = []
    var saved = 0
    var merged = 0
    var clashed = 0
    var gone = 0

    /// Changes a card at random: few values, so that two often make the same change.
    mutating func change(_ card: Card) -> Card {
      var card = card
      if random.chance(30) { card.title = random.pick(["", "oat", "rye", "zinc"]) }
      if random.chance(30) { card.count = random.pick(0...2) }
      if random.chance(30) {
        card.due = random.pick([nil, Date(timeIntervalSince1970: 0.5), .distantPast])
      }
      if random.chance(30) { card.tags = random.pick([[], ["a"], ["a", "b"]]) }
      if random.chance(50) { card.body = type(into: card.body) }
      return card
    }

    private mutating func type(into text: String) -> String {
      var scalars = Array(text.unicodeScalars)
      // One change: of two that are close, a comparison makes one that replaces what is between.
      let start = random.pick(0...scalars.count)
      if random.chance(40) {
        scalars.removeSubrange(start..<min(scalars.count, start + random.pick(1...3)))
      }
      for offset in 0..<random.pick(0...3) {
        scalars.insert(scalar(nextScalar), at: start + offset)
        nextScalar += 1
      }
      return String(String.UnicodeScalarView(scalars))
    }

    /// Characters that do not combine.
    private func scalar(_ number: UInt32) -> Unicode.Scalar {
      Unicode.Scalar(0x4E00 + number) ?? "?"
    }
  }

  @Test(
    "what one side has changed is there, texts have both changes, and other clashes are listed",
    arguments: 1...12)
  func random(seed: UInt64) async throws {
    defer { place.remove() }
    var run = Run(random: SplitMix64(seed: seed))
    for name in ["a", "b", "c"] {
      run.stores.append(
        try await Store.open(at: place.folder.appending(path: name), schema: [Card.self]))
    }
    let ids = (1...3).map { Card.ID("card \($0)") }
    try await run.stores[0].write { tx in for id in ids { try tx.insert(Card(id: id)) } }
    for store in run.stores.dropFirst() { try await store.syncOnce(with: StorePeer(run.stores[0])) }
    // As long as it takes until a form meets what others have changed.
    for step in 0..<800 where step < 80 || run.merged + run.clashed == 0 {
      let store = run.random.pick(0...2)
      let id = run.random.pick(ids)
      switch run.random.pick(0...99) {
      case 0..<25:
        if let base = try await run.stores[store].fetchVersioned(id) {
          run.forms.append(Form(store: store, base: base))
        }
      case 25..<50: try await write(id, store, &run)
      case 50..<70:
        let other = (store + run.random.pick(1...2)) % 3
        try await run.stores[store].syncOnce(with: StorePeer(run.stores[other]))
      case 70..<73: try await deleteOrRestore(id, run.stores[store])
      default:
        guard !run.forms.isEmpty else { continue }
        let index = run.random.pick(0...run.forms.count - 1)
        try await save(index, &run)
      }
    }
    for _ in 0..<2 {
      for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        try await run.stores[a].syncOnce(with: StorePeer(run.stores[b]))
      }
    }
    let digest = try await run.stores[0].digest()
    for store in run.stores {
      #expect(try await store.digest() == digest)
      #expect(try await store.hidden().all().isEmpty)
    }
    #expect(run.saved > 3 && run.merged + run.clashed > 0)
    try await place.close(run.stores)
  }

  /// Writes as another window does, or an editor that types by place.
  private func write(_ id: Card.ID, _ store: Int, _ run: inout Run) async throws {
    guard let card = try await run.stores[store].fetch(id) else { return }
    let changed = run.change(card)
    let isTyping = run.random.chance(50)
    try await run.stores[store].write { tx in
      try tx.update(id) { card in
        let body = card.body
        card = changed
        if isTyping { card.body = body }
      }
      guard isTyping, changed.body != card.body else { return }
      try tx.edit(id, \.body) { text in
        try text.insert("", at: 0)
        let script = TextScript(from: text.text, to: changed.body)
        try text.apply(script)
      }
    }
  }

  private func deleteOrRestore(_ id: Card.ID, _ store: Store) async throws {
    let isThere = try await store.fetch(id) != nil
    try await store.write { tx in if isThere { try tx.delete(id) } else { try tx.restore(id) } }
  }

  /// Saves a form, and compares what comes of it.
  private func save(_ index: Int, _ run: inout Run) async throws {
    let form = run.forms[index]
    let store = run.stores[form.store]
    let base = form.base.entity
    let edited = run.change(base)
    let rule = run.random.pick([FieldClash.Rule.refuse, .keepStored, .overwrite])
    guard let before = try await store.fetch(base.id) else {
      await #expect { try await store.update(from: form.base, to: edited) } throws: {
        ($0 as? StoreError)?.code == .noSuchEntity
      }
      run.gone += 1
      run.forms.remove(at: index)
      return
    }
    var expected = before
    var clashes: [String] = []
    func fold<V: Equatable>(_ name: String, _ property: WritableKeyPath<Card, V>) {
      let (old, new) = (base[keyPath: property], edited[keyPath: property])
      let now = before[keyPath: property]
      guard new != old, new != now else { return }
      if now != old { clashes.append(name) }
      if now == old || rule == .overwrite { expected[keyPath: property] = new }
    }
    fold("title", \.title)
    fold("count", \.count)
    fold("due", \.due)
    fold("tags", \.tags)
    let outcome: FormOutcome<Card>
    do {
      outcome = try await store.update(from: form.base, to: edited, onClash: rule)
    } catch let error as StoreError where error.code == .fieldClash {
      #expect(rule == .refuse && error.fieldClashes.map(\.field) == clashes)
      #expect(try await store.fetch(base.id) == before)
      run.clashed += 1
      return
    }
    #expect(outcome.clashes.map(\.field) == clashes && (rule != .refuse || clashes.isEmpty))
    let now = try #require(try await store.fetch(base.id))
    #expect(outcome.current.entity == now)
    let scalars = [base, before, edited, now].map { Array($0.body.unicodeScalars) }
    let (own, others) = (Set(scalars[2]), Set(scalars[1]))
    let left = Set(scalars[0])
    let all = own.subtracting(left).union(others.subtracting(left))
      .union(left.intersection(own).intersection(others))
    #expect(Set(scalars[3]) == all && scalars[3].count == all.count)
    // Either side finds what it wrote in its own order.
    for side in [scalars[1], scalars[2]] {
      #expect(scalars[3].filter(Set(side).contains) == side.filter(all.contains))
    }
    expected.body = now.body
    #expect(now == expected)
    run.saved += 1
    if base.body != before.body, base.body != edited.body { run.merged += 1 }
    // A form that stays open goes on from the outcome.
    if run.random.chance(50) {
      run.forms[index].base = outcome.current
    } else {
      run.forms.remove(at: index)
    }
  }
}
