import Foundation
import Testing

/// The sample of the library.
@Suite(.timeLimit(.minutes(10))) struct NotebookSampleTests {
  /// The program beside the bundle of the tests.
  private static func binary() throws -> URL {
    let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
    let starts = bundles + CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    let candidates = starts.flatMap { start in
      sequence(first: start) { $0.deletingLastPathComponent() }.prefix(5)
        .map { $0.appending(path: "notebook-sample") }
    }
    return try #require(
      candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
      "notebook-sample has not been built beside the tests")
  }

  @Test("the sample merges what two devices write, and takes in what a file's editor has changed")
  func sample() throws {
    let process = Process()
    process.executableURL = try Self.binary()
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(output.contains("Shopping: Rolled oats, oat milk, bread [\\\"shop\\\"]"), "\(output)")
    #expect(output.contains("ann [\"edited\"]") && output.contains("bob [\"edited\"]"))
    #expect(output.hasSuffix("done\n"))
  }
}
