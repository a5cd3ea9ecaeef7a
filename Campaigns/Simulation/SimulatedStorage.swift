package import DaybookFrames
import DaybookLocks
package import DaybookLogEngine

/// A store's folder on a ``SimulatedDisk``.
package struct SimulatedStorage: Storage {
  let disk: SimulatedDisk

  package init(_ disk: SimulatedDisk) { self.disk = disk }

  package func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile {
    let (file, boot) = try disk.call(.open, "\(name) to \(mode)") { state throws(LogError) in
      if mode == .create {
        guard state.folders.contains(UnsyncedNames.folder(of: name)) else {
          throw LogError(.notFound, "could not open \(name)")
        }
        if let known = state.names[name] {
          state.files[known]?.resize(0)
          return (known, state.boot)
        }
        let file = state.makeFile(DiskState.File())
        state.change(.set(name, file))
        return (file, state.boot)
      }
      guard let file = state.names[name] else {
        throw LogError(.notFound, "could not open \(name)")
      }
      return (file, state.boot)
    }
    return SimulatedFile(disk: disk, file: file, boot: boot, canWrite: mode != .read)
  }

  package func list(_ folder: String) throws(LogError) -> [String] {
    try disk.call(.list, folder) { state throws(LogError) in
      guard state.folders.contains(folder) else {
        throw LogError(.notFound, "could not list \(folder)")
      }
      // The order is arbitrary, but the same for the same seed.
      var names = state.names.keys.filter { UnsyncedNames.folder(of: $0) == folder }.sorted()
      names.shuffle(using: &state.random)
      return names.map { String($0.dropFirst(folder.isEmpty ? 0 : folder.count + 1)) }
    }
  }

  package func makeFolder(_ name: String) throws(LogError) {
    try disk.call(.makeFolder, name) { state throws(LogError) in
      if !state.folders.contains(name) { state.change(.makeFolder(name)) }
    }
  }

  package func rename(_ old: String, to new: String) throws(LogError) {
    try disk.call(.rename, "\(old) to \(new)") { state throws(LogError) in
      guard let file = state.names[old] else {
        throw LogError(.notFound, "could not rename \(old)")
      }
      state.change(.rename(old, new, file))
    }
  }

  package func remove(_ name: String) throws(LogError) {
    try disk.call(.remove, name) { state throws(LogError) in
      if state.names[name] != nil { state.change(.remove(name)) }
    }
  }

  package func syncFolder(_ name: String) throws(LogError) {
    try disk.call(
      .syncFolder, name, onFailure: { $0.failSyncFolder(name) },
      { state throws(LogError) in state.syncFolder(name) })
  }
}

extension SimulatedDisk {
  /// Runs a call, or fails it as planned.
  ///
  /// - Parameter subject: The object of the call, for the journal.
  func call<R: Sendable>(
    _ operation: Operation, _ subject: @autoclosure () -> String, file: Int? = nil,
    boot: Int? = nil,
    onFailure: (inout DiskState) -> Void = { _ in },
    _ body: (inout DiskState) throws(LogError) -> R
  ) throws(LogError) -> R {
    let result: Result<R, LogError> = state.withLock { state in
      if state.isOff || boot != nil && boot != state.boot {
        return .failure(LogError(.ioFailed, "the machine is off"))
      }
      let failure = state.isObserved ? nil : state.failure(of: operation)
      let result = Self.perform(failure, operation, &state, onFailure, body)
      if state.journal != nil, !state.isObserved {
        let name = file.map { (state.name(of: $0) ?? "a file without a name") + " " } ?? ""
        var line = "\(operation) \(name)\(subject())"
        if let failure { line += "  ⚡ \(failure)" }
        if case .failure(let error) = result, failure == nil { line += "  ✗ \(error.code)" }
        state.journal?.append(line)
      }
      return result
    }
    return try result.get()
  }

  private static func perform<R>(
    _ failure: Failure?, _ operation: Operation, _ state: inout DiskState,
    _ onFailure: (inout DiskState) -> Void,
    _ body: (inout DiskState) throws(LogError) -> R
  ) -> Result<R, LogError> {
    if failure != nil { state.failures += 1 }
    switch failure {
    case .ioFailed:
      onFailure(&state)
      return .failure(LogError(.ioFailed, "an injected failure of \(operation)"))
    case .noSpace:
      onFailure(&state)
      // A full disk can still be read.
      let code: LogError.Code = operation.needsSpace ? .noSpace : .ioFailed
      return .failure(LogError(code, "an injected failure of \(operation): no space"))
    case .powerLoss:
      if state.flip() { _ = try? body(&state) }
      state.isOff = true
      return .failure(LogError(.ioFailed, "the power went during \(operation)"))
    case .silentCorruption, .misdirectedWrite: state.silentFault = failure
    case nil: break
    }
    do throws(LogError) { return .success(try body(&state)) } catch { return .failure(error) }
  }
}

extension SimulatedDisk.Operation {
  /// Whether a full disk can make the operation fail.
  var needsSpace: Bool {
    switch self {
    case .read, .list, .size, .remove, .truncate: false
    case .open, .makeFolder, .rename, .syncFolder, .write, .sync, .allocate, .lockState: true
    }
  }
}
