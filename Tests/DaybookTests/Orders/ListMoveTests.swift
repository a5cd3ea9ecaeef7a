import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Moves in lists, compared with arrays.
@Suite struct ListMoveTests {
  struct Step: Entity, Equatable {
    static let collection = "steps"
    static let fields: [EntityField<Step>] = [
      .field("list", \.list), .field("position", \.position), .field("spare", \.spare),
    ]
    static func refine(_ definition: Definition) -> Definition {
      definition.indexed(by: "list", "position")
    }
    var id = ID()
    var list = ""
    var position = FractionalIndex.first
    var spare: FractionalIndex?
  }

  private let place: SyncPlace
  init() throws {
    place = try SyncPlace()
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
  }

  private func store(_ name: String = "a") async throws -> Store {
    try await Store.open(at: place.folder.appending(path: name), schema: [Step.self])
  }

  private static let inOrder = Step.all.order(by: \.position)

  // MARK: - The fewest writes

  /// Rows as a store has them: in the order of indexes, and of equal ones in the order of ids.
  private static func shown(_ indexes: [FractionalIndex?]) -> [Int] {
    indexes.indices.sorted { a, b in
      switch (indexes[a], indexes[b]) {
      case (nil, nil): a < b
      case (nil, _): true
      case (_, nil): false
      case (let x?, let y?): x == y ? a < b : x < y
      }
    }
  }

  /// Returns the fewest rows that have to change, by trying which ones stay.
  private static func fewest(_ order: [Int], _ indexes: [FractionalIndex?]) -> Int {
    let count = order.count
    return (0..<1 << count).map { choice -> Int in
      let kept = (0..<count).filter { choice >> $0 & 1 == 1 }
      for (place, at) in kept.enumerated() {
        guard let index = indexes[order[at]] else {
          // Nothing comes before rows without an index.
          guard place == at, at == 0 || order[at - 1] < order[at] else { return count }
          continue
        }
        guard index.isRegular else { return count }
        guard place > 0, let before = indexes[order[kept[place - 1]]] else { continue }
        let isNext = kept[place - 1] + 1 == at && order[at - 1] < order[at]
        guard before < index || before == index && isNext else { return count }
      }
      return count - kept.count
    }.min() ?? 0
  }

  @Test("a move makes the wanted order with the fewest writes", arguments: 0..<4)
  func fewestWrites(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let some: [FractionalIndex?] = [
      nil, .first, .first, FractionalIndex("V0"), FractionalIndex("W"), FractionalIndex("X"),
      FractionalIndex("a b"), FractionalIndex(""), FractionalIndex("Vz-"),
    ]
    for round in 0..<600 {
      let kinds = round.isMultiple(of: 2) ? Array(some[1...5]) : some
      let count = Int.random(in: 0...7, using: &random)
      let unsorted = (0..<count).map { _ in kinds.randomElement(using: &random) ?? nil }
      let indexes = Self.shown(unsorted).map { unsorted[$0] }
      let rows = IndexSet((0..<count).filter { _ in Int.random(in: 0...3, using: &random) == 0 })
      let target = Int.random(in: 0...count, using: &random)
      let order =
        (0..<target).filter { !rows.contains($0) } + Array(rows)
        + (target..<count).filter { !rows.contains($0) }
      let changes = FractionalIndex.moving(rows, to: target, in: indexes)
      var moved = indexes
      for (row, index) in changes { moved[row] = index }
      #expect(Self.shown(moved) == order, "\(indexes) \(Array(rows)) \(target)")
      #expect(changes.count == Self.fewest(order, indexes), "\(indexes) \(Array(rows)) \(target)")
      #expect(changes.allSatisfy { $1.isRegular && indexes[$0] != $1 })
    }
  }

  @Test("of two ways with as few writes, the rows that were moved are written")
  func movedRows() {
    let three = (0..<3).map { FractionalIndex("V\($0)") }
    #expect(FractionalIndex.moving([0], to: 2, in: three).keys.sorted() == [0])
    #expect(FractionalIndex.moving([1], to: 0, in: three).keys.sorted() == [1])
    #expect(FractionalIndex.moving([1], to: 3, in: three).keys.sorted() == [1])
    // Nothing moves.
    #expect(FractionalIndex.moving([1], to: 1, in: three).isEmpty)
    #expect(FractionalIndex.moving([1], to: 2, in: three).isEmpty)
    #expect(FractionalIndex.moving([], to: 2, in: three).isEmpty)
    // Places that are not in the list.
    #expect(FractionalIndex.moving([7], to: -4, in: three).isEmpty)
    #expect(FractionalIndex.moving([0, 99], to: .max, in: three).keys.sorted() == [0])
    #expect(FractionalIndex.moving([0], to: 0, in: []).isEmpty)
  }

  @Test("between equal indexes, the smaller side gets others")
  func equalIndexes() {
    let equal = Array(repeating: FractionalIndex.first, count: 1000)
    #expect(FractionalIndex.moving([999], to: 3, in: equal).count == 4)
    #expect(FractionalIndex.moving([0], to: 998, in: equal).count == 3)
    let large = Array(repeating: FractionalIndex.first, count: 20_000)
    let changes = FractionalIndex.moving([19_999], to: 10_000, in: large)
    // The last row has the greatest id, and can be behind the first half as it is.
    #expect(changes.count == 9999)
    let longest = changes.values.map(\.text.utf8.count).max() ?? 0
    #expect(longest <= 6)
  }

  // MARK: - Stores

  @Test("a list in a store has the order of an array, whatever is inserted, moved or deleted")
  func model() async throws {
    defer { place.remove() }
    let store = try await store()
    var random = SplitMix64(seed: 5)
    // Rows that are older than the order have equal indexes.
    var model = (0..<20).map { Step(id: Step.ID("old\($0 + 10)")) }
    try await store.write { [model] in try $0.insert(model) }
    for _ in 0..<120 {
      let list = try await store.fetch(Self.inOrder)
      #expect(list.map(\.id) == model.map(\.id))
      let target = Int.random(in: 0...list.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        // Ids that are not in the order of time.
        let new = Step(id: Step.ID("new\(UInt32.random(in: 0 ... .max, using: &random))"))
        try await store.write { tx in
          try tx.insert(new)
          try tx.move([list.count], to: target, in: list + [new], by: \.position)
        }
        model.insert(new, at: target)
      case 1 where list.count > 1:
        let row = Int.random(in: list.indices, using: &random)
        try await store.write { try $0.delete(list[row].id) }
        model.remove(at: row)
      default:
        let rows = IndexSet(list.indices.filter { _ in Int.random(in: 0...9, using: &random) == 0 })
        let changed = try await store.write { tx in
          try tx.move(rows, to: target, in: list, by: \.position)
        }
        let moving = rows.map { model[$0] }
        let before = model[..<target].enumerated().filter { !rows.contains($0.offset) }
        let after = model.enumerated().dropFirst(target).filter { !rows.contains($0.offset) }
        model = before.map(\.element) + moving + after.map(\.element)
        #expect(changed.count <= list.count)
      }
    }
    let last = try await store.fetch(Self.inOrder)
    #expect(last.map(\.id) == model.map(\.id))
    try await store.close()
  }

  @Test("two devices that insert in one place have one order, and go on moving in it")
  func twoDevices() async throws {
    defer { place.remove() }
    let stores = [try await store("a"), try await store("b")]
    var random = SplitMix64(seed: 9)
    let begun = try FractionalIndex.between(nil, nil, count: 3).map { Step(position: $0) }
    try await stores[0].write { try $0.insert(begun) }
    _ = try await stores[0].syncOnce(with: StorePeer(stores[1]))
    for round in 0..<25 {
      for store in stores {
        for _ in 0..<3 {
          let list = try await store.fetch(Self.inOrder)
          try await store.write { [random] tx in
            var random = random
            let place = round.isMultiple(of: 2) ? 1 : Int.random(in: 0...list.count, using: &random)
            let new = Step()
            try tx.insert(new)
            try tx.move([list.count], to: place, in: list + [new], by: \.position)
          }
          _ = random.next()
        }
      }
      _ = try await stores[0].syncOnce(with: StorePeer(stores[1]))
      let lists = [
        try await stores[0].fetch(Self.inOrder), try await stores[1].fetch(Self.inOrder),
      ]
      #expect(lists[0] == lists[1] && lists[0].count == 3 + 6 * (round + 1))
      // A move between rows of equal indexes.
      let equal = lists[0].indices.dropFirst().first {
        lists[0][$0 - 1].position == lists[0][$0].position
      }
      let target = try #require(equal)
      let row = lists[0].count - 1
      guard row > target else { continue }
      try await stores[0].write { try $0.move([row], to: target, in: lists[0], by: \.position) }
      let moved = try await stores[0].fetch(Self.inOrder).map(\.id)
      var expected = lists[0].map(\.id)
      expected.insert(expected.remove(at: row), at: target)
      #expect(moved == expected)
    }
    let longest = try await stores[0].fetch(Self.inOrder).map(\.position.text.utf8.count).max() ?? 0
    #expect(longest <= 20)
    try await place.close(stores)
  }

  @Test("a move is of what the user has seen: others' moves stay, deleted rows are passed over")
  func seen() async throws {
    defer { place.remove() }
    let store = try await store()
    let rows = try FractionalIndex.between(nil, nil, count: 5).map { Step(position: $0) }
    try await store.write { try $0.insert(rows) }
    // Meanwhile another one moves the first row to the end, and deletes the third.
    try await store.write { tx in
      try tx.move([0], to: 5, in: rows, by: \.position)
      try tx.delete(rows[2].id)
    }
    let changed = try await store.write { try $0.move([4, 2], to: 1, in: rows, by: \.position) }
    #expect(changed == [rows[4].id])
    let ids = try await store.fetch(Self.inOrder).map(\.id)
    #expect(ids == [rows[4], rows[1], rows[3], rows[0]].map(\.id))
    try await store.close()
  }

  @Test("rows without an index are first, and get one when they are moved")
  func optional() async throws {
    defer { place.remove() }
    let store = try await store()
    let rows = (0..<4).map { Step(id: Step.ID("r\($0)")) }
    try await store.write { try $0.insert(rows) }
    let changed = try await store.write { try $0.move([0], to: 4, in: rows, by: \.spare) }
    #expect(changed == [rows[0].id])
    let ids = try await store.fetch(Step.all.order(by: \.spare)).map(\.id.rawValue)
    #expect(ids == ["r1", "r2", "r3", "r0"])
    try await store.close()
  }

  @Test("texts of others are in the order of their bytes, and make way")
  func foreignTexts() async throws {
    defer { place.remove() }
    let store = try await store()
    let texts = FractionalIndexTests.foreign.filter { $0.utf8.count < 100 } + ["V", "V0"]
    let steps = texts.map { Step(position: FractionalIndex($0)) }
    try await store.write { tx in
      for (step, text) in zip(steps, texts) {
        try tx.insert("steps", step.id.rawValue, ["list": "", "position": .text(text)])
      }
    }
    let list = try await store.fetch(Self.inOrder)
    #expect(list.map(\.position) == list.map(\.position).sorted() && list.count == steps.count)
    #expect(Set(list.map(\.position.text)) == Set(texts))
    for target in list.indices {
      let list = try await store.fetch(Self.inOrder)
      try await store.write { try $0.move([list.count - 1], to: target, in: list, by: \.position) }
      var expected = list.map(\.id)
      expected.insert(expected.removeLast(), at: target)
      let moved = try await store.fetch(Self.inOrder).map(\.id)
      #expect(moved == expected)
    }
    let healed = try await store.fetch(Self.inOrder)
    #expect(healed.allSatisfy { $0.position.isRegular })
    try await store.close()
  }

  @Test("an index of the store serves the order of one list, and conditions compare places")
  func queries() async throws {
    defer { place.remove() }
    let store = try await store()
    let places = try FractionalIndex.between(nil, nil, count: 400)
    try await store.write { tx in
      for (number, position) in places.enumerated() {
        try tx.insert(Step(list: "l\(number % 4)", position: position))
      }
    }
    let query = Step.where { $0.list == "l1" }.order(by: \.position)
    let steps = try await store.read { try query.explain($0) }
    #expect(steps.joined().contains("(list=?)") && !steps.joined().contains("FOR ORDER BY"))
    let found = try await store.fetch(query)
    #expect(found.map(\.position) == found.map(\.position).sorted() && found.count == 100)
    let behind = try await store.fetch(Step.where { $0.position > places[300] }.count())
    #expect(behind == 99)
    let last = try await store.fetch(Step.all.max(of: \.position))
    #expect(last == places.last)
    let page = try await store.fetch(query.after(found[9]).limit(1))
    #expect(page == [found[10]])
    try await store.close()
  }
}
