import Daybook
import DaybookRDF
import Foundation
import Testing

/// The page about RDF says what the code does.
@Suite struct RDFPageTests {
  @Test("the Swift of docs/rdf.md runs")
  func swift() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let folder = URL.temporaryDirectory.appending(path: "rdf-page-\(UUID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let url = folder.appending(path: "people.ttl")
      try "@prefix p: <http://a.example/> . p:ann a p:Person .".write(
        to: url, atomically: true, encoding: .utf8)
      let out = folder.appending(path: "out.ttl")
      #expect(FileManager.default.createFile(atPath: out.path, contents: nil))
      let file = try FileHandle(forWritingTo: out)
      let reader = try RDFReader(contentsOf: url)
      while let statement = try reader.next() { print(statement.subject, statement.object) }

      try await store.load(contentsOf: url)
      for try await one in store.match(predicate: .rdfType) { print(one.subject, one.object) }

      try await store.load(contentsOf: url, into: "people")
      try await store.match(in: "people").export(as: .turtle) { try file.write(contentsOf: $0) }

      try await store.exportRDF(as: .turtle) { try file.write(contentsOf: $0) }
      try await store.exportProvenance { try file.write(contentsOf: $0) }
      try file.close()
      let written = try String(contentsOf: out, encoding: .utf8)
      #expect(written.contains("http://a.example/ann") && written.contains("prov#"))
    }
  }

  @Test("each line of Swift of docs/rdf.md stands in the test that runs it")
  func lines() throws {
    let place = URL(fileURLWithPath: #filePath)
    let root = place.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/rdf.md"), encoding: .utf8)
    let own = try String(contentsOf: place, encoding: .utf8)
    let blocks = page.matches(of: /(?s)```swift\n(.*?)```/).map(\.1)
    #expect(blocks.count == 1)
    for line in blocks.joined().split(separator: "\n") {
      let code = line.replacing(/\ *\/\/\ .*/, with: "")
      #expect(own.contains("      \(code)\n"), "no test runs “\(code)”")
    }
  }
}
