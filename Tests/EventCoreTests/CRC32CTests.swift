import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("CRC32C")
struct CRC32CTests {
  @Test("checksums are those of the vectors of RFC 3720 B.4")
  func vectors() {
    let up = (0..<32).map { UInt8($0) }
    let read: [UInt8] =
      [0x01, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 12) + [0x14, 0, 0, 0, 0, 0, 0x04, 0]
      + [0, 0, 0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0]
    let vectors: [([UInt8], UInt32)] = [
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (up, 0x46DD_794E),
      (up.reversed(), 0x113F_DB5C), (read, 0xD996_3A56), (Array("123456789".utf8), 0xE306_9283),
      ([], 0),
    ]
    for (bytes, checksum) in vectors {
      #expect(CRC32C.checksum(bytes) == checksum)
      #expect(CRC32C.portableChecksum(bytes) == checksum)
    }
  }

  @Test("the instruction and the table agree at every length and alignment")
  func portable() {
    var random = SplitMix64(seed: 60)
    let bytes = random.bytes(300)
    for from in 0..<9 {
      for through in stride(from: from, to: 300, by: 7) {
        let part = Array(bytes[from..<through])
        let checksum = bytes.withUnsafeBytes {
          CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[from..<through]))
        }
        #expect(checksum == CRC32C.portableChecksum(part))
      }
    }
  }

  @Test("a checksum continues where another stopped")
  func continued() {
    var random = SplitMix64(seed: 61)
    let bytes = random.bytes(100)
    for cut in 0...100 {
      let first = CRC32C.checksum(Array(bytes[..<cut]))
      let whole = CRC32C.checksum(Array(bytes[cut...]), continuing: first)
      #expect(whole == CRC32C.checksum(bytes))
    }
  }
}
