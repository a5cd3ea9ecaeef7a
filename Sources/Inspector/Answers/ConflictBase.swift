import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// What the authors of a conflict have both started from.
enum ConflictBase {
  /// Returns the value of the last write that all of the conflict's authors had seen; nil if there
  /// is none, or the conflict is about no field.
  ///
  /// Cost: reads the history of the entity.
  static func value(of conflict: Conflict, _ store: Store) async throws -> Value? {
    guard let id = conflict.id, !conflict.field.isEmpty else { return nil }
    return try await store.core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      let seen = try conflict.writes.map { try view.vector(at: $0.event) }
      let events = Set(conflict.writes.map(\.event))
      var base: Value?
      for item in try view.history(
        of: id, in: conflict.collection, isLocal: conflict.isLocal)
      {
        guard !events.contains(item.event), !item.isUndone,
          seen.allSatisfy({ $0.contains(item.event) }),
          let change = item.changes.first(where: { $0.field == conflict.field })
        else { continue }
        base = change.to
      }
      return base
    }
  }
}
