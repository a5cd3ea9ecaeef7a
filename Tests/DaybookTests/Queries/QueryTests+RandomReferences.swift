import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

extension QueryTests.World {
  func item(_ id: QueryTests.Item.ID?) -> QueryTests.Item? { items.first { $0.id == id } }

  /// What an item refers to, if it is there.
  func parent(of item: QueryTests.Item) -> QueryTests.Item? { self.item(item.parent) }
}

/// Random conditions that follow references, ask other queries and count what refers to an item.
extension QueryTests {
  private static func isLess(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  static func followed(
    _ columns: EntityColumns<Item>, _ random: inout SplitMix64, _ world: World
  ) -> Predicate {
    func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
    let up = { world.parent(of: $0) }
    let word = words.randomElement(using: &random) ?? ""
    let number = Int.random(in: -1...3, using: &random)
    let color = Color.allCases.randomElement(using: &random) ?? .red
    let choice = Int.random(in: 0..<24, using: &random)
    switch choice {
    case 0:
      return (columns.parent.name == word, { up($0).map { same($0.name, word) } ?? false })
    case 1: return (columns.parent.name != word, { up($0).map { !same($0.name, word) } ?? true })
    case 2:
      return (columns.parent.name >= word, { up($0).map { !isLess($0.name, word) } ?? false })
    case 3: return (columns.parent.note == nil, { up($0)?.note == nil })
    case 4: return (columns.parent.size > number, { (up($0)?.size).map { $0 > number } ?? false })
    case 5: return (columns.parent.isDone == true, { up($0)?.isDone == true })
    case 6: return (columns.parent.isDone != false, { up($0)?.isDone != false })
    case 7: return (columns.parent.color == color, { up($0)?.color == color })
    case 8: return (columns.parent.color != color, { up($0)?.color != color })
    case 9: return (columns.parent.second == nil, { up($0)?.second == nil })
    case 10:
      return (
        columns.parent.tags.contains(word),
        { up($0)?.tags.contains { same($0, word) } ?? false }
      )
    case 11:
      return (
        columns.parent.parent.name.hasPrefix(word),
        { item in
          guard let name = up(item).flatMap(up)?.name else { return false }
          return Array(name.utf8).starts(with: Array(word.utf8))
        }
      )
    case 12:
      return (
        columns.parent[\.count] <= number, { up($0).map { $0.count <= number } ?? false }
      )
    case 13: return (columns.parent.parent == nil, { up($0)?.parent == nil })
    case 14: return (columns.parent.id == nil, { up($0) == nil })
    case 15:
      return (
        columns.parent.in(Item.where { $0.count == number }),
        { up($0)?.count == number }
      )
    case 16:
      return (
        columns.id.in(Item.where { $0.parent.color == color }), { up($0)?.color == color }
      )
    default: return referring(choice, columns, world, word: word, number: number, color: color)
    }
  }

  /// Conditions on what refers to an item.
  private static func referring(
    _ choice: Int, _ columns: EntityColumns<Item>, _ world: World, word: String, number: Int,
    color: Color
  ) -> Predicate {
    let (links, up) = (world.links, { world.parent(of: $0) })
    switch choice {
    case 17:
      return (
        columns.id.has(to: Link.self) { $0.color == color },
        { item in links.contains { $0.to == item.id && $0.color == color } }
      )
    case 18:
      return (
        columns.id.count(to: Link.self) { $0.strength < Double(number) } == 1,
        { item in links.count { $0.to == item.id && $0.strength < Double(number) } == 1 }
      )
    case 19:
      return (
        columns.id.has(Link.self) { $0.to.parent.name >= word },
        { item in
          links.contains { link in
            link.from == item.id
              && (world.item(link.to).flatMap(up).map { !isLess($0.name, word) } ?? false)
          }
        }
      )
    case 20:
      return (
        columns.id.has(to: Link.self) { $0.from.color == columns.parent.color },
        { item in
          links.contains { $0.to == item.id && world.item($0.from)?.color == up(item)?.color }
        }
      )
    case 21:
      return (
        columns.id.isReferenced(by: \Item.parent) { $0.color == color && $0.parent.size > number },
        { item in
          item.size.map { $0 > number } ?? false
            && world.items.contains { $0.parent == item.id && $0.color == color }
        }
      )
    case 22:
      return (
        columns.id.count(by: \Item.parent) == number,
        { item in world.items.count { $0.parent == item.id } == number }
      )
    default:
      return (
        columns.parent.parent.in(Item.where { $0.color == color }.order(by: \.id).limit(5)),
        { item in
          let first = world.items.filter { $0.color == color }.prefix(5)
          return up(item).map { parent in first.contains { $0.id == parent.parent } } ?? false
        }
      )
    }
  }

  /// Conditions on relationships.
  static func linked(
    _ choice: Int, _ columns: EntityColumns<Item>, _ world: World, number: Int, color: Color
  ) -> Predicate {
    let links = world.links
    switch choice {
    case 11:
      return (
        columns.id.count(of: Link.self) > number,
        { item in links.count { $0.from == item.id } > number }
      )
    case 12:
      return (
        columns.id.count(to: Link.self) == number,
        { item in links.count { $0.to == item.id } == number }
      )
    case 13:
      return (
        columns.id.count(of: Link.self) { $0.color == color } >= columns.id.count(to: Link.self),
        { item in
          links.count { $0.from == item.id && $0.color == color }
            >= links.count { $0.to == item.id }
        }
      )
    case 14: return (columns.id.has(Link.self), { item in links.contains { $0.from == item.id } })
    case 15:
      return (
        columns.id.has(Link.self) { $0.color != color && $0.strength < Double(number) },
        { item in
          links.contains {
            $0.from == item.id && $0.color != color && $0.strength < Double(number)
          }
        }
      )
    case 16:
      let parents = Set(world.items.compactMap(\.parent))
      return (columns.id.isReferenced(by: \Item.parent), { parents.contains($0.id) })
    case 17:
      return (
        columns.id.has(Link.self) { $0.to.has(Link.self) { $0.color == color } },
        { item in
          links.contains { link in
            link.from == item.id && links.contains { $0.from == link.to && $0.color == color }
          }
        }
      )
    case 18:
      return (
        columns.id.count(of: Link.self) { $0.from.count(of: Link.self) > number } > number,
        { item in links.count { $0.from == item.id } > number }
      )
    case 19:
      return (
        columns.id.has(Link.self) { near in
          near.to.has(Link.self) { $0.strength < near.strength }
        },
        { item in
          links.contains { near in
            near.from == item.id
              && links.contains { $0.from == near.to && $0.strength < near.strength }
          }
        }
      )
    default:
      let ids = Set(world.items.filter { $0.count == number }.map(\.id))
      return (columns.id.in(ids), { ids.contains($0.id) })
    }
  }
}

/// Random conditions on enumerations, sets, optional ranges, and texts without case.
extension QueryTests {
  static func cases(_ columns: EntityColumns<Item>, _ random: inout SplitMix64) -> Predicate {
    let level = Level.allCases.randomElement(using: &random) ?? .low
    let color = Color.allCases.randomElement(using: &random) ?? .red
    let number = Int.random(in: -1...3, using: &random)
    func isLast(_ isMet: @escaping (Level) -> Bool) -> (Item) -> Bool {
      { item in item.last.map(isMet) ?? false }
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0: return (columns.level < level, { $0.level < level })
    case 1: return (columns.level <= level, { $0.level <= level })
    case 2: return (columns.level > level, { $0.level > level })
    case 3: return (columns.level >= level, { $0.level >= level })
    case 4: return (columns.level.in(.low...level), { (.low...level).contains($0.level) })
    case 5: return (columns.last < level, isLast { $0 < level })
    case 6: return (columns.last >= level, isLast { $0 >= level })
    case 7: return (columns.last.in(level ... .high), isLast { (level ... .high).contains($0) })
    case 8: return (columns.last.in([level, nil]), { $0.last == level || $0.last == nil })
    case 9: return (columns.colors.contains(color), { $0.colors.contains(color) })
    case 10: return (columns.marks.contains(number), { $0.marks?.contains(number) ?? false })
    case 11: return (columns.color == columns.color, { _ in true })
    default:
      let range = number...number + 1
      return (columns.size.in(range), { item in item.size.map(range.contains) ?? false })
    }
  }

  static func folded(_ columns: EntityColumns<Item>, _ random: inout SplitMix64) -> Predicate {
    let word = words.randomElement(using: &random) ?? ""
    // Characters of Swift are the same in all forms of Unicode.
    func same(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }
    func bytes(_ text: String) -> [UInt8] {
      Array(text.lowercased().precomposedStringWithCanonicalMapping.utf8)
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return (columns.name.folded == word, { same($0.name, word) })
    case 1:
      return (columns.note.folded != word, { item in item.note.map { !same($0, word) } ?? true })
    case 2:
      return (
        columns.name.folded < word, { bytes($0.name).lexicographicallyPrecedes(bytes(word)) }
      )
    case 3:
      return (
        columns.note.folded.in([word, "a"]),
        { item in item.note.map { same($0, word) || same($0, "a") } ?? false }
      )
    case 4:
      return (columns.name.folded.hasPrefix(word), { bytes($0.name).starts(with: bytes(word)) })
    case 5:
      return (
        columns.name.folded.contains(word),
        { item in
          let (text, part) = (bytes(item.name), bytes(word))
          return part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
        }
      )
    default:
      return (
        columns.note.folded == columns.code.folded,
        { item in item.note.map(bytes) == item.code.map(bytes) }
      )
    }
  }
}
