import DaybookInterchange
import DaybookProjections
import DaybookSimulation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct NameMappingTests {
  @Test("legal names stay, and others become legal by a fixed rule")
  func mapped() {
    #expect(
      NameMapping.fields(["title", "Price (€)", "Größe", "", "2024", "in stock", "_x_", "日本"])
        == ["title", "Price", "Gro_e", "column_4", "column_2024", "in_stock", "x", "column_8"])
    #expect(NameMapping.collections(["sqlite_stuff", "café"]) == ["table_sqlite_stuff", "cafe"])
  }

  @Test("names that are taken or reserved get a number, regardless of case")
  func unique() {
    #expect(
      NameMapping.fields(["a b", "a", "A", "a", "a_b", "rank", "ID"])
        == ["a_b_2", "a", "A_2", "a_3", "a_b", "rank", "ID_2"])
    #expect(NameMapping.fields(["sqlite", "sqlite"]) == ["sqlite", "column_sqlite"])
    #expect(NameMapping.fields(["x", "", "id", ""], id: 2) == ["x", "column_2", "", "column_4"])
  }

  @Test("any headings give legal and different names")
  func anything() {
    let pieces = ["a", "B", "é", "_", "1", " ", "rowid", "sqlite_", "\u{0}", "😀", "\"", "column_1"]
    for seed in 0..<500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let headings = (0..<random.pick(1...12)).map { _ in
        (0..<random.pick(0...30)).map { _ in pieces[random.pick(0...11)] }.joined()
      }
      let names = NameMapping.fields(headings)
      #expect(names.allSatisfy { Names.isValidField($0) }, "seed \(seed): \(names)")
      #expect(Set(names.map { Names.folded($0) }).count == headings.count, "seed \(seed): \(names)")
      #expect(names == NameMapping.fields(headings))
    }
  }
}
