import Daybook
import DaybookLogEngine
import DaybookSimulation
import Foundation

/// Checks of the images that power failures leave.
///
/// Each image is opened in another folder and compared with what the store had acknowledged.
extension StoreRun {
  /// Checks an image of a power failure.
  ///
  /// - Parameters:
  ///   - whole: The numbers of all writes, in the order of the store's own log.
  ///   - isWatched: Whether further power failures happen while the image is opened.
  ///   - isOnFaultyDisk: Whether calls had failed. Refused writes may then be in the image but not
  ///     in `whole`, or the reverse.
  mutating func check(
    _ image: DiskWatch.Image, _ whole: [Int], isWatched: Bool, isOnFaultyDisk: Bool = false
  ) async throws {
    statistics.images += 1
    story.append("the power goes at \(image.moment), \(image.acknowledged.count) acknowledged")
    guard image.files["\(Self.folderName)/identity"] != nil else {
      // The power failed before the store existed.
      guard image.acknowledged.isEmpty else {
        throw Violation(.kept, "there is no store, and \(image.acknowledged.sorted()) are lost")
      }
      return
    }
    let place = base.appending(path: isWatched ? "image" : "image-of-image")
    let copy = place.appending(path: Self.folderName)
    try Self.put(image, in: place)
    let acknowledged = image.acknowledged
    let watch = DiskWatch(place, seed: random.next()) { acknowledged }
    if isWatched {
      watch.start()
      watch.plan(at: anyMoment())
    }
    let digest: Store.DigestReport
    do {
      digest = try await open(copy, image, whole, isOnFaultyDisk)
    } catch {
      _ = watch.stop()
      throw error
    }
    if isWatched { _ = watch.stop() }
    for second in watch.takeImages() {
      statistics.imagesOfRecovery += 1
      try await check(second, whole, isWatched: false, isOnFaultyDisk: isOnFaultyDisk)
    }
    try await openAgain(copy, digest)
    try FileManager.default.removeItem(at: place)
  }

  static func put(_ image: DiskWatch.Image, in folder: URL) throws {
    try? FileManager.default.removeItem(at: folder)
    for name in image.folders {
      try FileManager.default.createDirectory(
        at: name.isEmpty ? folder : folder.appending(path: name), withIntermediateDirectories: true)
    }
    for (name, bytes) in image.files { try Data(bytes).write(to: folder.appending(path: name)) }
  }

  /// Opens the image for the first time, checks it, and closes it.
  private mutating func open(
    _ copy: URL, _ image: DiskWatch.Image, _ whole: [Int], _ isOnFaultyDisk: Bool
  ) async throws -> Store.DigestReport {
    let before = Self.setAside(copy)
    let store: Store
    do { store = try await Store.open(at: copy, options: Self.options) } catch {
      throw Violation(.recoverable, "\(error)")
    }
    // Also if the read model has applied events that the log does not hold.
    if let finding = store.damage.first { throw Violation(.noFalseAlarm, "\(finding)") }
    let found = try await labels(store)
    let lost = image.acknowledged.subtracting(found)
    guard lost.isEmpty else { throw Violation(.kept, "writes \(lost.sorted()) are lost") }
    guard Set(found).count == found.count else { throw Violation(.once, "\(found)") }
    guard isOnFaultyDisk || StoreWrite.isBeginning(found, of: whole) else {
      throw Violation(.genuine, "\(found) is no beginning of \(whole)")
    }
    let digest = try await store.digest()
    let count = try await Self.rows(store)
    guard count == found.count else {
      throw Violation(.projected, "\(count) rows of \(found.count) writes")
    }
    if random.below(4) == 0 { try await checkTexts(store) }
    try await store.close()
    if let name = Self.setAside(copy).first(where: { !before.contains($0) }) {
      throw Violation(.noFalseAlarm, "\(name) was set aside")
    }
    try await Self.verify(copy)
    return digest
  }

  /// Checks that opening a second time changes nothing, and that the store accepts writes.
  private func openAgain(_ copy: URL, _ digest: Store.DigestReport) async throws {
    let store: Store
    do { store = try await Store.open(at: copy, options: Self.options) } catch {
      throw Violation(.idempotent, "\(error)")
    }
    guard store.recovery.isClean, try await store.digest() == digest else {
      throw Violation(.idempotent, "\(store.recovery)")
    }
    for number in next..<next + 2 {
      try await StoreWrite(number: number, size: 100, noise: seed).run(in: store)
    }
    try await store.close()
    try await Self.verify(copy)
  }
}
