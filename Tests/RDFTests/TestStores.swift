import Daybook
import Foundation

/// Stores in a new folder, for as long as a test runs.
enum TestStores {
  static func with(_ count: Int = 1, _ body: ([Store]) async throws -> Void) async throws {
    let folder = URL.temporaryDirectory.appending(path: "rdf-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var stores: [Store] = []
    for number in 0..<count {
      stores.append(try await Store.create(at: folder.appending(path: "store\(number)")))
    }
    try await body(stores)
    for store in stores { try await store.close() }
  }
}

/// The bytes of a file that a store writes.
final class WrittenFile: @unchecked Sendable {
  private let lock = NSLock()
  private var bytes: [UInt8] = []
  func write(_ more: [UInt8]) { lock.withLock { bytes += more } }
  var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
}
