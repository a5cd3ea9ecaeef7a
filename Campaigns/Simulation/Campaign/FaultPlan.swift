/// One fault in a run, and its moment.
package enum FaultPlan: Hashable, CustomStringConvertible {
  case powerLoss(SimulatedDisk.Moment)
  /// One process dies within a call; the others go on.
  case death(SimulatedDisk.Moment)
  case once(SimulatedDisk.Failure, SimulatedDisk.Moment)
  /// Every call fails from the n-th on, or every call of one kind.
  case forGood(SimulatedDisk.Failure, Int, SimulatedDisk.Operation?)
  /// The disk has only this number of bytes left.
  case nearlyFull(Int)
  /// The n-th write goes wrong and reports success.
  case silent(SimulatedDisk.Failure, Int)

  package var description: String {
    switch self {
    case .powerLoss(let moment): "the power goes at \(moment)"
    case .death(let moment): "a process dies at \(moment)"
    case .once(let failure, let moment): "\(failure) at \(moment)"
    case .forGood(let failure, let n, let operation):
      "\(failure) for good from call \(n) on\(operation.map { ", in every \($0)" } ?? "")"
    case .nearlyFull(let bytes): "\(bytes) bytes are left on the disk"
    case .silent(let failure, let n): "\(failure) at write \(n)"
    }
  }

  /// The kind of faults in a run.
  package enum Temper: CaseIterable {
    case crashes, failures, lies
  }

  package static func random(_ temper: Temper, _ random: inout SplitMix64) -> FaultPlan {
    let kinds: [SimulatedDisk.Operation] = [
      .write, .write, .sync, .sync, .syncFolder, .rename, .truncate, .read, .open, .lockState,
      .allocate, .remove, .makeFolder, .list, .size,
    ]
    let kind = kinds[random.below(kinds.count)]
    // Mostly soon: a step makes between two and sixty calls.
    let moment: SimulatedDisk.Moment =
      random.below(2) == 0
      ? .call(1 + random.below(random.below(3) == 0 ? 60 : 15)) : .next(kind, 1 + random.below(3))
    switch (temper, random.below(10)) {
    case (.lies, 0...3):
      return .silent(
        random.below(2) == 0 ? .silentCorruption : .misdirectedWrite, 1 + random.below(6))
    case (.failures, 0...2):
      return .once(random.below(3) == 0 ? .noSpace : .ioFailed, moment)
    case (.failures, 3...4):
      let operation: SimulatedDisk.Operation? = random.below(2) == 0 ? nil : kind
      return .forGood(
        random.below(2) == 0 ? .noSpace : .ioFailed, 1 + random.below(20), operation)
    case (.failures, 5): return .nearlyFull(random.below(1500))
    case (_, 6...7): return .death(moment)
    default: return .powerLoss(moment)
    }
  }

  package func inject(into disk: SimulatedDisk) {
    switch self {
    case .powerLoss(let moment), .death(let moment): disk.inject(.powerLoss, at: moment)
    case .once(let failure, let moment): disk.inject(failure, at: moment)
    case .forGood(let failure, let n, let operation):
      disk.injectForGood(failure, from: n, operation)
    case .nearlyFull(let bytes):
      disk.setCapacity(disk.files.values.reduce(bytes) { $0 + $1.count })
    case .silent(let failure, let n): disk.inject(failure, at: .next(.write, n))
    }
  }
}

extension SplitMix64 {
  /// Returns a number from 0 to `count` - 1.
  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
