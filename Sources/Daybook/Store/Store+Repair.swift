public import Foundation

extension Store {
  /// Puts a store right that nobody has open: a damaged log, mark, identity or read model.
  ///
  /// What can be put right without losing an event is: damaged indexes, the mark, torn tails, the read
  /// model, and events that one of the `sources` has, which must continue this store's chain of
  /// hashes. Where events would be lost, nothing is done without `acceptsLoss`. With it, the sound
  /// events stay: those before an origin's first lost one are its state, those behind it wait in the
  /// log until the lost ones are found. Damaged files are copied to `quarantine/` before they are
  /// replaced, and nothing is deleted. Stopped at any point, it can be done again.
  ///
  /// Cost: reads everything, twice, and may make the read model again.
  /// - Parameters:
  ///   - sources: backups' folders, or other copies of the store, asked in turn.
  ///   - acceptsLoss: whether to go on where events are lost.
  ///   - isDryRun: only say what would be done.
  ///   - options: for opening the store: the logger and the like.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` (an identity that cannot be made
  ///   again), `noSpace`, `ioFailed`; `LogError` `locked` where another process has the store open.
  public static func repair(
    at url: URL, from sources: [URL] = [], acceptsLoss: Bool = false, isDryRun: Bool = false,
    options: Options = Options(),
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> RepairReport {
    try await Blocking.run {
      var repair = StoreRepair(
        url, sources: sources, acceptsLoss: acceptsLoss, isDryRun: isDryRun, options: options)
      let outcome = "the repair was not finished, and can be done again"
      do { return try repair.run(progress) } catch let error as StoreError
        where error.code == .noSpace
      {
        // It says itself what needs room, and where.
        throw StoreError(.noSpace, "\(error.message); \(outcome)", hint: error.hint)
      } catch { throw StoreError.orNoSpace(error, outcome, in: url) }
    }
  }
}
