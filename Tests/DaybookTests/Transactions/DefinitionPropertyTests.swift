import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Random definitions of few names, so that fields are renamed, and named again, in every way.
@Suite struct DefinitionPropertyTests {
  private static let names = ["a", "b", "c", "d"]

  @Test("what random definitions show is what a rebuild shows", arguments: Array(UInt64(0)..<20))
  func definitions(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await Store.inMemory()
    var accepted = 0
    for _ in 0..<40 {
      let change = Self.change(&random)
      do {
        try await store.write(change)
        accepted += 1
      } catch is StoreError {}
    }
    #expect(accepted > 5)
    let digest = try await store.digest()
    let schema = try await store.schema()
    try await store.rebuild()
    #expect(try await store.digest() == digest, "seed \(seed)")
    #expect(try await store.schema() == schema, "seed \(seed)")
    try await store.close()
  }

  private static func change(_ random: inout SplitMix64)
    -> @Sendable (WriteTransaction) throws -> Void
  {
    if random.chance(15) {
      let name = random.pick(names)
      return { try $0.drop(field: name, of: "things") }
    }
    let fields = (0..<random.pick(1...3)).map { _ -> Definition.Field in
      var field: Definition.Field =
        random.chance(75) ? .text(random.pick(names)) : .integer(random.pick(names))
      if random.chance(40) { field = field.formerly(random.pick(names)) }
      if random.chance(20) { field = field.indexed() }
      if random.chance(20) { field = field.unique() }
      if random.chance(20) { field = field.unique(.folded) }
      return field
    }
    var definition = Definition("things", fields)
    if random.chance(20) {
      definition = definition.unique(
        random.pick(Uniqueness.allCases), random.pick(names), random.pick(names))
    }
    return { [definition] tx in try tx.define(definition) }
  }
}
