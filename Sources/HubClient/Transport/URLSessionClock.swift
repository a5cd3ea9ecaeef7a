#if !os(Linux) || DEBUG
  import DaybookEngine

  /// The timeouts of one exchange.
  struct URLSessionClock {
    /// The bytes for which an answer has another second.
    static let bytesPerSecond = 1 << 10

    private let connectEnd: ContinuousClock.Instant
    private let answerEnd: ContinuousClock.Instant?
    private let silence: Duration
    private let bodyBytes: Int
    /// When something last travelled.
    private var latest = ContinuousClock.now
    /// The most bytes of the body that the system has taken and may not have sent.
    private var held = 0
    /// Whether there is a connection, as far as is known.
    private(set) var isConnected: Bool

    /// Starts the time of a request.
    /// - Parameters:
    ///   - options: The timeouts.
    ///   - bytes: The bytes of the request's body.
    ///   - time: The timeout of the answer; nil if there is none.
    init(_ options: HubClient.Options, bytes: Int, within time: Duration?) {
      let now = ContinuousClock.now
      connectEnd = now + options.connectTimeout.bounded
      answerEnd = time.map { now + $0.bounded }
      silence = options.silenceTimeout.bounded
      bodyBytes = bytes
      // A session tells nothing of a connection until some of the body has been sent.
      isConnected = bytes == 0
    }

    mutating func sent(_ bytes: Int) {
      (latest, held, isConnected) = (.now, min(bytes, bodyBytes), true)
    }

    mutating func received() { (latest, held, isConnected) = (.now, 0, true) }

    /// When the time is over if nothing more travels.
    ///
    /// A system takes megabytes of a body at once, and a slow line is silent while they drain. So
    /// silence may last a second longer for each KiB that has been handed over.
    var end: ContinuousClock.Instant {
      let silenceEnd =
        isConnected ? latest + silence + .seconds(held / Self.bytesPerSecond) : connectEnd
      return min(silenceEnd, answerEnd ?? silenceEnd)
    }

    /// When to look whether the time is over. It may be over earlier than it seems now.
    func nextCheck(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
      min(end, now + silence)
    }

    /// What has happened if the time is over.
    var failure: TransportFailure {
      TransportFailure(kind: isConnected ? .silent : .unreached, cause: "the time ran out")
    }
  }
#endif
