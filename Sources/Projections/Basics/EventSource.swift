package import DaybookEventCore

/// The events that the projector reads: to apply new ones, to rebuild, and to find values of older
/// writes, which only the log holds.
package protocol EventSource {
  /// The events that can be projected: each origin's contiguous prefix, private origins included.
  var wholeVector: VersionVector { get throws }

  /// The sum of the unpacked sizes of all frames, in bytes: the amount that a rebuild reads.
  var rawBytes: Int { get throws }

  /// Calls `body` with each event of `range`, ascending, without copying.
  /// - Throws: what reading the log or `body` throws.
  func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (_ sequence: UInt64, _ event: EventView) throws -> Void
  ) throws

  /// Calls `body` with the frames that hold events beyond `vector`, in log order, except that an
  /// origin's frames come in sequence. Frames beyond a gap are left out.
  func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws
}
