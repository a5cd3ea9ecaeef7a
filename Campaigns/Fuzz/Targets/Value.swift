import DaybookEventCore

extension FuzzTarget {
  /// Canonical values, and heads; each input is decoded as both.
  static let value = FuzzTarget("value", bytesMax: 512) {
    let identity = try Identity(seed: [UInt8](repeating: 3, count: 32))
    let head = try Head(
      zone: [UInt8](repeating: 7, count: 16), sequence: 300, chain: .zero, by: identity)
    return SampleEvents.values.map(\.canonicalBytes) + [head.encoded()]
  } check: { bytes in
    do {
      let value = try Value(canonicalBytes: bytes)
      try require(
        value.canonicalBytes.elementsEqual(bytes),
        "a value is encoded otherwise than it was decoded from")
    } catch let error as EventError { try checkOffset(error, in: bytes) }
    do {
      let head = try Head(decoding: bytes)
      try require(
        head.encoded().elementsEqual(bytes),
        "a head is encoded otherwise than it was decoded from")
    } catch let error as EventError { try checkOffset(error, in: bytes) }
  }
}
