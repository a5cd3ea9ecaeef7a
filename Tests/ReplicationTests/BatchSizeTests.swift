import DaybookReplication
import DaybookSimulation
import Testing

@Suite struct BatchSizeTests {
  /// A line with a speed, which breaks after a number of bytes, in simulated time.
  private struct Line {
    var bytesPerSecond: Double
    /// The bytes of a connection; nil if it lasts.
    var cutBytes: Int?
    /// The largest message that passes; nil if all do.
    var messageBytesMax: Int?
    /// The time after which a message that has not arrived counts as lost.
    var patience = Duration.seconds(360)
    var latency = Duration.milliseconds(300)

    private(set) var carried = 0
    private var connection = 0

    init(bytesPerSecond: Double, cutBytes: Int? = nil, messageBytesMax: Int? = nil) {
      self.bytesPerSecond = bytesPerSecond
      self.cutBytes = cutBytes
      self.messageBytesMax = messageBytesMax
    }

    /// - Returns: the time that the message took; nil if it was lost.
    mutating func carry(_ bytes: Int) -> Duration? {
      if let messageBytesMax, bytes > messageBytesMax { return nil }
      if let cutBytes, connection + bytes > cutBytes {
        carried += cutBytes - connection
        connection = 0
        return nil
      }
      let time = latency + .seconds(Double(bytes) / bytesPerSecond)
      connection += bytes
      carried += bytes
      return time > patience ? nil : time
    }
  }

  /// Sends events in ranges of the usual size, and returns the largest batch and the number of
  /// losses in a row.
  private func send(
    _ count: Int, in pieces: ClosedRange<Int>, over line: inout Line, _ size: inout BatchSize,
    seed: UInt64
  ) -> (largest: Int, losses: Int) {
    var random = SplitMix64(seed: seed)
    var (largest, losses, inRow) = (0, 0, 0)
    var left = count
    var piece = random.pick(pieces)
    while left > 0, inRow < 20 {
      var batch = min(piece, left)
      var next = random.pick(pieces)
      while batch + next <= size.bytes, batch + next <= left {
        batch += next
        next = random.pick(pieces)
      }
      if let time = line.carry(batch) {
        size.noteArrived(batch, in: time)
        (left, piece, inRow) = (left - batch, next, 0)
        largest = max(largest, batch)
      } else {
        size.noteLost(batch)
        inRow += 1
        losses = max(losses, inRow)
      }
    }
    #expect(left == 0)
    return (largest, losses)
  }

  @Test("over a line that is cut every 200 kB, at most a fifth is sent twice")
  func cutLine() {
    for seed in 1...50 as ClosedRange<UInt64> {
      for total in [2_500_000, 6_000_000] {
        var line = Line(bytesPerSecond: 12_000, cutBytes: 200_000)
        var size = BatchSize()
        // An author makes its ranges as small as the batch.
        _ = send(total, in: 12_000...18_000, over: &line, &size, seed: seed)
        #expect(Double(line.carried) <= 1.2 * Double(total), "seed \(seed)")
        // Others pass on ranges as they are.
        line = Line(bytesPerSecond: 12_000, cutBytes: 200_000)
        size = BatchSize()
        _ = send(total, in: 24_000...34_000, over: &line, &size, seed: seed)
        #expect(Double(line.carried) <= 1.2 * Double(total), "seed \(seed)")
      }
    }
  }

  @Test("batches grow to the largest on a good line, within a few messages")
  func goodLine() {
    var line = Line(bytesPerSecond: 10_000_000)
    var size = BatchSize()
    let (largest, losses) = send(60 << 20, in: 30_000...50_000, over: &line, &size, seed: 1)
    #expect(largest > BatchSize.most - 50_000 && losses == 0 && size.bytes == BatchSize.most)
  }

  @Test("a batch over a slow line takes seconds, not minutes")
  func slowLine() {
    for speed in [300, 1000, 12_000, 100_000] as [Double] {
      var line = Line(bytesPerSecond: speed)
      var size = BatchSize()
      let (largest, losses) = send(5_000_000, in: 1000...15_000, over: &line, &size, seed: 2)
      #expect(losses == 0)
      #expect(Double(largest) / speed < 240, "\(speed)")
      #expect(size.bytes == BatchSize.least || Double(size.bytes) / speed <= 40, "\(speed)")
    }
  }

  @Test("a proxy that takes at most 1 MB is passed, with few refusals")
  func smallProxy() {
    var line = Line(bytesPerSecond: 1_000_000, messageBytesMax: 1_000_000)
    var size = BatchSize()
    let (largest, losses) = send(30 << 20, in: 30_000...50_000, over: &line, &size, seed: 3)
    #expect((1...2).contains(losses) && largest > 300_000)
  }

  @Test("batches grow again when a line has become better")
  func betterLine() {
    var line = Line(bytesPerSecond: 12_000, cutBytes: 60_000)
    var size = BatchSize()
    _ = send(3_000_000, in: 10_000...16_000, over: &line, &size, seed: 4)
    #expect(size.bytes <= 64 << 10)
    line = Line(bytesPerSecond: 5_000_000)
    _ = send(40 << 20, in: 10_000...16_000, over: &line, &size, seed: 5)
    #expect(size.bytes == BatchSize.most)
  }
}
