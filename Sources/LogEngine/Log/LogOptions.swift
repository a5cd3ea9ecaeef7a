extension EventLog {
  package struct Options: Sendable {
    /// A segment that has reached this size is sealed. It may be exceeded by what one group writes.
    package var segmentBytes: UInt64 = 16 << 20
    /// The active segment's space is reserved in steps of so many bytes.
    package var preallocationStep: UInt64 = 1 << 20
    /// Nothing is written, cut or locked; what is above the durable end is not seen.
    package var isReadOnly = false
    /// Sealing joins small frames up to so many raw bytes.
    package var sealBatchBytes = 256 << 10
    /// Sealing copies frames of at least so many raw bytes as they are.
    package var sealCopyBytes = defaultSealCopyBytes
    package static let defaultSealCopyBytes = 64 << 10
    /// Closing seals the active segment if it holds at least so many bytes.
    package var sealOnCloseBytes: UInt64 = 1 << 20
    /// For repair only: a damaged log takes appends, into a new segment.
    package var acceptsWritesWhenDamaged = false
    /// How long to wait for the commit lock while another process has it.
    package var lockTimeout = Duration.seconds(30)
    /// Who hears what the log does.
    package var telemetry = LogTelemetry.silent
    /// Where salts and generations come from: 64 random bits at each call.
    package var random: @Sendable () -> UInt64

    /// How files are opened that a writer would write to.
    var readMode: OpenMode { isReadOnly ? .read : .readWrite }

    package init(random: @escaping @Sendable () -> UInt64) { self.random = random }
  }
}
