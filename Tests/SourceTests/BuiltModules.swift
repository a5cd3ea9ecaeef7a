import Foundation
import Testing

/// The modules that were built beside the running test, for the compiler to look into.
struct BuiltModules {
  /// The folder of the products.
  let folder: URL

  /// What a tool of the compiler has to know to load them.
  let arguments: [String]

  /// A tool could not be run, or has refused.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// - Throws: ``Failure`` if the products are not where the build puts them.
  init() throws {
    let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
    let starts = bundles + CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    let folders = starts.flatMap { start in
      sequence(first: start) { $0.deletingLastPathComponent() }.prefix(5)
    }
    let built = folders.first {
      FileManager.default.fileExists(atPath: $0.appending(path: "Modules/Daybook.swiftmodule").path)
    }
    guard let built else {
      throw Failure(description: "no module Daybook beside the tests; run swift build first")
    }
    folder = built
    // The build's own words for where the C modules are: .build/debug.yaml for .build/…/debug.
    let manifest = built.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: built.lastPathComponent + ".yaml")
    let maps = try String(contentsOf: manifest, encoding: .utf8)
      .matches(of: /"(-fmodule-map-file=[^"]*)"/).map { String($0.1) }
    guard !maps.isEmpty else {
      throw Failure(description: "\(manifest.path) names no C modules")
    }
    arguments =
      ["-I", built.appending(path: "Modules").path]
      + Set(maps).sorted().flatMap { ["-Xcc", $0] }
  }

  /// Whether the macros were built, which the package does for the trait `Macros` only.
  static var hasMacros: Bool {
    #if Macros
      true
    #else
      false
    #endif
  }

  /// Returns what the compiler says about files of one program, which it only checks; empty if
  /// there is nothing to say. Warnings count.
  func complaints(about files: [String]) throws -> String {
    let plugin = folder.appending(path: "DaybookMacroPlugin-tool").path
    let run = try Self.run(
      "swiftc",
      ["-typecheck", "-swift-version", "6", "-load-plugin-executable"]
        + ["\(plugin)#DaybookMacroPlugin"] + arguments + files)
    return run.status == 0 && run.output.isEmpty
      ? "" : "swiftc ended with \(run.status)\n\(run.output)"
  }

  /// Runs a tool of the toolchain, and returns what it has printed.
  static func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let output = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID())")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardInput = FileHandle.nullDevice
    let file = try FileHandle(forWritingTo: output)
    process.standardOutput = file
    process.standardError = file
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
  }
}
