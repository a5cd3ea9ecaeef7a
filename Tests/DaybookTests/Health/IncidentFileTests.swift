import DaybookLocks
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The record of incidents.
@Suite struct IncidentFileTests {
  private let folder: TemporaryStore
  private let files: StoreFiles

  init() throws {
    folder = try TemporaryStore()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    files = StoreFiles(folder: folder.url)
  }

  @Test("the file keeps 64 incidents, and a repeated one counts up and moves to the end")
  func bounded() throws {
    let now = Mutex<Int64>(0)
    let file = IncidentFile(files) {
      now.withLock { value in
        value += 1
        return value
      }
    }
    for number in 0..<200 {
      file.note(.error, "number \(number)", ["segment": "\(number)", "bytes": "\(number)"])
    }
    var all = try IncidentFile.read(files.incidents)
    #expect(all.map(\.message) == (136..<200).map { "number \($0)" })
    #expect(all.map(\.time) == Array(137...200))
    file.note(.error, "number 150", ["segment": "150", "bytes": "another"])
    file.note(.error, "number 151", ["segment": "another"])
    all = try IncidentFile.read(files.incidents)
    #expect(all.count == IncidentFile.countMax)
    #expect(all.suffix(2).map(\.count) == [2, 1])
    #expect(all.suffix(2).map(\.message) == ["number 150", "number 151"])
    #expect(all.count { $0.message == "number 150" } == 1)
    #expect(all.count { $0.message == "number 151" } == 2)
  }

  @Test("a folder that cannot be written is ignored, and long texts are cut")
  func limits() throws {
    let nowhere = StoreFiles(folder: folder.url.appending(path: "not/there"))
    IncidentFile(nowhere) { 1 }.note(.error, "lost", [:])
    #expect(try IncidentFile.read(nowhere.incidents).isEmpty)
    let file = IncidentFile(files) { 1 }
    for number in 0..<100 {
      file.note(.notice, "\(number) " + String(repeating: "é", count: 100_000), ["copy": "x"])
    }
    let size = try FileManager.default.attributesOfItem(atPath: files.incidents)[.size] as? Int
    #expect(try #require(size) < 128 << 10)
    #expect(try IncidentFile.read(files.incidents).count == 64)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["incidents"])
  }
}
