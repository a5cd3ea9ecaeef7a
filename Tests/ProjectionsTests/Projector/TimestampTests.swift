import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

@Suite struct TimestampTests {
  private func milliseconds(_ count: Int) -> [Int64] {
    var random = SplitMix64(seed: 3)
    let edges: [Int64] = [
      0, -1, 1, 951_782_399_999, 951_782_400_000, 4_107_542_399_999, -62_135_596_800_000,
      253_402_300_799_999, -2_203_891_200_000, 68_169_600_000,
    ]
    return edges
      + (0..<count).map { _ in
        Int64(random.pick(-62_135_596_800_000...253_402_300_799_999))
      }
  }

  @Test("a timestamp's text is that of the reference calendar, and reads back the same")
  func roundTrip() {
    for moment in milliseconds(5_000) {
      let text = Timestamp.text(moment)
      #expect(text == ReferenceCalendar.text(milliseconds: moment))
      #expect(text.flatMap(Timestamp.milliseconds) == moment)
    }
    for outside in [Int64.min, -62_135_596_800_001, 253_402_300_800_000, .max] {
      #expect(Timestamp.text(outside) == nil)
    }
  }

  @Test(
    "times are read in every documented form",
    arguments: [
      ("2026-11-21", 1_795_219_200_000), ("2026-11-21T09:30", 1_795_253_400_000),
      ("2026-11-21 09:30:00", 1_795_253_400_000), ("2026-11-21T09:30:00.5Z", 1_795_253_400_500),
      ("2026-11-21T09:30:00.123456789Z", 1_795_253_400_123),
      ("2026-11-21T09:30:00+01:30", 1_795_248_000_000),
      ("2026-11-21T09:30-01:30", 1_795_258_800_000), ("2024-02-29", 1_709_164_800_000),
      ("0001-01-01", -62_135_596_800_000), ("2000-02-29T23:59:59.999Z", 951_868_799_999),
    ] as [(String, Int64)])
  func forms(text: String, expected: Int64) { #expect(Timestamp.milliseconds(text) == expected) }

  @Test(
    "a text that is no time gives nil",
    arguments: [
      "", "2026", "2026-13-01", "2026-02-29", "1900-02-29", "0000-01-01", "2026-11-21T24:00",
      "2026-11-21T09:60", "2026-11-21T09:30:60", "2026-11-21T09:30:00.", "2026-11-21T09:30:00 Z",
      "2026-11-21T09:30:00+1:30", "2026-11-21T09:30:00+01:30x", "2026-11-21x", "-026-11-21",
      "2026-11-21T09", "0001-01-01T00:00+00:01", "9999-12-31T23:59-00:01", "２０２６-11-21",
    ])
  func rejects(text: String) { #expect(Timestamp.milliseconds(text) == nil) }

  @Test("a cell that claims to be exact reads back as the same value, and no other does")
  func cells() throws {
    let values = EventUniverse.values.values.flatMap { $0 } + [.null, .text("a\0b"), .text("")]
    for type in FieldType.allCases {
      for value in values {
        let expected = ReferenceCell(value, type: type.rawValue)
        let placed = type.cell(for: value)
        #expect((placed == nil) == (expected == nil), "\(type) \(value)")
        guard let placed else { continue }
        #expect((type.value(of: placed.cell) == value) == placed.isExact, "\(type) \(value)")
      }
    }
  }
}
