import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Logging
import Testing

@testable import DaybookLogEngine

/// The lines and metrics that the log writes.
@Suite struct LogTelemetryTests {
  private let log = RecordedLog()
  private let metrics = RecordedMetrics()

  private func options(patience: Duration = .seconds(3600)) -> EventLog.Options {
    LogMachine.options {
      $0.telemetry = LogTelemetry(logger: log.logger(), metrics: metrics, patience: patience)
    }
  }

  @Test("a failed fsync is logged once as an error, and its recovery as a notice")
  func poison() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (writer, _) = try machine.open(options())
    try writer.commit(try author.frame(2))
    try writer.lock()
    try writer.append(try author.frame(2))
    machine.disk.inject(.ioFailed, at: .next(.sync, 1))
    expect(.poisoned) { try writer.sync() }
    expect(.poisoned) { try writer.sync() }
    writer.unlock()
    let error = try #require(log.first("writing the log failed"))
    #expect(error.level == .error)
    #expect(error.metadata["code"] == "ioFailed")
    #expect(metrics.sum("daybook.write.failures") == 1)
    try writer.close()
    _ = try machine.open(options())
    #expect(log.first("earlier failure")?.level == .notice)
    #expect(log.first("durable now")?.metadata["events"] == "2")
  }

  @Test("a seal is logged with its sizes, and missing room as a warning or error")
  func seal() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (writer, _) = try machine.open(options())
    for _ in 0..<5 { try writer.commit(try author.frame(3)) }
    let before = writer.durableEnd.offset
    try writer.lock()
    try writer.seal()
    writer.unlock()
    let line = try #require(log.first("a segment was sealed"))
    #expect(line.level == .info)
    #expect(line.metadata["bytes_before"] == "\(before)")
    #expect(line.metadata["bytes"] == "\(writer.durableEnd.offset)")
    #expect(metrics.sum("daybook.segments.sealed{how=rewritten}") == 1)
    #expect(metrics["daybook.seal.time"].count == 1)

    try writer.commit(try author.frame(3))
    machine.disk.inject(.noSpace, at: .next(.write, 1))
    machine.disk.inject(.noSpace, at: .next(.write, 2))
    try writer.lock()
    try writer.seal()
    #expect(metrics.sum("daybook.seals.failed") == 1)
    #expect(log.first("could not be sealed")?.level == .error)
    machine.disk.inject(.noSpace, at: .next(.write, 1))
    try writer.seal()
    writer.unlock()
    #expect(metrics.sum("daybook.segments.sealed{how=in_place}") == 1)
    let inPlace = try #require(log.first("sealed as it was"))
    #expect(inPlace.level == .warning && inPlace.metadata["code"] == "noSpace")
    #expect(writer.vector[author.origin] == 18)
  }

  @Test("a wait for the commit lock is measured, and logged only beyond the patience")
  func waiting() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (writer, _) = try machine.open(options())
    try writer.commit(try author.frame(1))
    #expect(metrics["daybook.lock.wait"].count == 1)
    #expect(log.first("commit lock") == nil)
    let (other, _) = try machine.open(options(patience: .seconds(-1)))
    try other.commit(try author.frame(1))
    #expect(log.first("commit lock")?.level == .warning)
  }

  @Test("a process that cuts another's torn tail logs it")
  func foreignTail() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (writer, _) = try machine.open(options())
    try writer.commit(try author.frame(1))
    let end = Int(writer.durableEnd.offset)
    machine.disk.tamper(segment1) { file in
      if file.count < end + 40 { file += [UInt8](repeating: 0, count: end + 40 - file.count) }
      file.replaceSubrange(end..<end + 40, with: [UInt8](repeating: 0xC3, count: 40))
    }
    try writer.commit(try author.frame(1))
    let line = try #require(log.first("torn tail"))
    #expect(line.metadata["offset"] == "\(end)")
    #expect(line.metadata["bytes"] == "40")
    #expect(metrics.sum("daybook.torn_tails") == 1)
  }

  @Test("damage that is met repeatedly is logged once")
  func damage() throws {
    var scene = try Scene(commits: 4)
    // The damage is behind the frame's header, which names the events that are lost.
    scene.overwrite(scene.offsets[1] + 140, [0xFF, 0xFE])
    let (writer, report) = try scene.machine.open(options())
    #expect(!report.damage.isEmpty)
    expect(.damaged) { try writer.commit(try scene.author.frame(1)) }
    expect(.damaged) { try writer.commit(try scene.author.frame(1)) }
    #expect(log.lines.count { $0.level == .error } == report.damage.count)
    #expect(metrics.sum("daybook.damage") == Double(report.damage.count))
    let line = try #require(log.first("damaged"))
    #expect(line.metadata["segment"] == "1")
    #expect(line.metadata["offset"] == "\(scene.offsets[1])")
    #expect(line.metadata["origin"] == "\(scene.author.origin)")
  }
}
