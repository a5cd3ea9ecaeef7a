import Foundation

/// A terminal of a certain width that a command may write to.
final class PseudoTerminal {
  private let master: Int32
  private let slave: Int32

  // TIOCSPTLCK and TIOCGPTN of Linux, macros that Swift does not see.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  static let isSupported = access("/dev/ptmx", R_OK | W_OK) == 0 && access("/dev/pts", R_OK) == 0

  init(columns: UInt16 = 60) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, Self.setLock, &lock) == 0,
      ioctl(master, Self.getNumber, &number) == 0
    else { throw POSIXError(.ENODEV) }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    guard slave >= 0 else { throw POSIXError(.ENODEV) }
    var size = winsize()
    size.ws_col = columns
    size.ws_row = 24
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    close(master)
    close(slave)
  }

  static let sessionMaker = "/usr/bin/setsid"
  static let makesSessions = isSupported && access(sessionMaker, X_OK) == 0

  /// Starts evtool in a session that this terminal controls, as in a person's window: in the
  /// foreground, where the terminal's keys are signals. A terminal can have one such session.
  func start(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Process {
    // What was shown can be read as long as the leader of the session lives. So a shell leads, says
    // how evtool has ended, and waits for a line.
    let leader = #"trap : INT; "$@"; echo "ended with $?"; read -r line"#
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.sessionMaker)
    process.arguments =
      ["--ctty", "--wait", "/bin/sh", "-c", leader, "sh", Evtool.binary.path] + arguments
    process.environment = ["USER": "ada", "TERM": "xterm", "PATH": "/usr/bin:/bin"]
      .merging(environment) { $1 }
    let stream = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardInput = stream
    process.standardOutput = stream
    process.standardError = stream
    try process.run()
    return process
  }

  /// Waits until evtool has ended in its session, and ends the session.
  /// - Returns: what was shown since the last call, and evtool's exit code.
  func end(_ process: Process) -> (shown: String, status: Int32?) {
    let shown = output(through: "ended with ")
    let status = Int32(output(through: "\r").filter(\.isNumber))
    type("\n")
    process.waitUntilExit()
    return (shown, status)
  }

  /// Types keys.
  func type(_ keys: String) {
    _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  /// Waits until a text is shown.
  /// - Returns: what was shown since the last call, up to and including the text.
  func output(through text: String) -> String {
    var shown: [UInt8] = []
    var byte: UInt8 = 0
    while !shown.ends(with: text.utf8), read(master, &byte, 1) == 1 { shown.append(byte) }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Runs evtool with its output here.
  /// - Returns: what it has written there; less than a terminal holds back.
  func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = Evtool.binary
    process.arguments = arguments
    process.environment = ["USER": "ada", "TERM": "xterm"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardError = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    try process.run()
    process.waitUntilExit()
    _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(master, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate func ends(with end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}
