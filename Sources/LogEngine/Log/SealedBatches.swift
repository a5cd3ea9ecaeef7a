import DaybookEventCore
import DaybookFrames

/// Joins an origin's events into the frames of a sealed segment, and decides which heads stay.
///
/// A head signs all events before it. So a head is superfluous if a later one of the same zones
/// follows in the same frame: a replica that asks for a part of the frame can be sent all of it. A
/// frame ends at the last head in it; events behind that head begin the next frame.
struct SealedBatches {
  /// A head as the old segment has it.
  struct StoredHead: Hashable {
    var entry: HeadEntry
    var zone: [UInt8]
  }

  /// Consecutive events that become one frame.
  struct Batch {
    var first: UInt64
    var count: Int
    /// The events as bytes; empty if ``frame`` is stored as it is.
    var raw: [UInt8] = []
    /// The chain value after the last event.
    var chain: Hash256
    /// The heads at the last event that sign this chain value.
    var heads: [StoredHead]
    var frame: Frame?

    fileprivate func isFollowed(by next: Batch) -> Bool { first + UInt64(count) == next.first }

    fileprivate mutating func append(_ next: Batch) {
      raw.append(contentsOf: next.raw)
      count += next.count
      chain = next.chain
      heads = next.heads
    }
  }

  /// The most bytes of events in a frame that is made of several.
  let limit: Int
  /// The number of heads that were left out.
  private(set) var superseded = 0
  /// Events up to a head.
  private var closed: Batch?
  /// Events that no head closes yet; they follow `closed`, if that is there.
  private var open: Batch?

  init(limit: Int) { self.limit = limit }

  /// Adds the events that follow, which end at a head, if they have one.
  ///
  /// - Returns: the batches that are complete by now, in order.
  mutating func add(_ piece: Batch) -> [Batch] {
    var done: [Batch] = []
    let last = open ?? closed
    if piece.frame != nil || last.map({ !$0.isFollowed(by: piece) }) ?? false {
      done = finish()
    } else if bytes(closed) + bytes(open) + piece.raw.count > limit {
      if let batch = take(&closed) { done.append(batch) }
      if bytes(open) + piece.raw.count > limit, let batch = take(&open) { done.append(batch) }
    }
    if piece.frame != nil { return done + [piece] }
    if open == nil { open = piece } else { open?.append(piece) }
    guard !piece.heads.isEmpty, let signed = take(&open) else { return done }
    if let before = closed {
      let zones = Set(signed.heads.map(\.zone))
      if before.heads.allSatisfy({ zones.contains($0.zone) }) {
        superseded += before.heads.count
        closed?.append(signed)
        return done
      }
      done.append(before)
    }
    closed = signed
    return done
  }

  /// Returns what is left, in order.
  mutating func finish() -> [Batch] { [take(&closed), take(&open)].compactMap(\.self) }

  private func bytes(_ batch: Batch?) -> Int { batch?.raw.count ?? 0 }

  private func take(_ batch: inout Batch?) -> Batch? {
    defer { batch = nil }
    return batch
  }
}
