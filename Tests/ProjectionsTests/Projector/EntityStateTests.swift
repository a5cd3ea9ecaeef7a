import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookProjections

@Suite struct EntityStateTests {
  private func ref(_ random: inout SplitMix64) -> WriteRef {
    let sequence = random.chance(10) ? UInt64.max : UInt64(random.pick(1...300))
    return WriteRef(
      origin: random.pick(1...200), sequence: sequence, operation: UInt32(random.pick(0...300)))
  }

  private func fields(_ random: inout SplitMix64) -> [Int] {
    let top = random.pick([3, 8, 63, 64, 65, 128, 300])
    return (0...top).filter { _ in random.chance(random.pick([2, 50, 100])) }
  }

  private func state(_ random: inout SplitMix64) -> EntityState {
    var state = EntityState()
    for _ in 0..<random.pick(1...5) {
      state.recent.append(
        HistoryEntry(
          ref: ref(&random), kind: UInt8(random.pick(3...7)), fields: fields(&random)))
    }
    if random.chance(30) {
      // The state has the short form, or nearly so.
      let only = HistoryEntry(ref: ref(&random), kind: 3, fields: fields(&random))
      state.recent = [only]
      state.existence = (3, only.ref)
      state.insertion = only.ref
      state.firstInsertion = only.ref
      for field in only.fields { state[field: field] = only.ref }
      if random.chance(30) { state[field: random.pick(0...70)] = ref(&random) }
      if random.chance(50) { return state }
    }
    if random.chance(50) { state.existence = (UInt8(random.pick(3...6)), ref(&random)) }
    if random.chance(50) {
      state.insertion = ref(&random)
      state.firstInsertion = random.chance(50) ? state.insertion : ref(&random)
    }
    if random.chance(50) { state.floor = ref(&random) }
    for field in fields(&random) { state[field: field] = ref(&random) }
    if random.chance(50) {
      var last = LastWrites()
      for _ in 0..<random.pick(0...6) {
        let fingerprint = random.chance(30) ? nil : LastWrites.Fingerprint(random.bytes(16))
        last.note(random.pick(-2...80), .init(ref: ref(&random), fingerprint: fingerprint))
      }
      state.lastWrites = last
    }
    for field in fields(&random).prefix(5) {
      state.inexactValues.append(.init(field: field, value: random.bytes(random.pick(0...200))))
    }
    state.chunkCount = random.pick([0, 0, 1, 1000])
    return state
  }

  @Test("a state is decoded as it was encoded, in the short form and in the long")
  func roundTrip() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<2_000 {
      let state = state(&random)
      let bytes = state.encoded()
      let read = try bytes.withUnsafeBytes { try EntityState(decoding: $0) }
      #expect(read.existence?.kind == state.existence?.kind)
      #expect(read.existence?.ref == state.existence?.ref)
      #expect(read.insertion == state.insertion)
      #expect(read.firstInsertion == state.firstInsertion)
      #expect(read.floor == state.floor)
      #expect(read.fields == state.fields)
      #expect(read.lastWrites == state.lastWrites)
      #expect(read.inexactValues == state.inexactValues)
      #expect(read.recent == state.recent)
      #expect(read.chunkCount == state.chunkCount)
      #expect(read.encoded() == bytes)
    }
  }

  // Found by fuzzing (Tools/fuzz, target entity-state): such a form was encoded again as another
  // state.
  @Test(
    "the short form of an operation other than an insert is an error",
    arguments: [0, 4, 5, 7] as [UInt8])
  func shortFormOfNoInsert(kind: UInt8) throws {
    let insert: [UInt8] = [1, 10, 1, 0, 3, 0]
    _ = try insert.withUnsafeBytes { try EntityState(decoding: $0) }
    let other: [UInt8] = [1, 10, 1, 0, kind, 0]
    #expect(throws: EventError.self) {
      try other.withUnsafeBytes { try EntityState(decoding: $0) }
    }
  }

  @Test("any bytes decode to a state or to an error")
  func total() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<4_000 {
      var bytes = random.bytes(random.pick(0...60))
      if random.chance(70) {
        bytes = state(&random).encoded()
        bytes[random.pick(0...bytes.count - 1)] = random.bytes(1)[0]
      } else if !bytes.isEmpty {
        bytes[0] = UInt8(random.pick(1...2))
      }
      bytes.withUnsafeBytes { raw in
        _ = try? EntityState(decoding: raw)
        _ = try? HistoryEntry.decode(chunk: raw)
      }
    }
  }

  @Test("partitions return every operation in order, spilled or not")
  func partitions() throws {
    let folder = try ProjectionFolder()
    let partitions = RebuildPartitions(
      count: 3, bytes: 0, folder: folder.url.appending(path: "spill").path)
    var random = SplitMix64(seed: 13)
    var expected: [[UInt8]] = [[], [], []]
    for number in 0..<300 {
      let bytes = [UInt8](repeating: UInt8(number & 255), count: random.pick([0, 7, 30_000]))
      let partition = number % 10 == 0 ? 1 : 0
      bytes.withUnsafeBytes { partitions.buffer(partition).append($0) }
      try partitions.spill(partition)
      expected[partition] += bytes
    }
    for partition in 0..<3 {
      let buffer = try partitions.take(partition)
      let isEqual = withExtendedLifetime(buffer) { $0.bytes.elementsEqual(expected[partition]) }
      #expect(isEqual, "partition \(partition)")
      let rest = try partitions.take(partition)
      #expect(rest.bytes.isEmpty)
    }
    #expect([0, .max / 2, .max].map { partitions.partition(ofHash: $0) } == [0, 1, 2])
    partitions.remove()
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "spill").path))
  }

  @Test("entities with similar ids are spread evenly over the partitions")
  func evenPartitions() throws {
    let partitions = RebuildPartitions(count: 9, bytes: 0, folder: "/nowhere")
    var counts = Array(repeating: 0, count: 9)
    for number in 0..<9000 {
      let hash = Array("counter-\(number)".utf8).withUnsafeBytes {
        RebuildOperation.hash(collection: 1, id: $0)
      }
      counts[partitions.partition(ofHash: hash)] += 1
    }
    #expect(counts.allSatisfy { (800...1200).contains($0) }, "\(counts)")
  }
}
