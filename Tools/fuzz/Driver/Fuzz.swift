import ArgumentParser
import Foundation
import FuzzTargets

/// Fuzzing, for those who work on Daybook: `Tools/fuzz/run` is the way in.
@main
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Hands the readers of bytes from outside whatever a fuzzer thinks of.",
    subcommands: [List.self, Seeds.self, Replay.self, Run.self])

  static func target(_ name: String) throws -> FuzzTarget {
    guard let target = FuzzTarget.named(name) else {
      throw ValidationError("there is no target \(name); `list` names them")
    }
    return target
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Names the targets, each with the longest input that is worth trying.")

  func run() { for target in FuzzTarget.all { print(target.name, target.bytesMax) } }
}

struct Seeds: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the inputs to begin with into a folder.")

  @Argument(help: "A target.") var target: String
  @Argument(help: "A folder that exists.") var folder: String

  func run() throws {
    for (number, seed) in try Fuzz.target(target).seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(number)"))
    }
  }
}

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs inputs from files, which needs no fuzzer: a debugger may look on.")

  @Argument(help: "A target.") var target: String
  @Argument(help: "Files, each an input.") var files: [String]

  func run() throws {
    let target = try Fuzz.target(target)
    for file in files {
      let bytes = Array(try Data(contentsOf: URL(filePath: file)))
      do { try bytes.withUnsafeBytes(target.check) } catch {
        print("\(file): \(error)")
        throw ExitCode(1)
      }
      print("\(file): nothing found")
    }
  }
}
