import Foundation
import Testing

/// Rules of the project that can be checked in the text of the sources.
@Suite struct SourceTests {
  @Test("a target imports only modules that it declares, of this package and of others")
  func imports() throws {
    let targets = try SourceTree.targets()
    let modules = try SourceTree.foreignModules().union(targets.map(\.name))
    #expect(modules.count > 20)
    for target in targets {
      for file in SourceTree.files(below: target.path, ending: ".swift")
      where !file.contains(".docc/") {
        for line in try SourceTree.text(file).split(separator: "\n") {
          guard let match = line.firstMatch(of: /^(?:@\w+ )?(?:\w+ )?import (?:\w+ )?(\w+)/)
          else { continue }
          let module = String(match.1)
          guard modules.contains(module), module != target.name else { continue }
          #expect(
            target.dependencies.contains(module),
            "\(file) imports \(module), which \(target.name) does not declare in Package.swift")
        }
      }
    }
  }

  @Test(
    "a target is built without what its users do not need",
    arguments: [
      ("", ["HubZone", "HubServer", "HubClient", "Interchange", "Simulation"]),
      ("HubZone", ["Interchange", "Simulation"]),
      ("HubClient", ["HubZone", "HubServer", "Interchange", "Simulation"]),
      ("Notes", ["HubZone", "Interchange", "NotesMarkdown", "Simulation"]),
      ("Replication", ["LogEngine", "Projections"]), ("Projections", ["LogEngine"]),
      ("Interchange", ["HubServer", "HubClient", "Notes", "Simulation"]),
      ("GQL", ["HubServer", "HubClient", "Interchange", "Notes"]),
      ("RDF", ["HubServer", "HubClient", "Interchange", "Notes"]),
    ])
  func closure(suffix: String, others: [String]) throws {
    let (name, unneeded) = ("Daybook" + suffix, others.map { "Daybook" + $0 })
    let targets = try SourceTree.targets()
    var needed: Set = [name]
    while true {
      let all = targets.filter { needed.contains($0.name) }.map(\.dependencies)
        .reduce(needed) { $0.union($1) }
      if all == needed { break }
      needed = all
    }
    #expect(needed.contains("DaybookEventCore"))
    #expect(needed.isDisjoint(with: unneeded), "\(name) needs \(needed.sorted())")
  }

  @Test("only the transport of the trait NIOClient needs SwiftNIO in a hub's client")
  func clientWithoutNIO() throws {
    let manifest = try SourceTree.text("Package.swift")
    #expect(manifest.matches(of: /"AsyncHTTPClient"/).count == 1)
    let client = try #require(SourceTree.targets().first { $0.name == "DaybookHubClient" })
    #expect(client.dependencies.isDisjoint(with: ["Hummingbird", "HTTPTypes", "ServiceLifecycle"]))
    for file in SourceTree.files(below: "Sources/HubClient", ending: ".swift") {
      let text = try SourceTree.text(file)
      guard text.contains(/import (?:NIO|AsyncHTTPClient)/) else { continue }
      #expect(
        text.hasPrefix("#if NIOClient && os(Linux)\n") && text.hasSuffix("#endif\n"), "\(file)")
    }
  }

  @Test("a module of a library begins with Daybook, so that no module of an app has its name")
  func names() throws {
    let manifest = try SourceTree.text("Package.swift")
    for match in manifest.matches(of: /\.library\(name: "(\w+)", targets: \["(\w+)"\]\)/) {
      #expect(match.1.hasPrefix("Daybook") && match.1 == match.2)
    }
    let modules = manifest.matches(of: /\.(?:target|systemLibrary|macro)\(\s*name: "(\w+)"/)
    #expect(modules.count > 25)
    for module in modules { #expect(module.1.hasPrefix("Daybook")) }
  }

  @Test("every target except tests has a line in the README's map")
  func map() throws {
    let readme = try SourceTree.text("README.md")
    let rows = readme.split(separator: "\n").filter { $0.hasPrefix("|") }
    let named = Set(rows.flatMap { $0.matches(of: /`([A-Z][\w\/]+)`/).map { String($0.1) } })
    for target in try SourceTree.targets() where !target.path.hasPrefix("Tests/") {
      let isNamed = named.contains { target.path == $0 || target.path.hasPrefix($0 + "/") }
      #expect(isNamed, "\(target.path) has no row in README's table “Where things are”")
    }
  }

  @Test("sections of a file are marked in one way")
  func marks() throws {
    for file in SourceTree.swiftFiles where !file.hasPrefix("Tests/SourceTests") {
      for line in try SourceTree.text(file).split(separator: "\n") where line.contains("// MARK") {
        #expect(line.contains("// MARK: - "), "\(file): \(line)")
      }
    }
  }

  @Test("no file of Swift is longer than 450 lines, and of tests 550")
  func fileLength() throws {
    for folder in ["Sources", "Campaigns", "Tools", "Tests"] {
      for file in SourceTree.files(below: folder, ending: ".swift") {
        let count = try SourceTree.text(file).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count
        #expect(
          count <= (folder == "Tests" ? 550 : 450),
          "\(file) has \(count) lines: split it by what it is about")
      }
    }
  }

  @Test("no function is longer than 70 lines, except the blocks of README.md")
  func functionLength() throws {
    let quotes = "\"\"\""
    var count = 0
    for folder in ["Sources", "Campaigns", "Tools", "Tests"] {
      for file in SourceTree.files(below: folder, ending: ".swift")
      where !file.contains(".docc/") && file != "Tests/ReadmeSample/main.swift" {
        var begun: (indent: Int, number: Int)?
        var isText = false
        let lines = try SourceTree.text(file).split(
          separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
          // What looks like code in a text of several lines is none.
          let wasText = isText
          if line.contains(quotes), line.ranges(of: quotes).count == 1 { isText.toggle() }
          if wasText { continue }
          let indent = line.prefix { $0 == " " }.count
          if line.contains("func ") || line.contains("init"),
            line.contains(/^ *(?:[a-z@]+(?:\([a-zA-Z]+\))? )*(?:func |init[?(<]|deinit\b)/)
          {
            begun = (indent, number)
          }
          // A requirement of a protocol has no body, and ends at the next empty line.
          if line.isEmpty, let start = begun,
            lines[start.number..<number].allSatisfy({
              !$0.hasSuffix("{")
            })
          {
            begun = nil
          }
          guard let start = begun, indent == start.indent, line.dropFirst(indent).hasPrefix("}")
          else { continue }
          count += 1
          let length = number - start.number + 1
          #expect(length <= 70, "\(file):\(start.number + 1) has \(length) lines")
          begun = nil
        }
      }
    }
    #expect(count > 8000)
  }

  @Test("no line of Swift is longer than 100 characters, except those of the samples")
  func lineLength() throws {
    var count = 0
    for folder in ["Sources", "Campaigns", "Tools", "Tests"] {
      for file in SourceTree.files(below: folder, ending: ".swift")
      where !["Tests/ReadmeSample/main.swift", "Tests/TypedNotesSample/main.swift"].contains(file) {
        count += 1
        let lines = try SourceTree.text(file).split(
          separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
          #expect(line.count <= 100, "\(file):\(number + 1) has \(line.count) characters")
        }
      }
    }
    #expect(count > 500)
  }
}
