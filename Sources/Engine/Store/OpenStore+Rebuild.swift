import DaybookLogEngine
package import DaybookProjections
package import Foundation
import GRDB

extension OpenStore {
  /// Rebuilds the read model from the log, and replaces the old one in one transaction.
  /// - Parameter progress: called on a thread of its own.
  /// - Throws: ``StoreError`` `damaged` if the log is damaged, and the old read model stays;
  ///   `readOnly` or `noSpace`.
  package func rebuild(progress: @escaping @Sendable (RebuildProgress) -> Void) async throws {
    let (files, feed, replica, telemetry) = (files, feed, replica, telemetry)
    try requireWritable()
    try StoreError.surfacing { try log.requireWhole() }
    do {
      let rebuilt = try await Blocking.surfacing {
        let turn = try RebuildTurn.wait(files)
        return try telemetry.rebuilding(
          "the read model", from: StoreTelemetry.events(feed.wholeVector)
        ) { gauge in
          try RebuiltReadModel.build(files, feed, replica, turn: turn) { step in
            gauge(step)
            progress(step)
          }
        }
      }
      try await onCommitThread { try $0.replaceReadModel(with: rebuilt) }
    } catch {
      throw StoreError.orNoSpace(
        error, "the read model stays as it was", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  /// Rebuilds one collection from the log, in one transaction.
  /// - Parameters:
  ///   - collection: a collection that an event has named, declared or not.
  ///   - progress: called on the commit thread.
  /// - Returns: the number of operations on it, and whether the rows of all collections then add up
  ///   to the digest.
  /// - Throws: ``StoreError`` `unknownName`, `readOnly`, `noSpace` or `damaged`. The read model is
  ///   then as it was.
  package func rebuild(
    collection: String, progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> (operations: Int, isConsistent: Bool) {
    try requireWritable()
    try StoreError.surfacing { try log.requireWhole() }
    let known = try await reads.asynchronously { try $0.view.schema.sorted.map(\.name) }
    let total = Int(clamping: StoreTelemetry.events(log.wholeVector))
    let (telemetry, files) = (telemetry, files)
    do {
      let outcome = try await onCommitThread { engine in
        try telemetry.rebuilding("a collection", from: UInt64(total)) { gauge in
          try engine.rebuild(collection: collection) { done in
            let step = RebuildProgress(phase: .reading, done: done, total: max(total, done))
            gauge(step)
            progress(step)
          }
        }
      }
      try await Blocking.surfacing { RebuildTurn.announce(files) }
      return outcome
    } catch let error as StoreError where error.code == .unknownName {
      throw StoreError(
        .unknownName, error.message,
        hint: NameSuggestion.hint(for: collection, among: known, none: "Nothing is defined yet"))
    } catch {
      throw StoreError.orNoSpace(
        error, "the collection stays as it was", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  /// Builds a read model of some events, in a file of its own.
  /// - Parameters:
  ///   - selection: the events.
  ///   - file: the file to make; it must not exist yet.
  ///   - progress: called on a thread of its own.
  /// - Throws: ``StoreError`` `noSpace`; what reading the log throws.
  package func build(
    _ selection: Selection, into file: URL,
    _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> Rebuild.Outcome {
    let feed = feed
    return try await Blocking.surfacing {
      do {
        return try Rebuild(source: feed, progress: progress).run(
          into: file.path(percentEncoded: false), selection: selection)
      } catch {
        throw StoreError.orNoSpace(
          error, "the read model was not made", in: file.deletingLastPathComponent(),
          FileManager.default.temporaryDirectory)
      }
    }
  }
}
