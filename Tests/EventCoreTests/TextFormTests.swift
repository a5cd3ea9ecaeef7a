import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("Hex, ReplicaID, EventID and UTF8Validation")
struct TextFormTests {
  @Test("hexadecimal has whole bytes in lower case, and parses to the same bytes")
  func hex() {
    var random = SplitMix64(seed: 110)
    for count in 0..<40 {
      let bytes = random.bytes(count)
      #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    }
    #expect(Hex.encode([0, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
    for bad in ["0", "0g", "AA", "0x", " 0", "é"] { #expect(Hex.decode(bad) == nil) }
  }

  @Test("a replica's id parses from its text, and is ordered by its bytes")
  func replicaIDs() {
    var random = SplitMix64(seed: 111)
    for _ in 0..<200 {
      let (a, b) = (random.replicaID(), random.replicaID())
      #expect(ReplicaID(a.description) == a)
      #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes))
      #expect((a < b) == (a.description < b.description))
      #expect(a.bytes.withUnsafeBytes { ReplicaID(bytes: $0) } == a)
    }
    for bad in ["", "00", String(repeating: "0", count: 33), String(repeating: "A", count: 32)] {
      #expect(ReplicaID(bad) == nil)
    }
  }

  @Test("an event's id parses from its text, and its sequence is at least 1")
  func eventIDs() {
    let origin = ReplicaID(high: 1, low: 2)
    let id = EventID(origin, .max)
    #expect(EventID(id.description) == id)
    #expect(EventID(origin, 9) < EventID(origin, 10))
    #expect(EventID(origin, 10) < EventID(ReplicaID(high: 1, low: 3), 9))
    for bad in [
      "", ":", "\(origin)", "\(origin):", "\(origin):0", "\(origin):-1", "\(origin):1:", ":1",
      "\(origin):18446744073709551616", "\(origin): 1",
    ] { #expect(EventID(bad) == nil, "\(bad)") }
  }

  @Test("UTF-8 is judged as by Swift")
  func utf8() {
    func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(UTF8Validation.isValid) }
    var random = SplitMix64(seed: 112)
    let leads: [UInt8] = [
      0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
      0x8F, 0x90, 0x9F, 0xA0,
    ]
    for _ in 0..<30_000 {
      var bytes = [UInt8](repeating: 0x61, count: random.pick(0...10))
      bytes += (0..<random.pick(0...5)).map { _ in random.pick(leads) }
      bytes += [UInt8](repeating: 0x62, count: random.pick(0...9))
      if isValid(bytes) != (String(utf8: bytes) != nil) {
        Issue.record("\(bytes)")
      }
    }
    for scalar in [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF] {
      let text = String(Character(Unicode.Scalar(UInt32(scalar))!))
      #expect(isValid(Array(text.utf8)))
    }
  }
}
