import Daybook
import DaybookLogEngine
import DaybookSimulation
import Foundation
import GRDB

/// Runs that damage the files of a store between two lives.
///
/// The store was closed in order, or a power failure ended it. `verify` must find the damage, and
/// damaged bytes are never served as data. The store opens and serves what is sound, or throws a
/// typed error. With a copy at hand, `repair` restores everything.
extension StoreRun {
  mutating func hurt() async throws {
    let watch = watchFolder()
    var copies: [(folder: URL, acknowledged: Set<Int>, isOrderly: Bool)] = []
    do {
      for life in 0..<2 + random.below(2) {
        for _ in 0..<3 + random.below(6) {
          if random.below(3) == 0 { watch.plan(at: anyMoment()) }
          for case .failure(let error) in await perform(anySteps()) { throw error }
        }
        try await closeAll()
        guard !ledger.acknowledged.isEmpty else { continue }
        let copy = base.appending(path: "life-\(life)")
        try FileManager.default.copyItem(at: folder, to: copy)
        copies.append((copy, ledger.acknowledged, true))
      }
    } catch {
      _ = watch.stop()
      throw (error as? Violation) ?? Violation(.explained, "on a disk that works: \(error)")
    }
    let whole = try await end(watch)
    for (number, image) in watch.takeImages().prefix(3).enumerated() {
      let copy = base.appending(path: "image-\(number)")
      try Self.put(image, in: copy)
      copies.append((copy.appending(path: Self.folderName), image.acknowledged, false))
    }
    for copy in copies {
      for _ in 0..<3 { try await hurt(copy.folder, copy.acknowledged, copy.isOrderly, whole) }
    }
  }

  private mutating func hurt(
    _ folder: URL, _ acknowledged: Set<Int>, _ isOrderly: Bool, _ whole: [Int]
  ) async throws {
    let hurt = base.appending(path: "hurt")
    try? FileManager.default.removeItem(at: hurt)
    try FileManager.default.copyItem(at: folder, to: hurt)
    story.append(
      "of \(folder.lastPathComponent), \(isOrderly ? "closed" : "left by a power failure"):")
    var isChanged = false
    // The power failure may have torn the mark already, or come before the first mark of a segment.
    var (hasRemoved, hasHitEnd) = (false, !isOrderly && Self.isMarkBehind(hurt))
    var names: Set<String> = []
    for _ in 0..<1 + random.below(3) {
      guard let damage = StoreDamage.random(in: hurt, &random) else { continue }
      let isRemoved = if case .remove = damage { true } else { false }
      if isRemoved || damage.name == "log/mark" {
        // If all evidence of the log's length is damaged, the loss cannot be detected.
        if hasHitEnd { continue }
        (hasHitEnd, hasRemoved) = (true, isRemoved)
      }
      story.append("  \(damage)")
      guard try damage.apply(to: hurt) else { continue }
      isChanged = true
      names.insert(damage.name)
    }
    statistics.damages += 1
    let opened = base.appending(path: "hurt-opened")
    try? FileManager.default.removeItem(at: opened)
    try FileManager.default.copyItem(at: hurt, to: opened)
    if isOrderly, isChanged, !hasRemoved { try await expectFound(hurt, names) }
    // A power failure during a checkpoint leaves part of the write-ahead log in the read model. If
    // the rest is then damaged, opening cannot detect it. `verify` can, and repair uses its
    // findings.
    let isTold = isOrderly || !names.contains("read-model.sqlite-wal")
    try await serve(opened, acknowledged, whole, isTold: isTold)
    try await mend(hurt, acknowledged, isOrderly, whole)
  }

  /// Whether the mark does not prove that the log's last segment has existed: it is torn, or older.
  private static func isMarkBehind(_ store: URL) -> Bool {
    let log = store.appending(path: "log")
    guard let mark = try? Array(Data(contentsOf: log.appending(path: "mark"))),
      MarkFile.fault(in: mark) == nil
    else { return true }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: log.path)) ?? []
    let last = names.filter { $0.hasSuffix(".segment") }.compactMap {
      UInt64($0.prefix(16), radix: 16)
    }
    let marked = MarkFile.slots(in: mark).compactMap { $0?.position.segment }.max()
    return (marked ?? 0) < (last.max() ?? 0)
  }

  /// Checks that `verify` finds the damage: after an orderly close, checksums cover all relevant
  /// bytes.
  private func expectFound(_ hurt: URL, _ names: Set<String>) async throws {
    // Notes for people have no checksum.
    let harmless = ["incidents", "last-backup", "peers", "read-model.sqlite-shm"]
    guard !names.isSubset(of: harmless) else { return }
    let found = try? await Store.verify(at: hurt)
    guard found?.isSound != true else { throw Violation(.noSilence, "verify finds nothing") }
  }

  /// Checks that a damaged store serves only written data, and reports what is missing.
  ///
  /// - Parameter isTold: Whether the read model, too, must hold only right rows and report missing
  ///   ones.
  private mutating func serve(
    _ hurt: URL, _ acknowledged: Set<Int>, _ whole: [Int], isTold: Bool
  ) async throws {
    let store: Store
    do { store = try await Store.open(at: hurt, options: Self.options) } catch {
      try Self.requireTyped(error)
      story.append("  which says: \(error)")
      return
    }
    story.append("  which opens, and says: \(store.recovery)")
    let isSaid = !store.damage.isEmpty || !store.recovery.isClean
    do {
      let found = try await labels(store)
      let lost = acknowledged.subtracting(found)
      guard lost.isEmpty || isSaid else {
        throw Violation(.noSilence, "writes \(lost.sorted()) are lost without a word")
      }
      guard Set(found).count == found.count else { throw Violation(.once, "\(found)") }
      let order = whole.filter(Set(found).contains)
      guard StoreWrite.byKind(found) == StoreWrite.byKind(order) else {
        throw Violation(.genuine, "\(found) is no part of \(whole)")
      }
    } catch {
      try Self.requireTyped(error)
      story.append("  the log says: \(error)")
    }
    do { try await readRows(store, isSaid ? nil : acknowledged, isTold: isTold) } catch {
      try Self.requireTyped(error)
      story.append("  the read model says: \(error)")
    }
    do {
      try await StoreWrite(number: next, size: 100, noise: seed).run(in: store)
      guard store.damage.isEmpty else {
        throw Violation(.untouched, "a store whose log is damaged has taken a write")
      }
    } catch { try Self.requireTyped(error) }
    do { try await store.close() } catch { try Self.requireTyped(error) }
  }

  /// Checks that every served row is one that was written.
  ///
  /// - Parameter isTold: False if the file may be a mixture of old and new pages; rows are then not
  ///   judged.
  private func readRows(_ store: Store, _ expected: Set<Int>?, isTold: Bool) async throws {
    let ledger = ledger
    let numbers = try await store.read { db -> Set<Int> in
      var numbers: Set<Int> = []
      for collection in try StoreWrite.collections.filter({ try db.tableExists($0) }) {
        try db.forEachRow("SELECT id, title, data FROM \(collection)") { row in
          guard isTold else { return }
          let (id, title) = (row.text(0), row.cell(1))
          guard let number = Int(id.dropFirst()), let write = ledger.attempt(number),
            write.id == id, title == .text(write.title), write.data == row.blob(2)
          else { throw Violation(.genuine, "the row \(row.cells) is not what was written") }
          numbers.insert(number)
        }
      }
      return numbers
    }
    if isTold, let expected, !expected.isSubset(of: numbers) {
      throw Violation(
        .noSilence, "rows \(expected.subtracting(numbers).sorted()) are missing without a word")
    }
  }

  /// Checks that `repair` restores every acknowledged write from a copy of the store.
  private mutating func mend(
    _ hurt: URL, _ acknowledged: Set<Int>, _ isOrderly: Bool, _ whole: [Int]
  ) async throws {
    var report: Store.RepairReport
    do {
      report = try await Store.repair(at: hurt, from: [folder], options: Self.options)
      if report.mayHaveLostMore, !report.isDone {
        // If a whole segment is gone, only a person can say that the copy holds all of it.
        report = try await Store.repair(
          at: hurt, from: [folder], acceptsLoss: true, options: Self.options)
      }
    } catch {
      try Self.requireTyped(error)
      // A lost identity whose key is lost too cannot be restored, and repair says so.
      guard let error = error as? StoreError, [.damaged, .notAStore].contains(error.code) else {
        throw Violation(.recoverable, "repair with a copy at hand: \(error)")
      }
      story.append("  repair says: \(error)")
      return
    }
    guard report.isSound, report.lost.isEmpty else {
      throw Violation(.recoverable, "repair with a copy at hand: \(report)")
    }
    let after = try await Store.verify(at: hurt)
    // A key of another identity stays: the store takes a new identity at its next write.
    guard after.log.isSound, after.readModelFindings.isEmpty, after.difference == nil else {
      throw Violation(.projected, "repaired: \(after)")
    }
    let found = try await labels(hurt)
    let lost = acknowledged.subtracting(found)
    // The tail that was cut off is reported and kept in the quarantine. After a power failure the
    // mark may be older than the last acknowledged write; damage behind it looks like an incomplete
    // write.
    let isSaid = report.actions.contains {
      $0.contains("unacknowledged or damaged") || !isOrderly && $0.contains("never acknowledged")
    }
    // If identity, key and read model are damaged, it is unknown which copies belong to this store.
    let isNobody =
      report.mayHaveLostMore && report.actions.contains { $0.contains("made again from the key") }
    guard lost.isEmpty || isSaid || isNobody else {
      throw Violation(.kept, "repaired, and \(lost.sorted()) are lost: \(report)")
    }
    // Fetched events come after those that were present, so compare without their order.
    let sorted = whole.filter(Set(found).contains)
    guard StoreWrite.isBeginning(sorted, of: whole), Set(found).count == found.count,
      sorted.count == found.count
    else {
      throw Violation(.genuine, "repaired, \(found) is no beginning of \(whole)")
    }
    statistics.repairs += 1
  }
}
