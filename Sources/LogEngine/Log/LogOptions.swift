extension EventLog {
  package struct Options: Sendable {
    /// The size in bytes at which a segment is sealed.
    ///
    /// One group of writes may exceed it.
    package var segmentBytes: UInt64 = 16 << 20
    /// The largest step, in bytes, in which space for the active segment is reserved.
    package var preallocationStep: UInt64 = 1 << 20
    /// Whether the log is only read: nothing is written, cut or locked, and records above the
    /// durable end are not shown.
    package var isReadOnly = false
    /// The limit in raw bytes up to which sealing joins small frames.
    package var sealBatchBytes = 256 << 10
    /// The size in raw bytes from which sealing copies frames unchanged.
    package var sealCopyBytes = defaultSealCopyBytes
    package static let defaultSealCopyBytes = 64 << 10
    /// The size in bytes from which closing seals the active segment.
    package var sealOnCloseBytes: UInt64 = 1 << 20
    /// Whether a damaged log accepts appends, into a new segment.
    ///
    /// For repair only.
    package var acceptsWritesWhenDamaged = false
    /// The time to wait for the commit lock while another process holds it.
    package var lockTimeout = Duration.seconds(30)
    /// Whether an fsync may run on another thread while the caller continues.
    ///
    /// A simulation with one thread turns it off, so that a seed decides the order of all calls.
    package var syncsOnOtherThread = true
    /// The receiver of the log's messages and metrics.
    package var telemetry = LogTelemetry.silent
    /// The source of salts and generations: 64 random bits per call.
    package var random: @Sendable () -> UInt64

    /// The mode in which to open files that a writer would write to.
    var readMode: OpenMode { isReadOnly ? .read : .readWrite }

    package init(random: @escaping @Sendable () -> UInt64) { self.random = random }
  }
}
