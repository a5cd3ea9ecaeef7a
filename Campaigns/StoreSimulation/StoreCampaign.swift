package import Foundation

/// Counts of what happened in runs of whole stores.
package struct StoreStatistics: Sendable {
  package var runs = 0
  package var calls = 0
  package var writes = 0
  package var syncs = 0
  package var rebuilds = 0
  package var images = 0
  package var imagesOfRecovery = 0
  package var failedCalls = 0
  /// Steps that ended with an error because calls failed.
  package var refusals = 0
  package var damages = 0
  package var repairs = 0
  /// Number of times a lock file was removed or replaced, or a stray file added, in a store in use.
  package var meddled = 0
  /// Texts that were compared with the reference model.
  package var texts = 0

  package init() {}

  package mutating func add(_ other: StoreStatistics) {
    runs += other.runs
    calls += other.calls
    writes += other.writes
    syncs += other.syncs
    rebuilds += other.rebuilds
    images += other.images
    imagesOfRecovery += other.imagesOfRecovery
    failedCalls += other.failedCalls
    refusals += other.refusals
    damages += other.damages
    repairs += other.repairs
    meddled += other.meddled
    texts += other.texts
  }

  package var description: String {
    "\(calls) calls to the system, \(writes) writes, \(syncs) syncs, "
      + "\(rebuilds) rebuilds while open, "
      + "\(images) images of what a power failure leaves, \(imagesOfRecovery) of them while "
      + "another was opened; \(failedCalls) failed calls, \(refusals) steps refused for them; "
      + "\(damages) damaged stores, \(repairs) repaired; "
      + "\(meddled) lock files taken away and stray files; "
      + "\(texts) texts compared"
  }
}

/// A series of runs of whole stores.
package struct StoreCampaign: Sendable {
  package struct Failure: Sendable {
    package var seed: UInt64
    package var message: String
    package var story: [String]
  }

  package private(set) var statistics = StoreStatistics()
  /// The steps of the last run, one line each.
  package private(set) var story: [String] = []
  private let folder: URL

  /// Whether the calls of this program can be observed.
  package static var isPossible: Bool { StoreRun.isPossible }

  /// - Parameter folder: The parent folder of the stores; nil for `/dev/shm` if it is writable,
  ///   otherwise the temporary folder.
  package init(in folder: URL? = nil) {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path())
    let parent = folder ?? (isThere ? memory : FileManager.default.temporaryDirectory)
    self.folder = parent.appending(
      path: "daybook-campaign-\(UUID())", directoryHint: .isDirectory)
  }

  /// Runs each seed until one fails.
  ///
  /// - Parameter temper: The temper of all runs; nil if the seeds decide.
  /// - Returns: The first run that failed, whose files remain; nil if none failed.
  package mutating func run(seeds: Range<UInt64>, _ temper: StoreRun.Temper? = nil) async
    -> Failure?
  {
    for seed in seeds {
      var run = StoreRun(seed: seed, temper, in: folder)
      do { try await run.run() } catch {
        let place = "the files are in \(folder.path(percentEncoded: false))"
        return Failure(seed: seed, message: "\(error)", story: run.story + [place])
      }
      statistics.add(run.statistics)
      story = run.story
    }
    try? FileManager.default.removeItem(at: folder)
    return nil
  }
}
