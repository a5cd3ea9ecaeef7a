import DaybookFuzzTargets
import DaybookSimulation
import Foundation
import Testing

/// The fuzzer's targets with inputs from a seed, for machines without libFuzzer, in a few seconds.
@Suite struct FuzzTests {
  @Test(
    "every target has seeds, and its checks hold for them",
    arguments: FuzzTarget.all.map(\.name))
  func seeds(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let seeds = try target.seeds()
    #expect(!seeds.isEmpty)
    // If there are hundreds of seeds, some from everywhere are tried.
    let step = max(1, seeds.count / 150)
    for index in stride(from: 0, to: seeds.count, by: step) { try check(target, seeds[index]) }
  }

  @Test(
    "mutated seeds are refused or decoded without a finding",
    arguments: FuzzTarget.all.map(\.name))
  func mutations(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let count = ProcessInfo.processInfo.environment["DAYBOOK_FUZZ_INPUTS"].flatMap(Int.init)
    var mutator = try Mutator(target, seed: 1)
    for _ in 0..<(count ?? target.trials) { try check(target, mutator.next()) }
  }

  /// - Throws: The first finding, after an issue with its input.
  private func check(_ target: FuzzTarget, _ input: [UInt8]) throws {
    do { try input.withUnsafeBytes(target.check) } catch let finding as FuzzFinding {
      let base64 = Data(input).base64EncodedString()
      Issue.record("\(target.name): \(finding); the input is \(base64) (base64)")
      throw finding
    }
  }
}
