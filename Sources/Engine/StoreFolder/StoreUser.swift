import DaybookCSystemCalls
import DaybookDisk
import DaybookEventCore
import Foundation

/// A process that has a store open, and the way by which it comes to the store's folder.
///
/// It is written as the name of a file in the store's folder `sides`.
struct StoreUser: Hashable, Sendable {
  /// The device of the file system if it is a mount of FUSE or the network; nil for a disk of the
  /// machine.
  var mount: UInt64?
  /// A number that no other machine has; 0 if unknown.
  var machine: UInt32
  /// A number that is another one after each start of the machine; 0 if unknown.
  var boot: UInt32
  /// The space in which ``process`` counts; containers have their own.
  var space: UInt64
  var process: Int32
  /// When the process was started; see `daybook_process_start`.
  var start: Int64
  /// A number by chance, because a process may open a store more than once.
  var number: UInt32

  // MARK: - The file's name

  /// The name of the file that stands for the user.
  var name: String {
    let way = mount.map { "mount-" + Self.hex($0) } ?? "disk"
    let numbers = [
      UInt64(machine), UInt64(boot), space, UInt64(bitPattern: Int64(process)),
      UInt64(bitPattern: start), UInt64(number),
    ]
    return ([way] + numbers.map(Self.hex)).joined(separator: ".")
  }

  private static func hex(_ number: UInt64) -> String { String(number, radix: 16) }

  /// Reads the name of a file; nil if it stands for no user.
  init?(name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().compactMap { UInt64($0, radix: 16) }
    guard parts.count == 7, numbers.count == 6, let machine = UInt32(exactly: numbers[0]),
      let boot = UInt32(exactly: numbers[1]),
      let process = Int32(exactly: Int64(bitPattern: numbers[3])),
      let number = UInt32(exactly: numbers[5])
    else { return nil }
    if parts[0] == "disk" {
      mount = nil
    } else {
      guard parts[0].hasPrefix("mount-"), let device = UInt64(parts[0].dropFirst(6), radix: 16)
      else { return nil }
      mount = device
    }
    (self.machine, self.boot, self.space) = (machine, boot, numbers[2])
    (self.process, self.start, self.number) = (process, Int64(bitPattern: numbers[4]), number)
  }

  // MARK: - This process

  init(
    mount: UInt64?, machine: UInt32, boot: UInt32, space: UInt64, process: Int32, start: Int64,
    number: UInt32
  ) {
    (self.mount, self.machine, self.boot, self.space) = (mount, machine, boot, space)
    (self.process, self.start, self.number) = (process, start, number)
  }

  /// This process, as a user of the store in a folder.
  init(of folder: String) {
    let isLocal = daybook_is_local(folder) != 0
    let mount = isLocal ? nil : (try? FileStatus(path: folder))?.device
    let process = getpid()
    self.init(
      mount: mount, machine: Self.thisMachine,
      boot: Self.thisBoot, space: daybook_process_space(), process: process,
      start: daybook_process_start(process), number: .random(in: 0 ... .max))
  }

  private static let thisMachine = digest(of: daybook_machine)
  private static let thisBoot = digest(of: daybook_boot)

  /// Returns a number for the text that `read` writes; 0 if that is empty.
  private static func digest(of read: (UnsafeMutablePointer<CChar>?, Int32) -> Void) -> UInt32 {
    var text = [CChar](repeating: 0, count: 256)
    read(&text, Int32(text.count))
    let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return bytes.isEmpty ? 0 : max(1, CRC32C.checksum(bytes))
  }

  // MARK: - Others

  /// Whether locks and mapped memory of the two are the same, so that they exclude each other.
  ///
  /// Locks on folders belong to a mount: neither FUSE nor the network passes them on.
  func isOnSide(of other: StoreUser) -> Bool {
    guard mount != nil || other.mount != nil else { return true }
    return mount == other.mount && boot == other.boot && boot != 0
  }

  /// Whether the process has certainly ended, as far as `other` can see, which is this process.
  func isGone(
    seenBy other: StoreUser, start: (Int32) -> Int64 = { daybook_process_start($0) }
  ) -> Bool {
    guard boot == other.boot else {
      // A disk of this machine was in use before the machine was started again.
      if mount == nil && other.mount == nil { return true }
      return machine == other.machine && machine != 0 && boot != 0 && other.boot != 0
    }
    guard boot != 0, space == other.space else { return false }
    let now = start(process)
    return now == 0 || now > 0 && self.start > 0 && now != self.start
  }
}
