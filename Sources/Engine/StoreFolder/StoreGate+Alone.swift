import DaybookLogEngine

extension StoreGate {
  /// Runs `body` while no process has the store open.
  /// - Throws: `LogError` `locked` if the store is open, and what `body` throws.
  package static func alone<T>(_ files: StoreFiles, _ body: () throws -> T) throws -> T {
    let gate = StoreGate(files)
    guard try gate.tryExclude() else {
      throw LogError(
        .locked, "another process has the store open", hint: "close it there, and try again")
    }
    defer { gate.release() }
    return try body()
  }
}
