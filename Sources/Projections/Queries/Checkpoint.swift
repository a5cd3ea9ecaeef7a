package import DaybookEventCore
import Foundation
package import GRDB

/// The row that says which version of the internal tables a read model has, and whose it is.
package struct Checkpoint {
  /// The version of the internal tables.
  package var format: Int64
  /// The version of the rules by which the rows follow from the events.
  package var rules: Int64
  /// The replica that the read model names as its own; nil if it names none.
  package var replica: ReplicaID?

  /// Whether this version of the software can go on with the read model.
  package var isCurrent: Bool {
    format == Int64(ReadModelFormat.version) && rules == Int64(StateDigest.rules)
  }

  /// Reads the row; nil if there is none, or if it holds something else.
  package static func read(_ db: Database) throws -> Checkpoint? {
    var found: [Cell] = []
    try db.forEachRow("SELECT format, rules, replica FROM _daybook_checkpoint LIMIT 1") {
      found = $0.cells
    }
    guard found.count == 3, case .integer(let format) = found[0],
      case .integer(let rules) = found[1]
    else { return nil }
    var replica: ReplicaID?
    if case .blob(let bytes) = found[2], bytes.count == 16 {
      replica = bytes.withUnsafeBytes { ReplicaID(bytes: $0) }
    }
    return Checkpoint(format: format, rules: rules, replica: replica)
  }

  /// Returns the version of the internal tables, whatever else the row holds; nil if there is none.
  package static func format(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT format FROM _daybook_checkpoint")
  }

  /// Names a replica as the read model's own.
  package static func sign(_ db: Database, as replica: ReplicaID) throws {
    try db.execute(
      sql: "UPDATE _daybook_checkpoint SET replica = ?1 WHERE replica IS NOT ?1",
      arguments: [Data(replica.bytes)])
  }
}
