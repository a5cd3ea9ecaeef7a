import Foundation
import Testing

/// The order of the folders of a module, as docs/architecture.md lists it.
@Suite struct FolderTests {
  /// A module's row of the table: its folders from the bottom up, and the arrows that may run up.
  private struct Order {
    var module: String
    var folders: [String]
    var exceptions: Set<String>
  }

  private static func orders() throws -> [Order] {
    let text = try SourceTree.text("docs/architecture.md")
    return text.matches(of: /\| `Sources\/(\w+)` \| ([^|]+) \| ([^|]+) \|/).map { match in
      Order(
        module: String(match.1), folders: match.2.split(separator: " · ").map(String.init),
        exceptions: Set(match.3.split(separator: ", ").filter { $0 != "none" }.map(String.init)))
    }
  }

  /// The types that the files of a module declare outside of other types, with their folders.
  private static func types(_ files: [String: Substring]) -> [Substring: String] {
    let line =
      #/
      (?m) ^ (?:@\w+\ )* (?:(?:public|package|final|indirect)\ )*
      (?:struct|class|enum|actor|protocol|typealias)\ (\w+)
      /#
    var types: [Substring: String] = [:]
    for (file, text) in files {
      for match in text.matches(of: line) { types[match.1] = folder(of: file) }
    }
    return types
  }

  private static func folder(of file: String) -> String {
    let parts = file.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : "."
  }

  /// The code of a file, without comments and texts.
  private static func code(_ file: String) throws -> Substring {
    let text = try SourceTree.text(file)
    return Substring(
      text.replacing(/"""(?s:.*?)"""/, with: "").replacing(/\/\/[^\n]*/, with: "")
        .replacing(/"(?:\\.|[^"\\\n])*"/, with: ""))
  }

  /// A name that may be one of a type. A point within a name ends it, unlike a word of Unicode.
  private static var name: Regex<Substring> {
    /\b[A-Z]\w+\b/.wordBoundaryKind(.simple)
  }

  /// The number of arrows that run up. It may only fall.
  private static let arrowsMax = 21

  @Test("docs/architecture.md lists no more arrows that run up than before")
  func number() throws {
    let count = try Self.orders().reduce(0) { $0 + $1.exceptions.count }
    #expect(
      count <= Self.arrowsMax, "a new arrow runs up: move what it needs to a folder below instead")
    #expect(
      count >= Self.arrowsMax, "fewer arrows run up: lower `arrowsMax` in this file to \(count)")
  }

  @Test("a folder uses the types of the folders below it, but for the arrows on the list")
  func arrows() throws {
    let orders = try Self.orders()
    #expect(orders.map(\.module) == ["Engine", "Peers", "Daybook", "Projections"])
    for order in orders {
      let names = SourceTree.files(below: "Sources/\(order.module)", ending: ".swift")
        .filter { !$0.contains(".docc/") }
      let files = try Dictionary(uniqueKeysWithValues: names.map { ($0, try Self.code($0)) })
      let types = Self.types(files)
      let folders = Set(names.map(Self.folder)).subtracting(["."])
      #expect(folders == Set(order.folders), "the folders of \(order.module)")
      let heights = Dictionary(
        uniqueKeysWithValues: order.folders.enumerated().map { ($1, $0) })
      var found: Set<String> = []
      for (file, text) in files {
        guard let height = heights[Self.folder(of: file)] else { continue }
        for word in text.matches(of: Self.name) {
          guard let other = types[word.output], let top = heights[other], top > height else {
            continue
          }
          let arrow = "\(Self.folder(of: file)) → \(other)"
          found.insert(arrow)
          #expect(
            order.exceptions.contains(arrow),
            "\(file) uses \(word.output) of \(other), which is above it in docs/architecture.md")
        }
      }
      #expect(
        found == order.exceptions,
        "arrows that docs/architecture.md lists and nothing needs any more")
    }
  }
}
