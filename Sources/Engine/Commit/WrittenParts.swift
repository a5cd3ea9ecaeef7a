import DaybookProjections

/// What the running parts of an event have written, so that each can be taken back by itself.
///
/// It keeps each entity as it was before a write of a part. The memory is that of the entities
/// which the outermost part writes to, and is free when that part ends.
struct WrittenParts {
  private struct Write {
    /// The number of the operation in the event.
    var operation: Int
    /// The entity as it was before.
    var before: EntityHandle
  }

  /// The number of parts that run, one in the other.
  private var depth = 0
  private var writes: [Write] = []
  /// The number of operations of the event that have to stay for all of the others to be known.
  private var known = 0

  /// Begins a part, in the one that began last and has not ended.
  mutating func begin() { depth += 1 }

  /// Ends the part that began last.
  mutating func end() {
    depth -= 1
    guard depth == 0 else { return }
    writes.removeAll()
    known = 0
  }

  /// Notes an operation that is about to be written.
  /// - Parameters:
  ///   - number: the number of the operation in the event.
  ///   - handle: the entity as it was just looked up; nil for a definition.
  mutating func note(_ number: Int, to handle: EntityHandle?) throws {
    guard depth > 0 else { return }
    guard let handle, try handle.canComeBack else { return forget(before: number + 1) }
    writes.append(Write(operation: number, before: handle))
  }

  /// Forgets what came before: the read model was made again, or cannot be brought back that far.
  /// - Parameter count: the number of operations that the event had then.
  mutating func forget(before count: Int) {
    guard depth > 0 else { return }
    writes.removeAll()
    known = count
  }

  /// Returns the entities that the operations from a number on have written to, each once, as they
  /// were before; nil if that is not known. Forgets those operations.
  mutating func takeBack(to count: Int) -> [EntityHandle]? {
    guard count >= known else { return nil }
    let start = writes.lastIndex { $0.operation < count }.map { $0 + 1 } ?? 0
    defer { writes.removeSubrange(start...) }
    var seen: Set<EntityHandle.Key> = []
    return writes[start...].map(\.before).filter { seen.insert($0.key).inserted }
  }
}
