import ArgumentParser
import Daybook
import DaybookEngine
import DaybookJSON
import DaybookLogEngine

/// The command `evtool verify`.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks the whole store: log, chain, read model, search index.",
    discussion: """
      Reads every byte of the log and checks the checksums and the chain of hashes. Then it makes \
      a second read model and compares it with the one in use. The exit code is 3 if the log is \
      damaged. It is 1 if only the read model differs; `evtool rebuild` repairs that.

      Example:
        evtool verify notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let clock = ContinuousClock.now
    let line = ProgressLine("verify", unit: "bytes of the log")
    defer { line.clear() }
    let found = try await Store.verify(at: store.url) { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    line.clear()
    if output.json {
      StandardOutput.line(Self.json(found))
    } else {
      print(found, (ContinuousClock.now - clock) / .seconds(1))
    }
    if !found.isDurablySound { throw Failure.silent(.damaged) }
    if !found.isSound { throw Failure.silent(.problem) }
  }

  private func print(_ found: Store.Verification, _ seconds: Double) {
    let log = found.log
    for finding in log.findings { StandardOutput.line("damaged: \(finding)") }
    for finding in found.fileFindings { StandardOutput.line("damaged: \(finding)") }
    for finding in found.readModelFindings { StandardOutput.line("wrong: \(finding)") }
    if let difference = found.difference { StandardOutput.line("differs: \(difference)") }
    for note in log.notes + found.notes { StandardOutput.line("note: \(note)") }
    let covered =
      log.bytesCovered == log.bytesTotal
      ? "all \(Text.bytes(log.bytesTotal))"
      : "\(Text.bytes(log.bytesCovered)) of \(Text.bytes(log.bytesTotal))"
    StandardOutput.line(
      "log         \(Text.count(log.segments, "segment")), \(Text.count(log.events, "event")), "
        + "\(covered) read: \(log.isSound ? "sound" : "DAMAGED")")
    let isRight = found.difference == nil && found.readModelFindings.isEmpty
    let model =
      found.difference != nil
      ? "DIFFERS from the log"
      : !isRight ? "DAMAGED" : found.isCompared ? "what the log says" : "not compared"
    StandardOutput.line("read model  \(model)")
    if let digest = found.digest { StandardOutput.line("digest      \(digest)") }
    StandardOutput.line(Terminal.dim("in \(Text.seconds(seconds))"))
    if !log.isSound {
      StandardError.line(
        "evtool: the log is damaged; what is sound can be read and exported, and writes are "
          + "refused\n  `evtool repair \(store.store) --from BACKUP` fetches them from a backup or "
          + "another store")
    } else if !found.isDurablySound {
      StandardError.line(
        "evtool: the log is sound, and a file beside it is not\n  Nothing is lost: try `evtool "
          + "repair \(store.store)`, or let the store take a new identity with its next write")
    } else if !isRight {
      StandardError.line(
        "evtool: the read model is not what the log says\n  `evtool rebuild \(store.store)` makes "
          + "it again")
    }
  }

  private static func json(_ found: Store.Verification) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("sound", found.isSound)
      writer.key("log")
      writer.object { writer in
        writer.member("sound", found.log.isSound)
        writer.member("segments", found.log.segments)
        writer.member("records", found.log.records)
        writer.member("events", found.log.events)
        writer.member("bytesCovered", found.log.bytesCovered)
        writer.member("bytesTotal", found.log.bytesTotal)
        writer.member("eventsUnchained", found.log.eventsUnchained)
        writer.texts("findings", found.log.findings.map(\.description))
        writer.texts("notes", found.log.notes)
      }
      writer.key("difference")
      writer.difference(found.difference)
      writer.texts("findings", found.fileFindings + found.readModelFindings)
      writer.texts("notes", found.notes)
      if let digest = found.digest { writer.member("digest", digest.description) }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  mutating func texts(_ key: String, _ texts: [String]) {
    self.key(key)
    array { writer in for text in texts { writer.text(text) } }
  }
}
