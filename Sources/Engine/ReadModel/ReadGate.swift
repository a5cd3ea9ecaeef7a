import Foundation

/// A gate that reads pass until the store is closed, and that lets closing wait for the running
/// reads.
///
/// GRDB checks whether a pool is open before it takes one of its readers. A read that began just as
/// the pool was closed got a reader without a connection, and SQLite ended the process.
final class ReadGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var count = 0
  private var isClosed = false

  /// Runs a read, and keeps the store from closing meanwhile.
  /// - Throws: ``StoreError`` `closed`; what `body` throws.
  func during<T>(_ body: () throws -> T) throws -> T {
    try enter()
    defer { leave() }
    return try body()
  }

  private func enter() throws {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { throw StoreError(.closed, "the store is closed") }
    count += 1
  }

  private func leave() {
    condition.lock()
    defer { condition.unlock() }
    count -= 1
    if count == 0 { condition.broadcast() }
  }

  /// Lets no more reads begin, and returns when the last one has ended.
  func close() {
    condition.lock()
    defer { condition.unlock() }
    isClosed = true
    while count > 0 { condition.wait() }
  }
}
