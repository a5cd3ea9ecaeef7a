import EventCore
import Foundation
import GRDB
import LogEngine
import Projections

/// Verifies a store as it lies there. Opens everything for reading only, as opening for writing puts
/// right what is to be found, and looks at a copy of the read model, so that writers go on.
struct StoreVerifier {
  private let files: StoreFiles

  init(folder: URL) { files = StoreFiles(folder: folder) }

  func run(progress: (UInt64, UInt64) -> Void) throws -> StoreVerification {
    let identityFile = try IdentityFile.read(files)
    // First the read model, then the log, which only grows.
    let copy = TemporaryFile.path("daybook-copy")
    defer { try? StoreFiles.removeReadModel(copy) }
    let faults = try copyReadModel(to: copy)
    let found = try ReadModelFile.peek(copy, source: NoEvents())
    let log = try EventLog.reading(files, applied: found?.vector)
    defer { try? log.close() }
    var result = StoreVerification(log: try log.verify(progress: progress))
    checkKey(identityFile, &result)
    result.readModelFindings = faults
    guard let found else {
      guard faults.isEmpty else { return result }
      let next = "it is made with the next opening"
      if !FileManager.default.fileExists(atPath: files.readModel) {
        result.notes.append("the read model is not there: \(next)")
      } else if let format = try? ReadModelFile.format(copy), format != ReadModelFormat.version {
        result.notes.append("the read model has format \(format): \(next) in this version's")
      } else {
        result.readModelFindings = ["the read model's internal tables cannot be read"]
      }
      return result
    }
    let feed = LogFeed(log)
    let lag = feed.wholeVector.lead(over: found.vector)
    if lag > 0 { result.notes.append("the read model is \(lag) events behind the log") }
    result.digest = found.digest
    let content = try check(copy, feed, compares: result.log.isSound)
    result.readModelFindings += content.findings
    result.difference = content.difference
    result.isCompared = content.isCompared
    return result
  }

  /// Only whether the read model is what the log says, as far as it goes.
  func difference(progress: @escaping @Sendable (RebuildProgress) -> Void) throws
    -> ReadModelDifference?
  {
    _ = try IdentityFile.read(files)
    let copy = TemporaryFile.path("daybook-copy")
    defer { try? StoreFiles.removeReadModel(copy) }
    let faults = try copyReadModel(to: copy)
    guard let found = try ReadModelFile.peek(copy, source: NoEvents()) else {
      let fault = faults.first ?? "it is not there, or of another format"
      return ReadModelDifference(place: "read model", message: fault)
    }
    let log = try EventLog.reading(files, applied: found.vector)
    defer { try? log.close() }
    let feed = LogFeed(log)
    let queue = try ReadModelFile.openAlone(copy)
    defer { try? queue.close() }
    let difference: ReadModelDifference?
    do {
      difference = try queue.read { try ReadModelCheck($0, feed).difference(progress: progress) }
    } catch {
      try Self.refuseNoSpace(error)
      throw error
    }
    return difference ?? faults.first.map { ReadModelDifference(place: "read model", message: $0) }
  }

  /// The key is checked to the last byte; opening is content with less.
  private func checkKey(_ identityFile: IdentityFile, _ result: inout StoreVerification) {
    let next = "the store will take a new identity when it is next written to"
    guard FileManager.default.fileExists(atPath: files.key) else {
      result.notes.append("the private key is not here, as in a restored backup: \(next)")
      return
    }
    guard let data = FileManager.default.contents(atPath: files.key) else {
      result.notes.append("the private key may not be read by this user")
      return
    }
    if let identity = identityFile.identity(files) {
      guard data != Data((Hex.encode(identity.seed) + "\n").utf8) else { return }
      result.fileFindings.append("the file “identity.key” is not as it was written")
    } else {
      result.fileFindings.append("the file “identity.key” is damaged or another store's: \(next)")
    }
  }

  // MARK: The read model

  /// - Returns: what is wrong with the file; nothing where there is none. A copy is made of a damaged one too, as far as it goes:
  ///   it may show which row is wrong.
  private func copyReadModel(to copy: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: files.readModel) else { return [] }
    var faults: [String] = []
    do {
      let check = try CheckedFile.check(files.readModel)
      if !check.damaged.isEmpty { faults.append(Self.describe(check)) }
      if check.excess > 0 { faults.append("the read model's last page is cut off") }
      let reader = try ReadModelFile.openReader(files.readModel, isChecked: false)
      defer { try? reader.close() }
      let target = try ReadModelFile.openAlone(copy)
      defer { try? target.close() }
      try reader.backup(to: target)
    } catch {
      try Self.refuseNoSpace(error)
      if faults.isEmpty { faults.append("the read model cannot be read: \(Self.reason(error))") }
    }
    return faults
  }

  private static func describe(_ check: CheckedFile.Check) -> String {
    let pages = check.damaged.prefix(5).map(String.init).joined(separator: ", ")
    let more = check.damaged.count > 5 ? ", …" : ""
    return check.damaged.count == 1
      ? "page \(pages) of \(check.pages) of the read model does not match its checksum"
      : "\(check.damaged.count) of \(check.pages) pages of the read model do not match their "
        + "checksums: \(pages)\(more)"
  }

  /// A full disk says nothing about the store.
  private static func refuseNoSpace(_ error: any Error) throws {
    guard StoreError.isNoSpace(error) else { return }
    throw StoreError.orNoSpace(
      error, "the read model was not compared", in: FileManager.default.temporaryDirectory)
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as DatabaseError: error.message ?? "\(error.resultCode)"
    case let error as ProjectionError: error.message
    case let error as LogError: error.message
    default: "\(error)"
    }
  }

  /// What the read model's content shows.
  private struct Content {
    var findings: [String] = []
    var difference: ReadModelDifference?
    var isCompared = false
  }

  private func check(_ copy: String, _ feed: LogFeed, compares: Bool) throws -> Content {
    do {
      let queue = try ReadModelFile.openAlone(copy)
      let content = try queue.writeWithoutTransaction { try Self.check($0, feed, compares) }
      try queue.close()
      return content
    } catch {
      try Self.refuseNoSpace(error)
      return Content(findings: ["the read model cannot be read: \(Self.reason(error))"])
    }
  }

  private static func check(_ db: Database, _ feed: LogFeed, _ compares: Bool) throws -> Content {
    let check = ReadModelCheck(db, feed)
    var content = Content(findings: try check.structureFindings())
    content.findings += try check.searchFindings()
    content.difference = try check.digestDifference()
    guard content.difference == nil, compares else { return content }
    content.difference = try check.difference()
    content.isCompared = true
    return content
  }
}
