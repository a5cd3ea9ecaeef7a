import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// Repairs of damaged logs, from their sound parts and from another copy.
@Suite struct LogRepairTests {
  /// Three sealed segments and an active one, by two authors.
  private struct Fixture {
    let machine: LogMachine
    var authors: [Author]
    /// The disk before anything was damaged.
    let copy: SimulatedDisk

    init() throws {
      machine = LogMachine()
      authors = [try Author(1), try Author(2)]
      let (log, _) = try machine.open()
      for segment in 0..<4 {
        for commit in 0..<6 {
          try log.commit(try authors[commit % 3 == 0 ? 1 : 0].frame(2))
        }
        if segment < 3 {
          try log.lock()
          try log.seal()
          log.unlock()
        }
      }
      machine.kill()
      copy = machine.disk.copy(seed: 9)
    }

    var vector: VersionVector {
      VersionVector(authors.map { ($0.origin, UInt64($0.events.count)) })
    }

    func name(_ number: Int) -> String { "log/000000000000000\(number).segment" }

    func flip(_ number: Int, _ offset: Int) {
      machine.disk.tamper(name(number)) { $0[offset] ^= 0x10 }
    }

    /// - Parameter isKnown: Whether a read model tells how far the log went.
    func repair(_ isKnown: Bool = true) throws -> LogRepair {
      let chains = Dictionary(
        uniqueKeysWithValues: authors.map { ($0.origin, $0.chain.value) })
      let random = LogMachine.options().random
      return try LogRepair.inspect(
        storage: SimulatedStorage(machine.disk), lock: SimulatedLock(machine.disk),
        evidence: .init(
          replica: authors[0].origin, applied: isKnown ? vector : VersionVector(),
          chains: isKnown ? chains : [:]), random: random)
    }

    func source() throws -> LogSnapshot { try LogRepair.source(SimulatedStorage(copy)) }

    /// Expects every event, byte for byte, and a sound log that takes writes.
    mutating func expectWhole(_ comment: Comment) throws {
      let (log, report) = try machine.open(applied: vector)
      #expect(report.damage.isEmpty, comment)
      for author in authors {
        #expect(try log.events(of: author.origin) == author.events, comment)
      }
      let verification = try log.verify()
      #expect(verification.isSound, "\(comment): \(verification.findings)")
      #expect(verification.eventsUnchained == 0, comment)
      try log.commit(try authors[0].frame(1))
      #expect(log.vector[authors[0].origin] == UInt64(authors[0].events.count))
      machine.kill()
    }
  }

  @Test("a sound log needs no repair")
  func sound() throws {
    let fixture = try Fixture()
    let repair = try fixture.repair()
    #expect(!repair.isNeeded && repair.losesNothing && repair.findings.isEmpty)
  }

  @Test("a bit that is flipped anywhere is repaired from another copy, and nothing is lost")
  func flips() throws {
    let sizes = try Fixture()
    for number in [2, 4] {
      for offset in stride(from: 0, to: sizes.machine.size(sizes.name(number)), by: 29) {
        var fixture = try Fixture()
        fixture.flip(number, offset)
        var repair = try fixture.repair()
        // Reserved space behind the active segment's end holds nothing.
        guard repair.isNeeded else { continue }
        #expect(repair.segments == [UInt64(number)], "\(offset): \(repair.findings)")
        try repair.fill(from: try fixture.source())
        let isWhole = repair.losesNothing
        #expect(isWhole, "\(offset): \(repair.lost)")
        let copies = try repair.apply()
        #expect(copies.count == 1 && fixture.machine.disk.files[copies[0]] != nil)
        try fixture.expectWhole("bit at \(offset) of segment \(number)")
      }
    }
  }

  @Test("damaged headers and indexes are repaired without another copy")
  func indexes() throws {
    let probe = try Fixture()
    let size = probe.machine.size(probe.name(2))
    // The trailer, and the footer before it; the header, whose salt the records have as well.
    for offset in [size - 1, size - 10, size - 24, 3, 20, 30, 62] {
      var fixture = try Fixture()
      fixture.flip(2, offset)
      let repair = try fixture.repair()
      #expect(repair.isNeeded && repair.losesNothing, "\(offset): \(repair.lost)")
      _ = try repair.apply()
      try fixture.expectWhole("bit at \(offset) of \(size)")
    }
  }

  @Test(
    "a segment that is missing, empty, cut or swapped is restored from another copy",
    arguments: 1...4)
  func segments(number: Int) throws {
    for change in 0..<4 {
      for isKnown in [true, false] {
        var fixture = try Fixture()
        let name = fixture.name(number)
        let size = fixture.machine.size(name)
        switch change {
        case 0: fixture.machine.disk.removeFile(name)
        case 1: fixture.machine.disk.tamper(name) { $0 = [] }
        case 2: fixture.machine.disk.tamper(name) { $0 = Array($0.prefix(min(size / 3, 300))) }
        default:
          let other = fixture.machine.disk.files[fixture.name(number % 4 + 1)] ?? []
          fixture.machine.disk.tamper(name) { $0 = other }
        }
        var repair = try fixture.repair(isKnown)
        #expect(repair.isNeeded && !repair.losesNothing, "change \(change)")
        try repair.fill(from: try fixture.source())
        #expect(repair.lost.isEmpty, "change \(change): \(repair.lost)")
        _ = try repair.apply()
        try fixture.expectWhole("change \(change) of segment \(number), \(isKnown)")
      }
    }
  }

  @Test("two segments that were swapped are swapped back without another copy")
  func swapped() throws {
    var fixture = try Fixture()
    let (one, three) = (
      fixture.machine.disk.files[fixture.name(1)] ?? [],
      fixture.machine.disk.files[fixture.name(3)] ?? []
    )
    fixture.machine.disk.tamper(fixture.name(1)) { $0 = three }
    fixture.machine.disk.tamper(fixture.name(3)) { $0 = one }
    let repair = try fixture.repair()
    #expect(repair.segments == [1, 3] && repair.losesNothing)
    #expect(try repair.apply().count == 2)
    try fixture.expectWhole("swapped")
  }

  @Test("sound events stay without another copy, and those behind a hole wait until it is filled")
  func loss() throws {
    var fixture = try Fixture()
    let own = fixture.authors[0]
    fixture.flip(2, 400)
    let damaged = fixture.machine.disk.files[fixture.name(2)]
    let repair = try fixture.repair()
    let lost = try #require(repair.lost.first)
    #expect(repair.lost.count == 1 && !repair.losesNothing)
    #expect(repair.mustRenewIdentity == (lost.origin == own.origin))
    let copies = try repair.apply()
    #expect(fixture.machine.disk.files[copies[0]] == damaged)
    let (log, report) = try fixture.machine.open()
    #expect(report.damage.isEmpty)
    #expect(try log.verify().isSound)
    let ranges = try #require(log.ranges[lost.origin])
    #expect(ranges.contiguous == lost.sequences.lowerBound - 1)
    #expect(ranges.beyondGaps.map(\.lowerBound) == [lost.sequences.upperBound + 1])
    fixture.machine.kill()

    // A copy that turns up later fills the hole.
    var again = try fixture.repair(false)
    #expect(!again.isNeeded && again.lost == [lost])
    #expect(try again.fill(from: try fixture.source()) == UInt64(lost.sequences.count))
    #expect(again.isNeeded && again.segments.isEmpty)
    _ = try again.apply()
    try fixture.expectWhole("filled later")
  }

  @Test("a source with another branch of the same origins is not used")
  func foreign() throws {
    let fixture = try Fixture()
    fixture.flip(2, 400)
    let lost = try fixture.repair().lost
    let machine = LogMachine(seed: 5)
    let (log, _) = try machine.open()
    // The same replicas wrote other events from their second event on.
    for seed in [1, 2] as [UInt8] {
      var author = try Author(seed)
      try log.commit(try author.frame(1))
      try log.commit(try author.frame(60, size: 99))
    }
    machine.kill()
    var repair = try fixture.repair()
    #expect(try repair.fill(from: try LogRepair.source(SimulatedStorage(machine.disk))) == 0)
    #expect(repair.lost == lost)
    #expect(repair.fills.isEmpty)
  }

  @Test("a repair that is stopped at any call can be repeated, and loses nothing")
  func crashes() throws {
    var calls = 1
    var isFinished = false
    while !isFinished {
      var fixture = try Fixture()
      fixture.flip(2, 400)
      fixture.flip(3, 20)
      fixture.machine.disk.removeFile(fixture.name(1))
      var repair = try fixture.repair()
      try repair.fill(from: try fixture.source())
      #expect(repair.segments == [1, 2, 3])
      fixture.machine.disk.inject(.powerLoss, at: .call(calls))
      do {
        _ = try repair.apply()
        isFinished = true
      } catch {}
      fixture.machine.disk.clearFailures()
      fixture.machine.disk.loseAndRestorePower()
      var again = try fixture.repair()
      try again.fill(from: try fixture.source())
      #expect(again.losesNothing, "call \(calls): \(again.lost)")
      if again.isNeeded { _ = try again.apply() }
      try fixture.expectWhole("stopped at call \(calls)")
      calls += 1
    }
    #expect(calls > 20)
  }
}
