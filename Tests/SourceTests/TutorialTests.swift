import Foundation
import Testing

/// The Swift code of the catalog of the documentation: the tutorial's steps, and the articles.
@Suite(.enabled(if: BuiltModules.hasMacros, "the macros need the trait Macros"))
struct TutorialTests {
  private static let catalog = "Sources/Daybook/Daybook.docc"
  private static let steps = SourceTree.files(below: catalog + "/Resources", ending: ".swift")
    .filter { $0.contains("/step-") }
  private static let articles = SourceTree.files(below: catalog + "/Articles", ending: ".md")

  @Test("every step of the tutorial is a program that compiles without a warning", arguments: steps)
  func step(file: String) throws {
    let path = SourceTree.root.appending(path: file).path
    let complaints = try BuiltModules().complaints(about: [path])
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test("the tutorial has ten steps, and shows each of them in order")
  func order() throws {
    #expect(Self.steps.count == 10)
    let text = try SourceTree.text(Self.catalog + "/Tutorials/Synced-Notes.tutorial")
    let shown = text.matches(of: /file: "(step-\d\d\.swift)"/).map {
      Self.catalog + "/Resources/\($0.1)"
    }
    #expect(shown == Self.steps)
  }

  @Test("the program that a test of hubs runs is the last step of the tutorial")
  func lastStep() throws {
    let step = try SourceTree.text(try #require(Self.steps.last))
    let sample = try SourceTree.text("Tests/TutorialSample/main.swift")
    #expect(sample.hasSuffix("\n#if Macros\n\(step)#endif\n"))
  }

  @Test("the sample package compiles without a warning")
  func sample() throws {
    let files = SourceTree.files(below: "Samples/TypedNotes/Sources", ending: ".swift")
    #expect(files.contains { $0.hasSuffix("/main.swift") })
    let paths = files.map { SourceTree.root.appending(path: $0).path }
    for settings in [[], ["-DSAMPLE_RUNS"]] {
      let complaints = try BuiltModules().complaints(about: settings + paths)
      #expect(complaints.isEmpty, "\(complaints)")
    }
  }

  @Test("the program that a test runs is the sample package")
  func runningSample() throws {
    for file in SourceTree.files(below: "Samples/TypedNotes/Sources", ending: ".swift") {
      let name = URL(filePath: file).lastPathComponent
      let copy = try SourceTree.text("Tests/TypedNotesSample/\(name)")
      #expect(copy.hasSuffix("\n#if Macros\n\(try SourceTree.text(file))#endif\n"), "\(name)")
    }
  }

  @Test(
    "a manifest for an app compiles, and names products that there are",
    arguments: [catalog + "/Resources/package.swift", "Samples/TypedNotes/Package.swift"])
  func manifest(file: String) throws {
    let info = try BuiltModules.run("swiftc", ["-print-target-info"]).output
    let resources = try #require(info.firstMatch(of: /"runtimeResourcePath": "([^"]+)"/)).1
    let run = try BuiltModules.run(
      "swiftc",
      ["-typecheck", "-package-description-version", "6.2", "-I", "\(resources)/pm/ManifestAPI"]
        + [SourceTree.root.appending(path: file).path])
    #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    let text = try SourceTree.text(file)
    let products = text.matches(of: /\.product\(name: "(\w+)"/).map { $0.1 }
    #expect(products == ["Daybook", "DaybookMacros", "DaybookHubClient"])
    let own = try SourceTree.text("Package.swift")
    for product in products { #expect(own.contains(".library(name: \"\(product)\"")) }
    #expect(text.contains("traits: [\"Macros\", \"NIOClient\"]"))
    #expect(own.contains(".trait(name: \"Macros\"") && own.contains("name: \"NIOClient\""))
  }

  @Test("the Swift blocks of an article compile without a warning", arguments: articles)
  func article(file: String) throws {
    let blocks = try Self.blocks(of: file)
    #expect(!blocks.isEmpty)
    let types = try Self.blocks(of: Self.catalog + "/Articles/TypesAndWrites.md")[0]
    #expect(types.hasPrefix("@Entity"))
    // Each block stands for itself, with the types of the first article and these names.
    // Types with macros cannot stand in a function.
    let own = blocks.filter { $0 != types && $0.hasPrefix("@Entity") }
    let bodies = blocks.filter { $0 != types && !own.contains($0) }.map { "do {\n\($0)}\n" }
    let program = """
      import Daybook
      import DaybookMacros
      import Foundation
      \(types)
      \(own.joined())
      func article(
        _ store: Store, _ folder: URL, _ milk: Note, _ list: Note, _ lastWeek: Date
      ) async throws {
      \(bodies.joined())}
      """
    let source = FileManager.default.temporaryDirectory.appending(path: "article-\(UUID()).swift")
    try Data(program.utf8).write(to: source)
    defer { try? FileManager.default.removeItem(at: source) }
    let complaints = try BuiltModules().complaints(about: [source.path])
    #expect(complaints.isEmpty, "\(complaints)")
  }

  private static func blocks(of file: String) throws -> [String] {
    try SourceTree.text(file).components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }
}
