import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookLogEngine

/// Segment files that were made once and must stay readable for ever.
///
/// `DAYBOOK_MAKE_GOLDEN="$PWD/Tests/LogEngineTests/Golden" Tools/test GoldenTests` makes those of
/// `version`. Do this once for each new version of the format: change `version` first. Files that
/// exist are never replaced.
@Suite struct GoldenTests {
  private static let version = "version-1"

  @Test("files of version 1 open clean, verify, and give the events that were written")
  func version1() throws {
    let golden = try #require(Bundle.module.url(forResource: "Golden", withExtension: nil))
    let folder = golden.appendingPathComponent(Self.version)
    let disk = SimulatedDisk(seed: 1)
    try SimulatedStorage(disk).makeFolder("log")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      if name.hasSuffix(".segment") || name == "mark" { disk.put("log/\(name)", bytes) }
    }
    let (log, report) = try LogMachine(disk).open()
    #expect(report.isClean)
    // The lock file is no part of the format, and not kept with the golden files.
    #expect(report.notes == ["the lock file was missing or empty and has been written anew"])
    #expect(try log.segments.map(\.isSealed) == [true, true, false])
    let expected = try String(
      contentsOf: folder.appendingPathComponent("expected.txt"), encoding: .utf8)
    #expect(try Self.summary(log) == expected)
    let result = try log.verify()
    #expect(result.isSound, "\(result.findings)")
    #expect(result.bytesCovered == result.bytesTotal)
    // A record of a kind that version 1 does not know.
    #expect(result.notes.count == 1)
  }

  @Test(
    "the golden files are made again if the environment asks for it",
    .enabled(if: ProcessInfo.processInfo.environment["DAYBOOK_MAKE_GOLDEN"] != nil))
  func make() throws {
    let path = try #require(ProcessInfo.processInfo.environment["DAYBOOK_MAKE_GOLDEN"])
    let folder = URL(fileURLWithPath: path).appendingPathComponent(Self.version)
    try #require(
      !FileManager.default.fileExists(atPath: folder.path), "\(Self.version) has its files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let machine = try Self.store()
    let (log, _) = try machine.open()
    try Self.summary(log).write(
      to: folder.appendingPathComponent("expected.txt"), atomically: true, encoding: .utf8)
    try log.close()
    for (name, bytes) in machine.disk.files where name.hasPrefix("log/") {
      try Data(bytes).write(to: folder.appendingPathComponent(String(name.dropFirst(4))))
    }
  }

  /// Makes three segments, one rewritten, one sealed in place and one not sealed, with every kind
  /// of record and frame.
  private static func store() throws -> LogMachine {
    let machine = LogMachine()
    var a = try Author(1)
    var b = try Author(2)
    let (log, _) = try machine.open()
    for i in 0..<4 {
      try log.commit(try a.frame(3), try b.frame(1, size: 50, isNoise: true))
      if i == 1 { try commit(try a.head(), to: log) }
    }
    try log.lock()
    #expect(try log.seal() == .rewritten)
    log.unlock()
    try log.commit(try a.frame(1, size: 500, isNoise: true))
    try commit(try b.head(), to: log)
    // An event beyond a gap that stays, and one whose body was erased.
    _ = b.event()
    try log.commit(try b.frame(2))
    var erased = a.event()
    if case .present(let body) = erased.body { erased.body = .hash(Hash256.sha256(of: body)) }
    let before = try #require(try log.chain(after: EventID(a.origin, a.next - 2)))
    try log.commit(
      try Frame(
        origin: a.origin, firstSequence: a.next - 1, events: [erased],
        chainBefore: Chain(value: before)))
    try log.lock()
    machine.disk.inject(.noSpace, at: .next(.write, 1))
    guard case .inPlace = try log.seal() else { throw LogError(.notFound, "not sealed in place") }
    log.unlock()
    try log.commit(try a.frame(2, size: 900))
    try append(kind: 200, to: machine, log)
    let (again, _) = try machine.open()
    try commit(try a.head(), to: again)
    try again.close()
    return machine
  }

  private static func commit(_ head: Head, to log: EventLog) throws {
    try log.lock()
    defer { log.unlock() }
    try log.append(head)
    try log.sync()
  }

  /// Appends a record that a later version might write, as another process would.
  private static func append(kind: UInt8, to machine: LogMachine, _ log: EventLog) throws {
    let end = log.durableEnd
    try log.close()
    machine.disk.tamper(SegmentName.file(end.segment)) { file in
      let salt = file.withUnsafeBytes { $0.u64(SegmentHeader.saltOffset) }
      var out = ByteWriter()
      RecordHeader.append(
        kind: kind, [1, 2, 3], offset: end.offset, durable: end.offset, salt: salt, to: &out)
      file = Array(file[..<Int(end.offset)]) + out.bytes
    }
  }

  /// Returns the events and chain values as text.
  private static func summary(_ log: EventLog) throws -> String {
    let snapshot = log.snapshot()
    var lines: [String] = []
    for (origin, ranges) in snapshot.ranges.sorted(by: { $0.key < $1.key }) {
      for range in ranges.ranges {
        var bytes = ByteWriter()
        try snapshot.forEachEvent(of: origin, in: range) { _, event in
          event.encoded.encode(to: &bytes)
        }
        let chain = try snapshot.chain(after: EventID(origin, range.upperBound))
        lines.append(
          "events \(origin) \(range.lowerBound)-\(range.upperBound) "
            + "sha256 \(Hash256.sha256(of: bytes.bytes)) chain \(chain?.description ?? "-")")
      }
    }
    for head in snapshot.heads {
      lines.append(
        "head \(head.event) sha256 \(Hash256.sha256(of: try snapshot.head(at: head).encoded()))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
