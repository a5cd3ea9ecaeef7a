import DaybookEventCore
import DaybookProjections

extension FuzzTarget {
  /// The state that the read model keeps of an entity beside its row.
  static let entityState = FuzzTarget("entity-state", bytesMax: 1024) {
    try SampleReadModel().states()
  } check: { bytes in
    guard let state = try? EntityState(decoding: bytes) else { return }
    let again = state.encoded()
    do {
      let decoded = try again.withUnsafeBytes { try EntityState(decoding: $0) }
      try require(decoded.encoded() == again, "a state is encoded in two ways")
    } catch let error as EventError {
      throw FuzzFinding("a state does not decode from its own encoding: \(error)")
    }
  }
}
