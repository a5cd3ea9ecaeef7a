package import LogEngine
internal import Synchronization

/// A store's folder on a ``SimulatedDisk``.
package struct SimulatedStorage: Storage {
  let disk: SimulatedDisk

  package init(_ disk: SimulatedDisk) { self.disk = disk }

  package func open(_ name: String, _ mode: OpenMode) throws(LogError) -> any StorageFile {
    let (file, boot) = try disk.call(.open) { state throws(LogError) in
      if mode == .create {
        guard state.folders.contains(DiskState.folder(of: name)) else {
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
    try disk.call(.list) { state throws(LogError) in
      guard state.folders.contains(folder) else {
        throw LogError(.notFound, "could not list \(folder)")
      }
      return state.names.keys.filter { DiskState.folder(of: $0) == folder }
        .map { String($0.dropFirst(folder.isEmpty ? 0 : folder.count + 1)) }
    }
  }

  package func makeFolder(_ name: String) throws(LogError) {
    try disk.call(.makeFolder) { state throws(LogError) in _ = state.folders.insert(name) }
  }

  package func rename(_ old: String, to new: String) throws(LogError) {
    try disk.call(.rename) { state throws(LogError) in
      guard let file = state.names[old] else {
        throw LogError(.notFound, "could not rename \(old)")
      }
      state.change(.rename(old, new, file))
    }
  }

  package func remove(_ name: String) throws(LogError) {
    try disk.call(.remove) { state throws(LogError) in
      if state.names[name] != nil { state.change(.remove(name)) }
    }
  }

  package func syncFolder(_ name: String) throws(LogError) {
    try disk.call(.syncFolder) { state throws(LogError) in state.syncFolder(name) }
  }
}

extension SimulatedDisk {
  /// Runs a call, or fails it as planned.
  func call<R: Sendable>(
    _ operation: Operation, boot: Int? = nil,
    onFailure: (inout DiskState) -> Void = { _ in },
    _ body: (inout DiskState) throws(LogError) -> R
  ) throws(LogError) -> R {
    let result: Result<R, LogError> = state.withLock { state in
      if state.isOff || boot != nil && boot != state.boot {
        return .failure(LogError(.ioFailed, "the machine is off"))
      }
      switch state.failure(of: operation) {
      case .ioFailed:
        onFailure(&state)
        return .failure(LogError(.ioFailed, "an injected failure of \(operation)"))
      case .noSpace:
        onFailure(&state)
        return .failure(LogError(.noSpace, "an injected full disk at \(operation)"))
      case .powerLoss:
        if state.flip() { _ = try? body(&state) }
        state.isOff = true
        return .failure(LogError(.ioFailed, "the power went during \(operation)"))
      case .silentCorruption: state.corruptsNextWrite = true
      case nil: break
      }
      do throws(LogError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
