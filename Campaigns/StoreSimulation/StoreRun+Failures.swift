import Daybook
import DaybookLogEngine
import DaybookProjections
import DaybookSimulation
import Foundation
import GRDB

/// Runs with system calls that fail once or for good, on a disk that is full or has I/O errors.
extension StoreRun {
  /// Runs a store whose calls fail from time to time.
  ///
  /// A step may end with an error, but only with a typed one. Acknowledged writes stay, and refused
  /// writes never appear. When the disk works again, the store must work too.
  mutating func fail() async throws {
    stores = Array(repeating: nil, count: 1 + random.below(2))
    let watch = watchFolder()
    var whole: [Int] = []
    do {
      for _ in 0..<3 + random.below(4) { try await failForAWhile(watch) }
      try await closeAll()
      whole = try await end(watch)
    } catch {
      _ = watch.stop()
      throw error
    }
    try await Self.verify(folder)
    for image in watch.takeImages() {
      try await check(image, whole, isWatched: random.below(2) == 0, isOnFaultyDisk: true)
    }
  }

  private mutating func failForAWhile(_ watch: DiskWatch) async throws {
    for _ in 0..<1 + random.below(2) {
      let fault = DiskFault.random(&random)
      story.append("\(fault)")
      watch.inject(fault)
    }
    let before = Self.setAside(folder)
    ledger.fail(true)
    for _ in 0..<2 + random.below(4) {
      if random.below(2) == 0 { watch.plan(at: anyMoment()) }
      for case .failure(let error) in await perform(anySteps()) {
        story.append("… which ended with: \(error)")
        statistics.refusals += 1
        try Self.requireTyped(error)
      }
      // A store opened during the failures must not report damage.
      for finding in stores.compactMap({ $0?.damage.first }) {
        throw Violation(.noFalseAlarm, "\(finding)")
      }
    }
    let failures = watch.heal()
    story += failures.story.map { "  it was: \($0)" }
    statistics.failedCalls += failures.story.count
    story.append("the disk works again")
    if let name = Self.setAside(folder).first(where: { !before.contains($0) }) {
      throw Violation(.noFalseAlarm, "\(name) was set aside because calls failed")
    }
    // Once there is space again, open instances go on.
    if failures.codes.isSubset(of: [ENOSPC]), !failures.hasLostSync { try await goOn(failures) }
    try await reopen()
    ledger.fail(false)
  }

  /// Checks that an error has a type of its own, with a code and a message.
  static func requireTyped(_ error: any Error) throws {
    switch error {
    case is StoreError, is DatabaseError: return
    case let violation as Violation: throw violation
    default: throw Violation(.explained, "\(type(of: error)): \(error)")
    }
  }

  private mutating func goOn(_ failures: DiskWatch.Failures) async throws {
    for index in stores.indices where stores[index] != nil {
      let write = someWrites()
      for case .failure(let error) in await perform([(index, .write(write))]) {
        // After a failed sync the content of the disk is unknown, and the log must be opened again.
        if let error = error as? StoreError, error.code == .poisoned { continue }
        throw Violation(.recoverable, "there is room again, and instance \(index) says: \(error)")
      }
    }
  }

  /// Closes all instances, and checks the store on a disk that works.
  private mutating func reopen() async throws {
    for index in stores.indices {
      guard let store = stores[index] else { continue }
      stores[index] = nil
      // An instance that has failed may fail once more.
      try? await store.close()
    }
    let store: Store
    do { store = try await Store.open(at: folder, options: Self.options) } catch {
      throw Violation(.recoverable, "\(error)")
    }
    if let finding = store.damage.first { throw Violation(.noFalseAlarm, "\(finding)") }
    guard store.replica == replica else {
      throw Violation(.identity, "the store writes as \(store.replica), and was \(replica)")
    }
    let found = try await labels(store)
    let lost = ledger.acknowledged.subtracting(found)
    guard lost.isEmpty else { throw Violation(.kept, "writes \(lost.sorted()) are lost") }
    guard Set(found).count == found.count else { throw Violation(.once, "\(found)") }
    let back = ledger.refused.intersection(found)
    guard back.isEmpty else {
      throw Violation(.takenBack, "\(back.sorted()) were said not to be written, and are there")
    }
    // From now on these writes are durable.
    for number in found { ledger.acknowledge(number) }
    let rows = try await Self.rows(store)
    guard rows == found.count else {
      throw Violation(.projected, "\(rows) rows of \(found.count) writes")
    }
    do { try await writeOnce(store) } catch {
      throw Violation(.recoverable, "the disk works, and: \(error)")
    }
    try await store.close()
    try await Self.verify(folder)
  }

  private mutating func writeOnce(_ store: Store) async throws {
    let write = StoreWrite(number: next, size: 50, noise: random.next())
    next += 1
    ledger.begin(write)
    try await write.run(in: store)
    ledger.acknowledge(write.number)
  }
}
