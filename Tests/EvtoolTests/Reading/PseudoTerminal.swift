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
