import Foundation
import Testing

/// A program that is built with the tests, next to their bundle.
struct BuiltProgram {
  let url: URL

  /// Finds a program.
  /// - Throws: An expectation that has failed if it has not been built.
  init(_ name: String) throws {
    let starts =
      Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
      + CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    let candidates = starts.flatMap { start in
      (0..<4).map { levels in
        (0..<levels).reduce(start) { folder, _ in folder.deletingLastPathComponent() }
          .appending(path: name)
      }
    }
    url = try #require(
      candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
      "\(name) is built with the tests")
  }

  /// Runs the program to its end, and returns what it has printed.
  func output(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
