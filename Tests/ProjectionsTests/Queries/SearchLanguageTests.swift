import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections

/// What a search finds in the scripts that people write: a small collection with its queries.
@Suite struct SearchLanguageTests {
  private struct Sample {
    var script: String
    var text: String
    /// Queries that find the text.
    var found: [String]
    /// Queries that look alike and do not.
    var missed: [String]
  }

  private static let samples = [
    Sample(
      script: "Latin", text: "Die Straße nach Łódź. Ørsted fuhr von İstanbul, naïve ırmak",
      found: ["strasse", "STRASSE", "lodz", "Łódź", "orsted", "istanbul", "naive", "ırmak"],
      missed: ["lod", "stras", "nach Łodz Øst"]),
    Sample(
      script: "Greek", text: "Οι ώρες της Αθήνας", found: ["ωρες", "ΩΡΕΣ", "αθηνας", "Ἀθήνας"],
      missed: ["αθηνα", "ωρα"]),
    Sample(
      script: "Cyrillic", text: "Ещё одна ёлка", found: ["еще", "ЕЩЁ", "елка", "Ёлка"],
      missed: ["елки", "палка"]),
    Sample(
      script: "Arabic", text: "كِتَابٌ في المكتبة، قَرَأَهُ أحمد",
      found: ["كتاب", "كِتَاب", "قرأه", "احمد", "المكتبة", "المكتبه", "كـتـاب"],
      missed: ["كتب", "كتابي"]),
    Sample(
      script: "Persian", text: "این کتاب را می\u{200C}خواهم",
      found: ["کتاب", "كتاب", "میخواهم", "می\u{200C}خواهم"], missed: ["کتابی"]),
    Sample(
      script: "Hebrew", text: "שָׁלוֹם עֲלֵיכֶם", found: ["שלום", "שָׁלוֹם", "עליכם"],
      missed: ["שלם", "עליך"]),
    Sample(
      script: "Devanagari", text: "किताब और क़लम, पृष्ठ १२", found: ["किताब", "क़लम", "कलम", "12", "पृष्ठ"],
      missed: ["कुतुब", "कतब", "काताब", "कालम"]),
    Sample(
      script: "Bengali", text: "বাংলা ভাষার বই, বোন", found: ["বাংলা", "ভাষার", "বোন"],
      missed: ["বাংল", "ভষার", "বান", "বেন"]),
    Sample(
      script: "Tamil", text: "தமிழ் மொழி", found: ["தமிழ்", "மொழி"], missed: ["தமழ்", "மழி", "மெழி"]),
    Sample(
      script: "Thai", text: "ภาษาไทยง่ายมาก", found: ["ไทย", "ง่าย", "ภาษา"], missed: ["ไทร", "งาย"]),
    Sample(
      script: "Japanese", text: "東京のデータベースが好き",
      found: ["東京", "データ", "ﾃﾞｰﾀ", "が好", "東京の"], missed: ["テータ", "大阪", "か好"]),
    Sample(
      script: "Chinese", text: "我喜欢⽇本料理，很好吃", found: ["喜欢", "日本", "料理 好吃"],
      missed: ["欢喜", "日料"]),
    Sample(
      script: "Korean", text: "한국어를 배우다", found: ["한국어", "국어", "한국어를 배우"],
      missed: ["하국", "한글"]),
    Sample(
      script: "emoji", text: "Party 🎉 with 👍🏽, 👩‍👩‍👧 from 🇩🇪 and ❤️",
      found: ["🎉", "👍", "👍🏿", "👩‍👩‍👧", "👧", "🇩🇪", "❤", "❤️", "party 🎉"],
      missed: ["😀", "🇫🇷", "🇪🇩", "👦", "🎉🎉"]),
  ]

  @Test("each text is found by what people type for it, and by nothing that only looks alike")
  func recall() throws {
    let forms: [(String) -> String] = [
      { $0.precomposedStringWithCanonicalMapping }, { $0.decomposedStringWithCanonicalMapping },
    ]
    for form in forms {
      let define = Operation.define(Definition("notes", [.text("title").searchable()]))
      let fixture = try QueryFixture(
        [define] + Self.samples.map { .insert($0.script, ["title": .text(form($0.text))]) })
      for sample in Self.samples {
        for other in forms {
          for query in sample.found {
            let hits = try fixture.search(other(query))
            let hit = hits.first { $0.id == sample.script }
            #expect(hit != nil, "\(query) does not find \(sample.text)")
            #expect(hit?.snippet.contains("[") == true, "\(query) is not shown: \(hits)")
          }
          for query in sample.missed {
            let hits = try fixture.search(other(query))
            #expect(!hits.contains { $0.id == sample.script }, "\(query) finds \(sample.text)")
          }
        }
      }
      let folder = try ProjectionFolder()
      #expect(try fixture.probe.differenceFromRebuilt(folder: folder.url) == nil)
    }
  }

  @Test("typing a word finds it from its first character on", arguments: ["İstanbul", "किताब", "शांति"])
  func typing(word: String) throws {
    let fixture = try QueryFixture([
      .define(
        Definition(
          collection: "notes", attributes: ["tokenizer": "words"])),
      .define(Definition("notes", [.text("title").searchable()])),
      .insert("n1", ["title": .text("\(word) x")]),
    ])
    for count in 1...word.count {
      var request = SearchRequest(String(word.prefix(count)), limit: 5, markers: ("[", "]"))
      request.takesBeginnings = true
      let hits = try fixture.probe.view { view, _ in try view.search(request) }
      #expect(hits.map(\.id) == ["n1"], "\(request.text)")
    }
  }
}
