import DaybookFrames
import DaybookLogEngine

/// An open file of a ``SimulatedDisk``.
struct SimulatedFile: StorageFile {
  let disk: SimulatedDisk
  let file: Int
  /// The boot in which the file was opened; in a later one its calls fail.
  let boot: Int
  let canWrite: Bool

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(LogError) -> Int
  {
    let bytes = try disk.call(.read, "\(buffer.count) at \(offset)", file: file, boot: boot) {
      state throws(LogError) -> ArraySlice<UInt8> in
      let all = state.files[file]?.current ?? []
      let start = min(Int(clamping: offset), all.count)
      return all[start..<min(start + buffer.count, all.count)]
    }
    buffer.copyBytes(from: bytes)
    return bytes.count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
    let bytes = Array(bytes)
    try disk.call(
      .write, "\(bytes.count) at \(offset)", file: file, boot: boot,
      onFailure: { state in
        // A failed write may have written a part.
        let part = Int(state.random.next() % UInt64(bytes.count + 1))
        bytes.withUnsafeBytes {
          state.files[file]?.write(.init(rebasing: $0[..<part]), at: Int(offset))
        }
      },
      { state throws(LogError) in
        guard canWrite else { throw LogError(.ioFailed, "the file is open for reading") }
        let size = state.files[file]?.current.count ?? 0
        let growth = max(0, Int(offset) + bytes.count - size)
        if let capacity = state.capacity, growth > 0, state.used + growth > capacity {
          let part = max(0, min(bytes.count, bytes.count - (state.used + growth - capacity)))
          bytes.withUnsafeBytes {
            state.files[file]?.write(.init(rebasing: $0[..<part]), at: Int(offset))
          }
          throw LogError(.noSpace, "the simulated disk is full")
        }
        write(bytes, at: Int(offset), &state)
        let dirty = state.files[file]?.dirty.sorted() ?? []
        if !dirty.isEmpty, state.random.next() % 4 == 0 {
          state.files[file]?.writeBack(dirty[Int(state.random.next() % UInt64(dirty.count))])
        }
      })
  }

  private func write(_ bytes: [UInt8], at offset: Int, _ state: inout DiskState) {
    var bytes = bytes
    let fault = bytes.isEmpty ? nil : state.silentFault
    if fault != nil { state.silentFault = nil }
    if fault == .misdirectedWrite {
      bytes.withUnsafeBytes { state.misdirect($0, meant: file, at: offset) }
      return
    }
    if fault == .silentCorruption {
      let place = Int(state.random.next() % UInt64(bytes.count))
      bytes[place] ^= 1 << UInt8(state.random.next() % 8)
      state.spoil(file, offset + place..<offset + place + 1)
    }
    bytes.withUnsafeBytes { state.files[file]?.write($0, at: offset) }
  }

  func sync() throws(LogError) {
    try disk.call(
      .sync, "", file: file, boot: boot,
      onFailure: { state in
        // The pages count as clean now, but some were never written.
        guard var failed = state.files[file] else { return }
        failed.failSync { _ in state.flip() }
        state.files[file] = failed
      },
      { state throws(LogError) in state.files[file]?.sync() })
  }

  func truncate(to size: UInt64) throws(LogError) {
    try disk.call(.truncate, "to \(size)", file: file, boot: boot) { state throws(LogError) in
      state.files[file]?.resize(Int(size))
    }
  }

  func allocate(to size: UInt64) throws(LogError) {
    try disk.call(.allocate, "to \(size)", file: file, boot: boot) { state throws(LogError) in
      let current = state.files[file]?.current.count ?? 0
      guard Int(size) > current else { return }
      if let capacity = state.capacity, state.used + Int(size) - current > capacity {
        throw LogError(.noSpace, "the simulated disk is full")
      }
      state.files[file]?.resize(Int(size))
    }
  }

  func size() throws(LogError) -> UInt64 {
    try disk.call(.size, "", file: file, boot: boot) { state throws(LogError) in
      UInt64(state.files[file]?.current.count ?? 0)
    }
  }
}
