package import Foundation

/// What runs of whole stores have been through.
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
  /// How often a lock file was taken away or a stray file put there, while the store was in use.
  package var meddled = 0

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
  }

  package var description: String {
    "\(calls) calls to the system, \(writes) writes, \(syncs) syncs, \(rebuilds) rebuilds while open, "
      + "\(images) images of what a power failure leaves, \(imagesOfRecovery) of them while another "
      + "was opened; \(failedCalls) failed calls, \(refusals) steps refused for them; "
      + "\(damages) damaged stores, \(repairs) repaired; "
      + "\(meddled) lock files taken away and stray files"
  }
}

/// Many runs of whole stores, one after another.
package struct StoreCampaign: Sendable {
  package struct Failure: Sendable {
    package var seed: UInt64
    package var message: String
    package var story: [String]
  }

  package private(set) var statistics = StoreStatistics()
  /// The story of the last run.
  package private(set) var story: [String] = []
  private let folder: URL

  /// Whether the calls of this program can be seen.
  package static var isPossible: Bool { StoreRun.isPossible }

  /// - Parameter folder: for the stores; nil for memory where there is a file system in it, and the
  ///   temporary folder elsewhere.
  package init(in folder: URL? = nil) {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path())
    let parent = folder ?? (isThere ? memory : FileManager.default.temporaryDirectory)
    self.folder = parent.appending(
      path: "daybook-campaign-\(UUID())", directoryHint: .isDirectory)
  }

  /// - Returns: the first run that failed; nil where none did. Its files are left.
  /// - Parameter temper: of all runs; nil for those that the seeds decide.
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
