import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Random queries, compared with filters and sorts in Swift.
extension QueryTests {
  /// The number of random queries for each seed; more with `DAYBOOK_QUERIES`.
  private static let queryCount =
    ProcessInfo.processInfo.environment["DAYBOOK_QUERIES"].flatMap { Int($0) } ?? 300

  // MARK: - Random data

  static let words = [
    "", "a", "A", "ab", "b", "é", "e\u{301}", "É", "z_%", "ä\u{0}b", "A\u{308}\u{0}B", "😀",
  ]

  private static func item(_ random: inout SplitMix64) -> Item {
    var item = Item()
    item.name = words.randomElement(using: &random) ?? ""
    item.note = Bool.random(using: &random) ? words.randomElement(using: &random) : nil
    item.count = Int.random(in: -3...3, using: &random)
    item.size = Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : nil
    item.ratio = [-1.5, 0, 0.5, 2].randomElement(using: &random) ?? 0
    item.isDone = Bool.random(using: &random)
    item.color = Color.allCases.randomElement(using: &random) ?? .red
    item.second = Bool.random(using: &random) ? Color.allCases.randomElement(using: &random) : nil
    item.tags = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
      words.randomElement(using: &random)
    }
    item.numbers = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      Int.random(in: 0...2, using: &random)
    }
    item.due = Date(milliseconds: Int64.random(in: -2...2, using: &random))
    item.level = Level.allCases.randomElement(using: &random) ?? .low
    item.last = Bool.random(using: &random) ? Level.allCases.randomElement(using: &random) : nil
    item.colors = Color.allCases.filter { _ in Bool.random(using: &random) }
    item.marks =
      Bool.random(using: &random)
      ? Set([0, 1, 2].filter { _ in Bool.random(using: &random) }) : nil
    return item
  }

  /// Makes a store with items and links: some of them older than most fields, some hidden behind
  /// others with the same code, and some with values of other types.
  func filled(_ seed: UInt64) async throws -> Store {
    let store = try await self.store()
    try await fill(store, seed)
    let misfits = try await self.misfits()
    try await store.syncOnce(with: StorePeer(misfits))
    try await misfits.close()
    return store
  }

  /// Makes a store that defines fields with other types, later than the others have.
  func misfits() async throws -> Store {
    let store = try await Store.create(at: place.folder.appending(path: "misfits"))
    try await store.write { tx in
      try tx.define(
        Definition("items", [.text("count"), .text("size"), .integer("isDone"), .text("due")]))
      for number in 0..<4 {
        try tx.insert(
          "items", "misfit\(number)",
          ["count": "three", "size": "big", "isDone": 7, "due": "tomorrow"])
      }
    }
    return store
  }

  func fill(_ store: Store, _ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var items = (0..<40).map { _ in Self.item(&random) }
    for index in items.indices where Bool.random(using: &random) {
      items[index].parent =
        index % 9 == 0 ? "nobody" : items.randomElement(using: &random)?.id
    }
    let links = (0..<60).map { _ in
      Link(
        from: items.randomElement(using: &random)?.id ?? "",
        to: items.randomElement(using: &random)?.id ?? "",
        color: Color.allCases.randomElement(using: &random) ?? .red,
        strength: Double(Int.random(in: 0...3, using: &random)))
    }
    let made = items
    try await store.write { tx in
      try tx.insert(made)
      try tx.insert(links)
      for number in 0..<5 { try tx.insert("items", "old\(number)", ["name": "ab"]) }
      // Of a newer app, which knows more colors.
      for (number, color) in ["azure", "mauve", "zinc"].enumerated() {
        try tx.insert(
          "items", "newer\(number)",
          [
            "color": .text(color), "second": .text(color), "level": .text(color),
            "last": .text(color),
          ])
      }
      try tx.insert(Item(id: "mine", name: "mine", code: "same"))
    }
    let other = try await self.store("other")
    try await other.write { tx in
      try tx.insert(Item(id: "theirs", name: "theirs", isDone: true, code: "same"))
    }
    try await store.syncOnce(with: StorePeer(other))
    try await other.close()
  }

  // MARK: - Random conditions, each with its meaning in Swift

  typealias Predicate = (EntityCondition<Item>, (Item) -> Bool)

  /// All entities, for the meaning of conditions about relationships.
  struct World: Sendable {
    var items: [Item]
    var links: [Link]
  }

  /// Adds a random condition to a query.
  private static func narrowed(
    _ query: EntityQuery<Item>, _ random: inout SplitMix64, _ world: World, depth: Int = 3
  ) -> (query: EntityQuery<Item>, isMet: (Item) -> Bool) {
    var isMet: (Item) -> Bool = { _ in true }
    let narrowed = query.where { columns -> EntityCondition<Item> in
      let (condition, meaning) = condition(columns, &random, world, depth: depth)
      isMet = meaning
      return condition
    }
    return (narrowed, isMet)
  }

  private static func condition(
    _ columns: EntityColumns<Item>, _ random: inout SplitMix64, _ world: World, depth: Int
  ) -> Predicate {
    if depth > 0, Int.random(in: 0..<10, using: &random) < 6 {
      let (a, isA) = condition(columns, &random, world, depth: depth - 1)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return (!a, { !isA($0) })
      case 1:
        let (b, isB) = condition(columns, &random, world, depth: depth - 1)
        return (a && b, { isA($0) && isB($0) })
      default:
        let (b, isB) = condition(columns, &random, world, depth: depth - 1)
        return (a || b, { isA($0) || isB($0) })
      }
    }
    func isLess(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
    func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
    let word = words.randomElement(using: &random) ?? ""
    let number = Int.random(in: -1...3, using: &random)
    let color = Color.allCases.randomElement(using: &random) ?? .red
    let date = Date(timeIntervalSince1970: Double(Int.random(in: -40...40, using: &random)) / 16000)
    switch Int.random(in: 0..<9, using: &random) {
    case 0...2: return other(columns, &random, world)
    case 3...4: return followed(columns, &random, world)
    case 5: return cases(columns, &random)
    case 6: return folded(columns, &random)
    default: break
    }
    switch Int.random(in: 0..<26, using: &random) {
    case 0: return (columns.name == word, { same($0.name, word) })
    case 1: return (columns.name != word, { !same($0.name, word) })
    case 2: return (columns.name < word, { isLess($0.name, word) })
    case 3: return (columns.name >= word, { !isLess($0.name, word) })
    case 4: return (columns.note == nil, { $0.note == nil })
    case 5: return (columns.note != word, { item in item.note.map { !same($0, word) } ?? true })
    case 6: return (columns.note < word, { item in item.note.map { isLess($0, word) } ?? false })
    case 7: return (columns.count > number, { $0.count > number })
    case 8:
      return (
        columns.count.in(number...2 + abs(number)),
        { (number...2 + abs(number)).contains($0.count) }
      )
    case 9: return (columns.size == number, { $0.size == number })
    case 10: return (columns.size != nil, { $0.size != nil })
    case 11: return (columns.size <= number, { item in item.size.map { $0 <= number } ?? false })
    case 12: return (columns.size.in([nil, number]), { $0.size == nil || $0.size == number })
    case 13: return (columns.ratio < Double(number), { $0.ratio < Double(number) })
    case 14: return (columns.isDone.condition, { $0.isDone })
    case 15: return (!columns.isDone, { !$0.isDone })
    case 16: return (columns.color == color, { $0.color == color })
    case 17: return (columns.color.in([color, .blue]), { $0.color == color || $0.color == .blue })
    case 18: return (columns.second != color, { $0.second != color })
    case 19: return (columns.second == nil, { $0.second == nil })
    case 20:
      return (columns.tags.contains(word), { item in item.tags.contains { same($0, word) } })
    case 21: return (columns.numbers.contains(number), { $0.numbers.contains(number) })
    case 22:
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return (columns.due >= date, { $0.due >= date })
      case 1: return (columns.due > date, { $0.due > date })
      case 2: return (columns.due <= date, { $0.due <= date })
      case 3: return (columns.due < date, { $0.due < date })
      default:
        let end = date + Double(Int.random(in: 0...9, using: &random)) / 16000
        return (columns.due.in(date..<end), { (date..<end).contains($0.due) })
      }
    case 23:
      return (
        columns.name.hasPrefix(word), { Array($0.name.utf8).starts(with: Array(word.utf8)) }
      )
    case 24: return (columns.parent == nil, { $0.parent == nil })
    default: return (columns.count == columns.count, { _ in true })
    }
  }

  /// Conditions on parts of texts, between fields, and on relationships.
  private static func other(
    _ columns: EntityColumns<Item>, _ random: inout SplitMix64, _ world: World
  ) -> Predicate {
    let word = words.randomElement(using: &random) ?? ""
    let pattern = patterns.randomElement(using: &random) ?? ""
    let number = Int.random(in: -1...3, using: &random)
    let color = Color.allCases.randomElement(using: &random) ?? .red
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    let choice = Int.random(in: 0..<21, using: &random)
    switch choice {
    case 0: return (columns.name.like(pattern), { isLike($0.name, pattern) })
    case 1:
      return (columns.note.like(pattern), { $0.note.map { isLike($0, pattern) } ?? false })
    case 2: return (columns.name.hasSuffix(word), { bytes($0.name).hasSuffix(bytes(word)) })
    case 3:
      return (
        columns.note.hasSuffix(word), { $0.note.map { bytes($0).hasSuffix(bytes(word)) } ?? false }
      )
    case 4: return (columns.name.contains(word), { bytes($0.name).containsPart(bytes(word)) })
    case 5:
      return (
        columns.note.contains(word),
        { $0.note.map { bytes($0).containsPart(bytes(word)) } ?? false }
      )
    case 6:
      return (
        columns.note.hasPrefix(word),
        { $0.note.map { bytes($0).starts(with: bytes(word)) } ?? false }
      )
    case 7: return (columns.count < columns.count, { _ in false })
    case 8: return (columns.count >= columns.count, { _ in true })
    case 9: return (columns.note == columns.code, { bytesOrNil($0.note) == bytesOrNil($0.code) })
    case 10: return (columns.note != columns.code, { bytesOrNil($0.note) != bytesOrNil($0.code) })
    default: return linked(choice, columns, world, number: number, color: color)
    }
  }

  private static let patterns = [
    "", "%", "_", "a%", "%B", "A_", "%é%", "_%_", "z\\_%", "%\u{301}", "😀", "é",
  ]

  private static func bytesOrNil(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

  /// Whether a text has the form of a pattern, by the rules of SQL.
  private static func isLike(_ text: String, _ pattern: String) -> Bool {
    func scalars(_ text: String) -> ArraySlice<Unicode.Scalar> {
      text.unicodeScalars.prefix { $0 != "\0" }.map { scalar in
        scalar.isASCII ? Unicode.Scalar(UInt8(scalar.value)).lowercased : scalar
      }[...]
    }
    func matches(_ text: ArraySlice<Unicode.Scalar>, _ form: ArraySlice<Unicode.Scalar>) -> Bool {
      guard let first = form.first else { return text.isEmpty }
      switch first {
      case "%":
        return (text.startIndex...text.endIndex).contains { matches(text[$0...], form.dropFirst()) }
      case "_": return !text.isEmpty && matches(text.dropFirst(), form.dropFirst())
      default: return text.first == first && matches(text.dropFirst(), form.dropFirst())
      }
    }
    return matches(scalars(text), scalars(pattern))
  }

  @Test("random queries give what filters and sorts in Swift give", arguments: 1...4)
  func random(seed: UInt64) async throws {
    defer { place.remove() }
    let store = try await filled(seed)
    #expect(try await store.hidden(in: "items", id: "misfit0").all().count == 4)
    let items = try await store.fetch(Item.all.order(by: \.id))
    #expect(items.count == 53 && !items.contains { $0.id == "old9" })
    #expect(Set(items.map(\.id)).intersection(["mine", "theirs"]).count == 1)
    for item in items { #expect(try await store.fetch(item.id) == item) }
    let links = try await store.fetch(Link.all)
    let world = World(items: items, links: links)
    var random = SplitMix64(seed: seed &+ 77)
    try await store.read { [random] db in
      var random = random
      var tooDeep = 0
      defer { #expect(tooDeep * 20 < Self.queryCount, "\(tooDeep) queries are nested too deeply") }
      for _ in 0..<Self.queryCount {
        var (query, isMet) = Self.narrowed(Item.all, &random, world)
        var expected = items.filter(isMet)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          let color = Color.allCases.randomElement(using: &random) ?? .red
          let starts = Set(expected.map(\.id))
          let isForward = Bool.random(using: &random)
          let followed = links.filter { $0.color == color || $0.strength > 1 }
          if isForward {
            query = query.related(via: Link.self) { $0.color == color || $0.strength > 1 }
          } else {
            query = query.relating(via: Link.self) { $0.color == color || $0.strength > 1 }
          }
          let ends = Set(
            followed.filter { starts.contains(isForward ? $0.from : $0.to) }
              .map { isForward ? $0.to : $0.from })
          expected = items.filter { ends.contains($0.id) }
          if Int.random(in: 0..<3, using: &random) == 0 {
            (query, isMet) = Self.narrowed(query, &random, world, depth: 1)
            expected = expected.filter(isMet)
          }
        }
        // SQLite's parser has room for a hundred levels, and few conditions need more.
        do { _ = try query.fetchCount(db) } catch let error as StoreError
          where error.message.contains("too deeply")
        {
          tooDeep += 1
          continue
        }
        try Self.compareGroups(query, expected, Int.random(in: 0...3, using: &random), db)
        (query, expected) = Self.ordered(query, expected, &random, world)
        if let last = expected.first {
          #expect(try query.after(last).fetchAll(db) == Array(expected.dropFirst()), "\(query.sql)")
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
          let (limit, offset) = (
            Int.random(in: 0...8, using: &random), Int.random(in: 0...4, using: &random)
          )
          query = query.offset(offset)
          expected = Array(expected.dropFirst(offset))
          if Bool.random(using: &random) {
            query = query.limit(limit)
            expected = Array(expected.prefix(limit))
          }
        }
        let found = try query.fetchAll(db)
        if found != expected { Issue.record("\(query.sql): \(found.count), not \(expected.count)") }
        try Self.compareAggregates(query, expected, db)
      }
    }
    random = SplitMix64(seed: 0)
    try await store.close()
  }

  private static func compareAggregates(
    _ query: EntityQuery<Item>, _ expected: [Item], _ db: Database
  ) throws {
    #expect(try query.fetchCount(db) == expected.count, "\(query.sql)")
    #expect(try query.fetchOne(db) == expected.first, "\(query.sql)")
    #expect(try query.sum(of: \.count).fetch(db) == expected.reduce(0) { $0 + $1.count })
    #expect(try query.max(of: \.ratio).fetch(db) == expected.map(\.ratio).max())
    #expect(try query.min(of: \.ratio).fetch(db) == expected.map(\.ratio).min())
    #expect(try query.min(of: \.due).fetch(db) == expected.map(\.due).min())
    // An optional property: entities without a value do not count.
    let sizes = expected.compactMap(\.size)
    #expect(try query.sum(of: \.size).fetch(db) == sizes.reduce(0, +))
    #expect(try query.min(of: \.size).fetch(db) == sizes.min())
    #expect(try query.max(of: \.size).fetch(db) == sizes.max())
    let meanSize = try query.average(of: \.size).fetch(db)
    let expectedMean =
      sizes.isEmpty ? nil : sizes.reduce(0.0) { $0 + Double($1) / Double(sizes.count) }
    #expect((meanSize == nil) == (expectedMean == nil))
    #expect(abs((meanSize ?? 0) - (expectedMean ?? 0)) < 1e-9)
    let first = expected.map { Array($0.name.utf8) }.min { $0.lexicographicallyPrecedes($1) }
    #expect(bytesOrNil(try query.min(of: \.name).fetch(db)) == first)
    let average = try query.average(of: \.count).fetch(db)
    let sum = expected.reduce(0) { $0 + $1.count }
    if expected.isEmpty {
      #expect(average == nil)
    } else {
      #expect(abs((average ?? .nan) - Double(sum) / Double(expected.count)) < 1e-9)
    }
  }

  /// Compares groups: by a number with a condition on each group, and by a text that may be nil.
  private static func compareGroups(
    _ query: EntityQuery<Item>, _ expected: [Item], _ least: Int, _ db: Database
  ) throws {
    let byCount = Dictionary(grouping: expected, by: \.count).filter { $0.value.count > least }
    let sums = try query.grouped(by: \.count).having { $0.count > least }
      .aggregate { $0.sum(of: \.count) }.fetch(db)
    #expect(sums.map(\.key) == byCount.keys.sorted(), "\(query.sql)")
    for (key, sum) in sums { #expect(sum == key * (byCount[key]?.count ?? 0)) }
    let greatest = try query.grouped(by: \.count).having { $0.min(of: \.ratio) <= 0.0 }
      .aggregate { $0.max(of: \.ratio) }.fetch(db)
    let ratios = Dictionary(grouping: expected, by: \.count).mapValues { $0.map(\.ratio) }
      .filter { ($0.value.min() ?? 1) <= 0 }
    #expect(greatest.map(\.key) == ratios.keys.sorted(), "\(query.sql)")
    for (key, value) in greatest { #expect(value == ratios[key]?.max()) }
    let sized = Dictionary(grouping: expected, by: \.count).mapValues { $0.compactMap(\.size) }
    for (key, value) in try query.grouped(by: \.count).aggregate({ $0.max(of: \.size) }).fetch(db) {
      #expect(value == sized[key]?.max(), "\(query.sql)")
    }
    for (key, value) in try query.grouped(by: \.count).aggregate({ $0.sum(of: \.size) }).fetch(db) {
      #expect(value == sized[key]?.reduce(0, +), "\(query.sql)")
    }
    let byColor = Dictionary(grouping: expected, by: \.color).mapValues(\.count)
    let colors = try query.grouped(by: \.color).order(.descending) { $0.count }.count().fetch(db)
    let sortedColors = byColor.sorted {
      ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
    }
    #expect(colors.map(\.key) == sortedColors.map(\.key), "\(query.sql)")
    #expect(colors.map(\.value) == sortedColors.map(\.value), "\(query.sql)")
    let levels = try query.grouped(by: \.last).count().fetch(db)
    let byLast = Dictionary(grouping: expected, by: \.last).mapValues(\.count)
    #expect(levels.count == byLast.count && levels.allSatisfy { byLast[$0.key] == $0.value })
    let names = try query.selecting(\.level).distinct().fetchAll(db)
    #expect(
      names.count == Set(expected.map(\.level)).count && Set(names) == Set(expected.map(\.level)))
    let byNote = Dictionary(grouping: expected) { bytesOrNil($0.note) }
    let notes = try query.grouped(by: \.note).count().fetch(db)
    #expect(notes.count == byNote.count, "\(query.sql)")
    for (key, count) in notes { #expect(count == byNote[bytesOrNil(key)]?.count) }
  }

  /// Adds an order.
  private static func ordered(
    _ query: EntityQuery<Item>, _ items: [Item], _ random: inout SplitMix64, _ world: World
  ) -> (EntityQuery<Item>, [Item]) {
    func byID(_ a: Item, _ b: Item) -> Bool { a.id < b.id }
    func sorted<K>(_ key: (Item) -> K, _ isLess: (K, K) -> Bool, _ isDown: Bool) -> [Item] {
      items.sorted { a, b in
        if isLess(key(a), key(b)) { return !isDown }
        if isLess(key(b), key(a)) { return isDown }
        return byID(a, b)
      }
    }
    let isDown = Bool.random(using: &random)
    let direction: SortDirection = isDown ? .descending : .ascending
    func orNil<T: Comparable>(_ a: T?, _ b: T?) -> Bool {
      guard let b else { return false }
      return a.map { $0 < b } ?? true
    }
    func folded(_ text: String) -> [UInt8] {
      Array(text.lowercased().precomposedStringWithCanonicalMapping.utf8)
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 10: return (query.order(by: \.level, direction), sorted(\.level, <, isDown))
    case 11: return (query.order(by: \.last, direction), sorted(\.last, orNil, isDown))
    case 12:
      return (
        query.order(direction) { $0.name.folded },
        sorted({ folded($0.name) }, { $0.lexicographicallyPrecedes($1) }, isDown)
      )
    case 7:
      return (
        query.order(direction) { $0.parent.size },
        sorted({ world.parent(of: $0)?.size }, orNil, isDown)
      )
    case 8:
      return (
        query.order(direction) { $0.parent.color },
        sorted({ world.parent(of: $0)?.color.rawValue }, orNil, isDown)
      )
    case 9:
      return (
        query.order(direction) { $0.parent.parent.id },
        sorted(
          { world.parent(of: $0).flatMap { world.parent(of: $0)?.id } }, orNil, isDown)
      )
    case 5: return (query.order(by: \.color, direction), sorted(\.color.rawValue, <, isDown))
    case 6:
      return (query.order(by: \.second, direction), sorted(\.second?.rawValue, orNil, isDown))
    case 0:
      return (
        query.order(by: \.name, direction),
        sorted({ Array($0.name.utf8) }, { $0.lexicographicallyPrecedes($1) }, isDown)
      )
    case 1: return (query.order(by: \.size, direction), sorted(\.size, orNil, isDown))
    case 2: return (query.order(by: \.due, direction), sorted(\.due, <, isDown))
    case 3: return (query.order(by: \.id, direction), sorted(\.id, <, isDown))
    default: return (query.order(by: \.id), items.sorted(by: byID))
    }
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    reversed().starts(with: suffix.reversed())
  }

  fileprivate func containsPart(_ part: [UInt8]) -> Bool {
    part.isEmpty || indices.contains { self[$0...].starts(with: part) }
  }
}

extension Unicode.Scalar {
  fileprivate var lowercased: Unicode.Scalar {
    ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
  }
}
