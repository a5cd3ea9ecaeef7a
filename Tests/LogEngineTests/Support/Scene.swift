import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// A store whose process was killed after a few commits, ready to be tampered with.
struct Scene {
  let machine: LogMachine
  var author: Author
  /// Where each commit's record begins, and at last where the log ends.
  var offsets: [Int] = []

  /// - Parameter commits: of one frame with two events each.
  init(commits: Int, options: EventLog.Options = LogMachine.options()) throws {
    machine = LogMachine()
    author = try Author(1)
    let (log, _) = try machine.open(options)
    offsets = [SegmentHeader.size]
    for _ in 0..<commits {
      try log.commit(try author.frame(2))
      offsets.append(Int(log.durableEnd.offset))
    }
    machine.kill()
  }

  /// Where the log ends.
  var end: Int { offsets[offsets.count - 1] }

  /// The record that the next append would write.
  mutating func nextRecord(events: Int = 2, durable: Int? = nil) throws -> [UInt8] {
    let frame = try author.frame(events)
    var out = ByteWriter()
    RecordHeader.append(
      kind: RecordHeader.Kind.frame, frame.bytes, offset: UInt64(end),
      durable: UInt64(durable ?? end), salt: try salt(), to: &out)
    return out.bytes
  }

  func salt() throws -> UInt64 {
    let bytes = try #require(machine.disk.files[segment1])
    return try SegmentHeader(decoding: Array(bytes[..<SegmentHeader.size])).salt
  }

  /// Writes `bytes` into the segment at `offset`.
  func overwrite(_ offset: Int, _ bytes: [UInt8]) {
    machine.disk.tamper(segment1) { file in
      let end = offset + bytes.count
      if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
      file.replaceSubrange(offset..<end, with: bytes)
    }
  }

  /// Ends the segment at `offset`.
  func cut(_ offset: Int) { machine.disk.tamper(segment1) { $0 = Array($0[..<offset]) } }

  /// Lets the mark say what it said after so many commits; nil takes it away.
  func setMark(afterCommit commit: Int?) throws {
    guard let commit else { return machine.disk.removeFile("log/mark") }
    let position = LogPosition(segment: 1, offset: UInt64(offsets[commit]))
    var file = [UInt8](repeating: 0, count: MarkFile.size)
    for (i, offset) in MarkFile.slotOffsets.enumerated() {
      let slot = MarkFile.Slot(counter: UInt64(10 + i), position: position).encoded()
      file.replaceSubrange(Int(offset)..<Int(offset) + slot.count, with: slot)
    }
    machine.disk.put("log/mark", file)
  }

  func vector(_ sequence: UInt64) -> VersionVector { VersionVector([(author.origin, sequence)]) }
}
