/// A reader of bytes from outside the process, with the properties that must hold for all input.
///
/// `Tools/fuzz` passes a target to libFuzzer, and `FuzzTests` to a seeded generator. Both call the
/// same ``check``.
package struct FuzzTarget: Sendable {
  package let name: String
  /// Longest input in bytes that is worth trying.
  package let bytesMax: Int
  /// Number of mutated seeds that the tests try, lower if one takes long.
  package let trials: Int
  /// Initial inputs, made by the real writers.
  package let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads the input.
  ///
  /// A refused input is no error. Throws a ``FuzzFinding`` if a property does not hold.
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

  /// All targets, each in a file of its own in this folder.
  package static let all: [FuzzTarget] = [
    event, body, value, record, frame, footer, smallFiles, log, repair, entityState, readModel,
    interchange, text, csv, turtle, gql, position, search, syncMessage, folderFile,
    backup, logNames, projection, frontMatter,
  ]

  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that does not hold for some input.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws(FuzzFinding) {
  if !holds { throw FuzzFinding(otherwise()) }
}
