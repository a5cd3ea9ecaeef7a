import ArgumentParser
import DaybookFuzzTargets
import Foundation

/// The fuzzing program, for developers of Daybook; `Tools/fuzz` runs it.
@main
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Hands the readers of bytes from outside whatever a fuzzer thinks of.",
    subcommands: [List.self, Seeds.self, Replay.self, Mutate.self, Run.self])

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
      fflush(nil)
    }
  }
}

struct Mutate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tries the inputs that FuzzTests tries, and keeps the latest in a file.",
    discussion: "A test that traps cannot say which input it was; here the file has it.")

  @Argument(help: "A target.") var target: String
  @Argument(help: "Where to keep the latest input.") var file: String
  @Option(help: "Seed of the generator.") var seed: UInt64 = 1
  @Option(help: "Number of inputs.") var count = 2_000

  func run() throws {
    let target = try Fuzz.target(target)
    var mutator = try Mutator(target, seed: seed)
    for number in 1...max(1, count) {
      let input = mutator.next()
      try Data(input).write(to: URL(filePath: file))
      do { try input.withUnsafeBytes(target.check) } catch {
        print("input \(number), in \(file): \(error)")
        throw ExitCode(1)
      }
    }
    print("\(count) inputs, nothing found")
  }
}
