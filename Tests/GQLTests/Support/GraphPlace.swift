import Daybook
import Foundation

/// A folder for the stores of a test.
struct GraphPlace {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "graphs-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func store(_ name: String) async throws -> Store {
    try await Store.create(at: folder.appending(path: name))
  }

  func url(_ name: String) -> URL { folder.appending(path: name) }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
