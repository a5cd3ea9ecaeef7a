import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// The language's own tests, as their project gives them away: a folder of feature files, named by
/// `DAYBOOK_FEATURES`. They are not a part of this package.
///
/// What fails is listed in the file that `DAYBOOK_FEATURES_REPORT` names.
@Suite(.enabled(if: FeatureRunner.folder != nil, "DAYBOOK_FEATURES names no folder"))
struct FeatureFileTests {
  @Test("the scenarios of feature files pass")
  func scenarios() async throws {
    let folder = URL(fileURLWithPath: try #require(FeatureRunner.folder))
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".feature")
    }.sorted()
    #expect(!paths.isEmpty)
    var report: [String] = []
    var count = 0
    for path in paths {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      let scenarios = FeatureFile(text).scenarios
      var failed = 0
      for scenario in scenarios {
        let runner = try await FeatureRunner(graphs: folder.appending(path: "tck/graphs"))
        if let failure = await runner.failure(of: scenario) {
          failed += 1
          report.append("\(path): \(scenario.name)\n    \(failure)")
        }
        try await runner.store.close()
      }
      count += scenarios.count
      if failed > 0 { report.append("\(path): \(failed) of \(scenarios.count) failed\n") }
    }
    let failures = report.count { !$0.hasSuffix("failed\n") }
    report.append("\(count) scenarios, \(failures) failed")
    if let place = ProcessInfo.processInfo.environment["DAYBOOK_FEATURES_REPORT"] {
      try report.joined(separator: "\n").write(toFile: place, atomically: true, encoding: .utf8)
    }
    #expect(failures == 0, "\(report.last!)")
  }
}
