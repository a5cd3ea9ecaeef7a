import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// Scenarios in feature files: our own, and those that another project gives away.
@Suite struct FeatureFileTests {
  /// Runs feature files of a folder. Scenarios that write have a store of their own; the others
  /// share one, which is empty.
  /// - Parameter graphs: the folder of graphs that scenarios name.
  private static func run(_ paths: [String], in folder: URL, graphs: URL) async throws
    -> (count: Int, failed: [String])
  {
    var failed: [String] = []
    var count = 0
    let empty = try await Store.inMemory()
    for path in paths {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      let scenarios = FeatureFile(text).scenarios
      for scenario in scenarios {
        let store = scenario.mayWrite ? try await Store.inMemory() : empty
        let runner = FeatureRunner(store, graphs: graphs)
        if let failure = await runner.failure(of: scenario) {
          failed.append("\(path): \(scenario.name)\n    \(failure)")
        }
        if scenario.mayWrite { try await store.close() }
      }
      count += scenarios.count
    }
    try await empty.close()
    return (count, failed)
  }

  @Test(
    "each scenario of the language passes, by feature",
    arguments: FeatureFolder.paths(FeatureFolder.own))
  func language(path: String) async throws {
    let own = FeatureFolder.own
    let (count, failed) = try await Self.run([path], in: own, graphs: own)
    #expect(failed.isEmpty, "\(failed.joined(separator: "\n"))")
    #expect(count > 10)
  }

  @Test("no feature file is missed")
  func files() { #expect(FeatureFolder.paths(FeatureFolder.own).count > 50) }

  /// The language's own tests are a folder of feature files, named by `DAYBOOK_FEATURES`. They are
  /// not a part of this package. What fails is listed in the file that `DAYBOOK_FEATURES_REPORT`
  /// names.
  @Test(
    "the scenarios of the folder that DAYBOOK_FEATURES names pass",
    .enabled(if: FeatureRunner.folder != nil))
  func others() async throws {
    let folder = URL(fileURLWithPath: try #require(FeatureRunner.folder))
    let paths = FeatureFolder.paths(folder)
    #expect(!paths.isEmpty)
    let (count, failed) = try await Self.run(
      paths, in: folder, graphs: folder.appending(path: "tck/graphs"))
    let report = failed + ["\(count) scenarios, \(failed.count) failed"]
    if let place = ProcessInfo.processInfo.environment["DAYBOOK_FEATURES_REPORT"] {
      try report.joined(separator: "\n").write(toFile: place, atomically: true, encoding: .utf8)
    }
    #expect(failed.isEmpty, "\(report.last!)")
  }
}

/// Folders of feature files.
private enum FeatureFolder {
  /// The folder of our own scenarios.
  static let own = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "GQLLanguage")

  /// The paths of the feature files in a folder, sorted.
  static func paths(_ folder: URL) -> [String] {
    let all = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return (all ?? []).filter { $0.hasSuffix(".feature") }.sorted()
  }
}

extension FeatureFile.Scenario {
  /// Whether a step may leave something in the store.
  fileprivate var mayWrite: Bool {
    let texts = steps.map { $0.text.uppercased() }
    return steps.contains { $0.words.hasPrefix("the binary-tree-") }
      || ["CREATE", "INSERT", "MERGE", "SET", "DROP"].contains { word in
        texts.contains { $0.contains(word) }
      }
  }
}
