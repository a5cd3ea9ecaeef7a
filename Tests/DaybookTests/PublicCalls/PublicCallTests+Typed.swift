import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

extension PublicCallTests {
  /// A type of the collection that the store has.
  struct Note: Entity, Equatable {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
      .field("title", \.title).searchable(), .field("body", \.body).searchable(),
      .field("weight", \.weight),
    ]
    var id = ID()
    var title: String?
    var body: String?
    var weight: Double?
  }

  /// Makes queries of an app's types.
  func sweepTyped(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("typed query", &arguments, times: 150) { draw in
      let query = Self.query(&draw)
      let all = try await store.fetch(query)
      let count = try await store.fetch(query.count())
      #expect(count == all.count)
      _ = try await store.fetchOne(query)
      #expect(try await !store.explain(query).isEmpty)
      _ = try await store.fetch(query.grouped(by: \.title).count())
    }
    await sweep("typed fetch", &arguments) { _ = try await store.fetch(Note.ID($0.text())) }
    await sweep("typed search", &arguments, times: 100) { draw in
      let (text, limit) = (draw.text(), draw.integer())
      let words = draw.flag() ? Store.WordMatch.words : .beginnings
      let markers = (open: draw.text(), close: draw.text())
      _ = try await store.search(
        Note.self, for: text, matching: words, limit: limit, markers: markers)
      _ = try await store.search(
        [Note.self], for: text, matching: words, limit: limit, markers: markers)
    }
  }

  /// Makes indexes of an order beside any texts, and moves rows that have them.
  func sweepOrders(_ arguments: inout Arguments) async {
    await sweep("order", &arguments, times: 200) { draw in
      let low = draw.optional { FractionalIndex($0.text()) }
      let high = draw.optional { FractionalIndex($0.text()) }
      #expect(FractionalIndex.after(low).isRegular && FractionalIndex.before(high).isRegular)
      let rows = IndexSet((0..<4).filter { _ in draw.flag() }.map { $0 * 3 })
      let moved = FractionalIndex.moving(rows, to: draw.integer(), in: [low, high, low, .first])
      #expect(!moved.values.contains { !$0.isRegular })
      let several = try FractionalIndex.between(low, high, count: draw.random.pick(-1...9))
      #expect(several.count <= 9 && several.allSatisfy(\.isRegular))
    }
  }

  private static func query(_ draw: inout Arguments) -> EntityQuery<Note> {
    let (text, texts, real) = (draw.text(), draw.texts(), draw.real())
    var query = Note.all
    for _ in 0..<draw.random.pick(0...2) {
      switch draw.random.pick(0...7) {
      case 0: query = query.where { $0.title == text }
      case 1: query = query.where { $0.title.like(text) }
      case 2: query = query.where { $0.title.hasPrefix(text) }
      case 3: query = query.where { $0.body.hasSuffix(text) }
      case 4: query = query.where { $0.body.contains(text) }
      case 5: query = query.where { $0.weight < real }
      case 6: query = query.where { $0.id == Note.ID(text) }
      default: query = query.where { $0.title.in(texts) }
      }
    }
    if draw.flag() { query = query.order(by: \.title, draw.flag() ? .ascending : .descending) }
    if draw.flag() { query = query.limit(draw.integer()) }
    for _ in 0..<draw.random.pick(0...2) { query = query.offset(draw.integer()) }
    return query
  }

  /// Makes live values, and reads the first value of each.
  @MainActor func sweepLive(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("live query", &arguments, times: 30) { draw in
      let live = LiveQuery(store.observe(Self.query(&draw)), initially: [])
      try await Self.wait(for: live)
    }
    await sweep("live search", &arguments, times: 30) { draw in
      let values = store.observe(search: Note.self, for: draw.text(), limit: draw.integer())
      try await Self.wait(for: LiveQuery(values, initially: []))
    }
    await sweep("live entity", &arguments, times: 30) { draw in
      try await Self.wait(
        for: LiveQuery(store.observe(Note.ID(draw.text())), initially: nil))
    }
  }

  @MainActor private static func wait<T>(for live: LiveQuery<T>) async throws {
    while live.isLoading { await Task.yield() }
    if let error = live.error { throw error }
  }
}
