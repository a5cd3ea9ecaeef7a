import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

@Suite struct RangeCheckTests {
  private let author: MemoryReplica
  private let other: MemoryReplica

  init() throws {
    author = try MemoryReplica(seed: 1)
    other = try MemoryReplica(seed: 2)
    author.rangeEvents = 100
    for number in 0..<6 { try author.write("\(number)") }
  }

  private func range(after: UInt64, through: UInt64, hasGap: Bool = false) throws -> EventRange {
    try #require(
      try author.range(of: author.replica, after: after, through: through, hasGap: hasGap))
  }

  private func judge(_ range: EventRange) throws -> RangeCheck.Verdict {
    var check = RangeCheck(other, knowledge: other.knowledge())
    return try check.judge(range)
  }

  private func take(_ range: EventRange) throws {
    guard case .take(let checked) = try judge(range) else {
      Issue.record("refused")
      return
    }
    try other.store([checked])
  }

  private func refusal(_ range: EventRange) throws -> RangeRefusal.Code? {
    guard case .refuse(let refusal) = try judge(range) else { return nil }
    return refusal.code
  }

  @Test("a range that follows on the held events is taken, and is known afterwards")
  func followingRange() throws {
    try take(try range(after: 0, through: 3))
    try take(try range(after: 3, through: 7))
    #expect(other.held == author.held)
    guard case .known = try judge(try range(after: 2, through: 5)) else {
      Issue.record("not known")
      return
    }
  }

  @Test("overlapping ranges of one message beyond a gap give each event once")
  func overlapBeyondGap() throws {
    // The signer's key has to be known.
    try take(try range(after: 0, through: 1))
    var check = RangeCheck(other, knowledge: other.knowledge())
    var taken: [CheckedRange] = []
    for (after, through) in [(2, 5), (3, 7), (2, 7)] as [(UInt64, UInt64)] {
      let range = try range(after: after, through: through, hasGap: true)
      if case .take(let checked) = try check.judge(range) { taken.append(checked) }
    }
    #expect(taken.flatMap(\.frames).map(\.header.sequences) == [3...5, 6...7])
  }

  @Test("a range of another branch is a fork only if its signature is right")
  func unsignedBranch() throws {
    try take(try range(after: 0, through: 7))
    let clone = try MemoryReplica(seed: 1)
    clone.rangeEvents = 100
    for number in 0..<9 { try clone.write("clone \(number)") }
    var forged = try #require(
      try clone.range(of: clone.replica, after: 0, through: 10, hasGap: false))
    #expect(try refusal(forged) == .fork)
    forged.signature = Array(repeating: 0, count: 64)
    #expect(try refusal(forged) == .badSignature)
  }

  @Test("a range that overlaps the held events is taken from its first new event on")
  func overlap() throws {
    try take(try range(after: 0, through: 3))
    guard case .take(let checked) = try judge(try range(after: 1, through: 7)) else {
      Issue.record("refused")
      return
    }
    #expect(checked.frames.map(\.header.sequences) == [4...7])
    try other.store([checked])
    #expect(other.knowledge() == author.knowledge())
  }

  @Test("a replica that takes gaps takes a range beyond one only with a chain value")
  func rangeBeyondGap() throws {
    let far = try range(after: 4, through: 7, hasGap: true)
    #expect(try refusal(far) == .gap)
    try take(try range(after: 0, through: 2))
    #expect(try refusal(try range(after: 4, through: 7)) == .gap)
    try take(far)
    #expect(other.knowledge()[author.replica]?.through == 2)
    #expect(other.knowledge()[author.replica]?.highest == 7)
    // The range that fills the gap has to end where the next run begins.
    try take(try range(after: 2, through: 4))
    #expect(other.knowledge() == author.knowledge())
    other.takesGaps = false
    other.events = [:]
    #expect(try refusal(far) == .gap)
  }

  @Test("a range of another branch is a fork although all its numbers are held beyond a gap")
  func branchOfHeldNumbers() throws {
    let far = try range(after: 4, through: 7, hasGap: true)
    try take(try range(after: 0, through: 2))
    try take(far)
    let clone = try MemoryReplica(seed: 1)
    clone.rangeEvents = 100
    for label in ["0", "other", "and other", "more", "and more", "last"] { try clone.write(label) }
    let branch = try #require(
      try clone.range(of: clone.replica, after: 4, through: 7, hasGap: true))
    #expect(try refusal(branch) == .fork)
    guard case .known = try judge(far) else {
      Issue.record("not known")
      return
    }
  }

  @Test("a head is taken for events that are held without one")
  func missingHead() throws {
    try take(try range(after: 0, through: 3))
    try take(try range(after: 3, through: 7))
    other.heads[author.replica]?[7] = nil
    // Events without a head are not reported: no peer sends a head for reported events.
    #expect(other.knowledge()[author.replica]?.through == 3)
    guard case .take(let checked) = try judge(try range(after: 3, through: 7)) else {
      Issue.record("not taken")
      return
    }
    #expect(checked.frames.isEmpty && checked.count == 0)
    try other.store([checked])
    #expect(other.knowledge() == author.knowledge())
    guard case .known = try judge(try range(after: 3, through: 7)) else {
      Issue.record("not known")
      return
    }
  }

  @Test("a head is taken for events that are held beyond a gap without one")
  func missingHeadBeyondGap() throws {
    let far = try range(after: 4, through: 7, hasGap: true)
    try take(try range(after: 0, through: 2))
    try take(far)
    other.heads[author.replica]?[7] = nil
    #expect(other.knowledge()[author.replica]?.highest == 2)
    try take(far)
    #expect(other.knowledge()[author.replica]?.highest == 7)
  }

  @Test("a branch that differs from events that are held without a head is a fork")
  func branchWithoutHead() throws {
    let clone = try MemoryReplica(seed: 1)
    clone.rangeEvents = 100
    for label in ["0", "1", "other", "and other", "more", "and more", "last"] {
      try clone.write(label)
    }
    try take(try range(after: 0, through: 3))
    try take(try range(after: 3, through: 7))
    other.heads[author.replica]?[7] = nil
    let branch = try #require(
      try clone.range(of: clone.replica, after: 3, through: 8, hasGap: false))
    guard case .refuse(let refusal) = try judge(branch) else {
      Issue.record("taken")
      return
    }
    #expect(refusal.code == .fork && refusal.event == EventID(author.replica, 7))
  }

  @Test("a range with any changed bit is refused, unless its events are the same")
  func changedBits() throws {
    let sound = try range(after: 0, through: 7)
    var writer = ByteWriter()
    sound.encode(to: &writer)
    guard case .take(let whole) = try judge(sound) else { return }
    let events = try whole.frames.flatMap { try $0.events() }
    var refused = 0
    for bit in 0..<writer.bytes.count * 8 {
      var bytes = writer.bytes
      bytes[bit / 8] ^= 1 << (bit % 8)
      let changed = try? bytes.withRawBytes { raw throws(EventError) -> EventRange in
        var reader = ByteReader(raw)
        let range = try EventRange(from: &reader)
        try reader.end(of: "a range")
        return range
      }
      guard let changed else { continue }
      switch try judge(changed) {
      case .refuse: refused += 1
      case .known: Issue.record("bit \(bit) is known")
      case .take(let checked):
        // The bit may have given another compression of the same events.
        #expect(try checked.frames.flatMap { try $0.events() } == events, "bit \(bit)")
      }
    }
    #expect(refused > 100)
  }

  @Test("a head of another key or zone is refused, and one of no zone is taken")
  func foreignHead() throws {
    var forged = try range(after: 0, through: 7)
    forged.signature = try other.identity.sign([1])
    #expect(try refusal(forged) == .badSignature)
    other.zone = ZoneID(bytes: Array(repeating: 9, count: 16))
    #expect(try refusal(try range(after: 0, through: 7)) == .badSignature)
    // A head that was signed before its author had a zone counts in any zone.
    author.zone = .none
    try take(try range(after: 0, through: 7))
  }

  @Test("a range of another branch does not fill a gap")
  func fillerOfOtherBranch() throws {
    try take(try range(after: 0, through: 2))
    try take(try range(after: 4, through: 7, hasGap: true))
    let clone = try MemoryReplica(seed: 1)
    clone.rangeEvents = 100
    try clone.write("0")
    try clone.write("another")
    try clone.write("and another")
    let filler = try #require(
      try clone.range(of: clone.replica, after: 0, through: 4, hasGap: false))
    #expect(try refusal(filler) == .fork)
    let tail = try #require(
      try clone.range(of: clone.replica, after: 2, through: 4, hasGap: false))
    #expect(try refusal(tail) == .badSignature || refusal(tail) == .fork)
  }
}
