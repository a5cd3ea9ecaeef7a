/// A reader of bytes that come from outside the process, and what must hold whatever they are.
///
/// `Tools/fuzz` hands a target to libFuzzer, and `FuzzTests` to a seeded generator: both call
/// the same ``check``.
package struct FuzzTarget: Sendable {
  package let name: String
  /// Longest input that is worth trying.
  package let bytesMax: Int
  /// How many changed seeds the tests try: fewer where one takes long.
  package let trials: Int
  /// Inputs to begin with, made by the real writers.
  package let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads the input. That it is refused is no error; what must not happen is a ``FuzzFinding``.
  package let check: @Sendable (UnsafeRawBufferPointer) throws -> Void

  init(
    _ name: String, bytesMax: Int = 4096, trials: Int = 800,
    seeds: @escaping @Sendable () throws -> [[UInt8]],
    check: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.name = name
    self.bytesMax = bytesMax
    self.trials = trials
    self.seeds = seeds
    self.check = check
  }

  /// One file of this folder each.
  package static let all: [FuzzTarget] = [
    event, body, value, record, frame, footer, smallFiles, log, repair, entityState, readModel,
    interchange, csv, position, search, syncMessage, folderFile,
    backup, logNames,
  ]

  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Something that does not hold for some input.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws(FuzzFinding) {
  if !holds { throw FuzzFinding(otherwise()) }
}
