import DaybookEventCore
import Foundation

/// The file `peers` beside a store. It records the last known state of each peer, for `status`.
///
/// The file is not needed for correctness, because what a peer holds is asked again. Write errors
/// are ignored, but a file that cannot be read is not overwritten.
package struct PeerFile {
  private struct Line: Codable {
    var address: String
    var replica: String?
    var acknowledged: UInt64
    var lastSuccess: Int64?
    var problem: String?
    var cure: String?
    var phase: PeerState.Phase
  }

  let path: String

  package init(
    path: String
  ) {
    self.path = path
  }

  static let countMax = 256
  private static let bytesMax = 1 << 20

  /// Returns the recorded states of the peers. The result is empty if there is no file, or if the
  /// file is larger than 1 MiB.
  /// - Throws: ``StoreError`` `ioFailed` if the file cannot be read.
  package func read() throws(StoreError) -> [PeerState] {
    guard let size = try DiskPath.size(path), size <= Self.bytesMax,
      let data = try DiskPath.read(path)
    else { return [] }
    return data.split(separator: 0x0A).compactMap { line in
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
      var state = PeerState(address: line.address)
      state.replica = line.replica.flatMap { ReplicaID($0) }
      state.acknowledged = line.acknowledged
      state.lastSuccess = line.lastSuccess
      state.problem = line.problem
      state.cure = line.cure
      state.phase = line.phase
      return state
    }
  }

  /// Replaces the recorded states of some peers. Keys are addresses; a nil value deletes the peer.
  package func update(_ states: [String: PeerState?]) {
    guard let known = try? read() else { return }
    let all = known.filter { states[$0.address] == nil } + states.values.compactMap(\.self)
    write(all.suffix(Self.countMax).sorted { $0.address < $1.address })
  }

  private func write(_ states: [PeerState]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = Data()
    for state in states {
      let line = Line(
        address: state.address, replica: state.replica?.description,
        acknowledged: state.acknowledged, lastSuccess: state.lastSuccess, problem: state.problem,
        cure: state.cure, phase: state.phase == .syncing ? .idle : state.phase)
      guard let encoded = try? encoder.encode(line) else { continue }
      data += encoded + [0x0A]
    }
    DurableFile.note(data, at: path)
  }
}
