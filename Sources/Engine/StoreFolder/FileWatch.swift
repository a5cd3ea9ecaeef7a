import DaybookCSystemCalls
import DaybookDisk
import DaybookEventCore
import Dispatch
import Foundation

/// A wait for changes of files and folders, of which the system tells (inotify, kqueue).
///
/// One thread adds and waits; any thread may end the wait. If the system refuses to tell, only time
/// and ``endWait()`` end a wait, and the caller has to look by itself.
package final class FileWatch: @unchecked Sendable {
  package struct Changes: OptionSet {
    package let rawValue: Int32
    /// A name was made, removed or renamed in a watched folder, or what is watched was itself.
    /// There may be something else at the path now, which has to be added.
    package static let names = Changes(rawValue: Int32(DAYBOOK_WATCH_NAMES))
    /// A watched file was written to.
    package static let writes = Changes(rawValue: Int32(DAYBOOK_WATCH_WRITES))

    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Nil if the system refuses.
  private let watch: OpaquePointer?
  /// The error number of the refusal.
  private let refusal: Int32
  /// Takes the place of the system's wait if that was refused.
  private let end = DispatchSemaphore(value: 0)

  package init() {
    watch = daybook_watch_open()
    refusal = errno
  }

  /// Makes a watch as after a refusal.
  init(refusal: Int32) {
    watch = nil
    self.refusal = refusal
  }

  deinit { if let watch { daybook_watch_close(watch) } }

  // MARK: - Adding

  /// Watches the names in a folder. Adding it again has no effect.
  /// - Parameter closings: whether to watch for files that were closed after writing, too. Not
  ///   every system tells of these.
  /// - Throws: ``StoreError`` `ioFailed` if the system does not tell of all changes. Then the
  ///   caller has to look by itself. A wait ends all the same if the system does tell of a change.
  package func add(namesIn folder: String, closings: Bool = false) throws(StoreError) {
    var what = DAYBOOK_WATCH_NAMES
    if closings { what |= DAYBOOK_WATCH_CLOSED }
    try add(folder, what)
    guard daybook_is_local(folder) != 0 else {
      throw StoreError(
        .ioFailed, "the system does not tell what other machines change in “\(folder)”",
        hint: "Keep the folder on a disk of this machine")
    }
  }

  /// Watches the writes to a file; does nothing if there is none. Adding it again has no effect.
  /// - Throws: as ``add(namesIn:closings:)``.
  func add(writesTo file: String) throws(StoreError) {
    do { try add(file, DAYBOOK_WATCH_WRITES) } catch {
      guard try DiskPath.exists(file) else { return }
      throw error
    }
  }

  private func add(_ path: String, _ what: Int) throws(StoreError) {
    var number = refusal
    if let watch {
      if daybook_watch_add(watch, path, Int32(what)) == 0 { return }
      number = errno
    }
    let isUsedUp = [EMFILE, ENFILE, ENOSPC].contains(number)
    throw StoreError(
      .ioFailed, "the system does not watch “\(path)”: \(SystemError(number))",
      hint: isUsedUp
        ? "Raise the limits on open files, and on Linux those below /proc/sys/fs/inotify" : nil)
  }

  // MARK: - Waiting

  /// Waits until there is a change, the time is up, or another thread has called ``endWait()``. It
  /// may also end without a reason.
  /// - Parameter time: nil for no limit.
  package func wait(atMost time: Duration?) -> Changes {
    guard let watch else {
      waitForEnd(time)
      return []
    }
    let limit = time.map { Int32(saturating: ($0 / .milliseconds(1)).rounded(.up)) } ?? -1
    return Changes(rawValue: daybook_watch_wait(watch, limit))
  }

  private func waitForEnd(_ time: Duration?) {
    if let time {
      guard end.wait(timeout: .now() + time / .seconds(1)) == .success else { return }
    } else {
      end.wait()
    }
    // Several calls to end the wait have ended this one.
    while end.wait(timeout: .now()) == .success {}
  }

  /// Ends the wait of another thread, or the next one if none is waiting.
  package func endWait() {
    if let watch { return daybook_watch_end_wait(watch) }
    end.signal()
  }
}
