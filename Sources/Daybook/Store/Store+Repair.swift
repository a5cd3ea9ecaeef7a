import DaybookEngine
public import Foundation

extension Store {
  /// Repairs a store that no process has open: a damaged log, mark, identity or read model.
  ///
  /// Without losing an event, it repairs damaged indexes, the mark, torn tails and the read model.
  /// It also fetches lost events from the `sources`; they must continue this store's chain of
  /// hashes. If events would be lost, nothing is done without `acceptsLoss`. With it, all sound
  /// events stay. Those before an origin's first lost event are its state, and those after it wait
  /// in the log until the lost ones are found. Damaged files are copied to `quarantine/` before
  /// they are replaced, and nothing is deleted. A repair that was interrupted at any point can be
  /// run again.
  ///
  /// Cost: reads everything twice, and may rebuild the read model.
  /// - Parameters:
  ///   - url: the folder of the store.
  ///   - sources: folders of backups, or of stores that have synced with this one, asked in this
  ///     order.
  ///   - acceptsLoss: whether to continue if events are lost.
  ///   - isDryRun: whether only to report what would be done.
  ///   - options: the options for opening the store, such as the logger.
  ///   - progress: called with the bytes that have been read, and their total.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` (an identity that cannot be
  ///   made again), `noSpace` or `ioFailed`; `locked` if another process has the store
  ///   open.
  public static func repair(
    at url: URL, from sources: [URL] = [], acceptsLoss: Bool = false, isDryRun: Bool = false,
    options: Options = Options(),
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.RepairReport {
    try await Blocking.run {
      var repair = StoreRepair(
        url, sources: sources, acceptsLoss: acceptsLoss, isDryRun: isDryRun, options: options.engine
      )
      let outcome = "the repair was not finished, and can be done again"
      do { return try repair.run(progress) } catch let error as StoreError
        where error.code == .noSpace
      {
        // The error itself says where room is needed.
        throw StoreError(.noSpace, "\(error.message); \(outcome)", hint: error.hint)
      } catch { throw StoreError.orNoSpace(error, outcome, in: url) }
    }
  }
}
