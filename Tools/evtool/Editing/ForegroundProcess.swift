import DaybookCSystemCalls
import DaybookDisk
import Foundation

/// A program with which a person works in the terminal while evtool waits, such as an editor.
///
/// It belongs to evtool's own process group. A terminal lets only its foreground group read, and
/// stops the others, so a program in a group of its own could not be used. It also means that the
/// terminal's keys reach both: Ctrl-C is the program's, and evtool goes on waiting.
enum ForegroundProcess {
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// The process; 0 if there is none.
  private static let process = SignalCell(0)
  /// A signal that came before there was a process; 0 if none did.
  private static let early = SignalCell(0)

  /// Runs a program with evtool's streams, and waits until it ends.
  /// - Parameter words: The path of the program, and its arguments.
  static func run(_ words: [String]) throws(SystemError) -> End {
    early.value = 0
    let before = handle()
    defer { for (number, handler) in before { signal(number, handler) } }
    let process = try start(words)
    Self.process.value = process
    defer { Self.process.value = 0 }
    let missed = early.exchange(0)
    if missed != 0 { kill(process, missed) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw .latest }
    }
    awaitKeys()
    // The macros of wait.h are not visible in Swift.
    let number = status & 0x7F
    return number == 0 ? .status(status >> 8 & 0xFF) : .signal(number)
  }

  // MARK: - Signals

  private typealias Handler = @convention(c) (Int32) -> Void

  /// Leaves Ctrl-C and Ctrl-\ to the program, and hands on what asks evtool to end. Signals that
  /// are ignored stay so. Returns the previous handlers.
  private static func handle() -> [(Int32, Handler?)] {
    // With SIGCHLD ignored, the system would not say how the program has ended.
    var before: [(Int32, Handler?)] = [(SIGCHLD, signal(SIGCHLD, SIG_DFL))]
    for number in [SIGINT, SIGQUIT] { before.append((number, signal(number) { _ in })) }
    for number in [SIGTERM, SIGHUP] {
      before.append((number, signal(number) { ForegroundProcess.handOn($0) }))
    }
    for (number, handler) in before where number != SIGCHLD && isIgnoring(handler) {
      signal(number, handler)
    }
    return before
  }

  /// Waits until the keys that ended the program have reached evtool, too, as long as they are the
  /// program's: the system may wake the thread that takes the signal late.
  private static func awaitKeys() {
    var keys = sigset_t()
    sigemptyset(&keys)
    sigaddset(&keys, SIGINT)
    sigaddset(&keys, SIGQUIT)
    var before = sigset_t()
    // Only signals that this thread blocks are shown to it as pending. Another thread takes them.
    pthread_sigmask(SIG_BLOCK, &keys, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let start = ContinuousClock.now
    var pending = sigset_t()
    while sigpending(&pending) == 0,
      sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGQUIT) == 1,
      ContinuousClock.now - start < .seconds(1)
    { sched_yield() }
  }

  private static func isIgnoring(_ handler: Handler?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Called by signal handlers.
  private static func handOn(_ number: Int32) {
    let process = process.value
    if process > 0 {
      kill(process, number)
    } else {
      early.value = number
    }
  }

  // MARK: - Start

  private static func start(_ words: [String]) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This thread may block signals, and libraries ignore SIGPIPE; the program shall not inherit
    // it.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(clamping: flags))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    let error = posix_spawn(&process, words[0], nil, &attributes, arguments, daybook_environment())
    guard error == 0 else { throw SystemError(error) }
    return process
  }
}
