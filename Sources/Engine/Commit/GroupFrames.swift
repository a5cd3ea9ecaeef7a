import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import Dispatch

/// The events of one origin that a group writes, in as many frames as they need.
///
/// If a frame is so large that sealing would keep it as it is, it is packed at the highest
/// compression at once, on another thread. This takes about as long as running the next
/// transaction.
struct GroupFrames {
  private let packer: FramePacker
  private var builder: FrameBuilder
  private var full: [FramePacker.Packed] = []
  private var fullBytes = 0

  init(_ builder: FrameBuilder, packer: FramePacker) {
    self.builder = builder
    self.packer = packer
  }

  var origin: ReplicaID { builder.origin }
  var nextSequence: UInt64 { builder.nextSequence }
  /// The bytes of the events so far, before compression.
  var rawLength: Int { fullBytes + builder.rawLength }

  /// Appends an event, in a new frame if the current one has no room for it.
  /// - Throws: ``FrameError/Code/tooLarge`` if no frame can take the event; no frame has it then.
  mutating func append(_ event: EncodedEvent) throws {
    if builder.count > 0, builder.rawLength + event.size > Body.eventBytesMax { close() }
    try builder.append(event)
    if builder.rawLength >= EventLog.Options.defaultSealCopyBytes { close() }
  }

  private mutating func close() {
    full.append(packer.pack(builder))
    fullBytes += builder.rawLength
    builder = FrameBuilder(
      origin: builder.origin, firstSequence: builder.nextSequence, chainBefore: builder.chain)
  }

  /// Waits for the frames that are being packed, and returns all frames in order.
  func finish() throws -> [Frame] {
    var frames = try full.map { try $0.get() }
    if builder.count > 0 { frames.append(try builder.finish(.fast)) }
    return frames
  }
}

/// Packs frames on a queue of its own.
final class FramePacker: Sendable {
  /// A frame that may not be packed yet.
  final class Packed: Sendable {
    private let isDone = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Frame, FrameError>?>(nil)

    fileprivate func set(_ outcome: Result<Frame, FrameError>) {
      result.withLock { $0 = outcome }
      isDone.signal()
    }

    /// Waits until the frame is packed, and returns it.
    func get() throws -> Frame {
      isDone.wait()
      // Lets a later call pass at once.
      isDone.signal()
      guard let outcome = result.withLock({ $0 }) else {
        throw StoreError(.other, "a frame was not packed")
      }
      return try outcome.get()
    }
  }

  private let queue = DispatchQueue(label: "daybook.pack", qos: .userInitiated)

  func pack(_ builder: FrameBuilder) -> Packed {
    let packed = Packed()
    queue.async {
      packed.set(Result { () throws(FrameError) in try builder.finish(.high) })
    }
    return packed
  }
}
