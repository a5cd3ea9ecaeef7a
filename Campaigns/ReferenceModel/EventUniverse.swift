import DaybookEventCore

/// The names, ids and values of which generated operations are made. They are few, so that
/// operations meet.
enum EventUniverse {
  static let collections = [
    "notes", "notes", "notes", "links", "links", "tasks", "Notes", "undeclared", "bad-name",
    "sqlite_stat", "~", "_notes",
  ]
  static let undeclared = "undeclared"
  static let relationship = "links"

  static let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
  static let unicodeIDs = [
    "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "漢字🙂", "n\0", "n\0\u{301}", "\u{301}",
  ]
  static let longID = String(repeating: "long", count: 256)
  static let ids =
    ["n1", "n1", "n1", "n2", "n2", "n3", "N1", "x'; --", uuid, uuid.uppercased(), longID]
    + unicodeIDs

  /// The fields, and the type that most authors give them.
  static let fields: [(name: String, type: String)] = [
    ("title", "text"), ("title", "text"), ("body", "text"), ("count", "integer"),
    ("weight", "real"), ("done", "boolean"), ("photo", "blob"), ("due", "timestamp"),
    ("data", "json"), ("order", "integer"), ("Title", "text"), ("rank", "integer"),
    ("RowID", "integer"), ("source", "text"), ("target", "text"), ("Source", "text"),
    ("bad-field", "text"), ("1st", "text"), ("_id", "text"), ("a\"b", "text"),
    ("K", "text"), ("never", "text"),
  ]
  /// The field that is made unique most often; it has few values, so that
  /// entities compete for them.
  static let code = "code"
  /// The values of that field. Some are equal without case, or in another form of Unicode.
  static let codes: [Value] =
    [.text("x"), .text("x"), .text("x"), .text("X"), .text("y"), .text("z"), .null]
    + [
      "\u{E9}", "\u{C9}", "e\u{301}", "E\u{301}", "\u{DF}", "SS", "ss", "\u{1E9E}", "\u{3A3}",
      "\u{3C2}", "\u{3C3}", "\u{130}", "i\u{307}", "\u{131}", "i", "K", "\u{212A}", "\u{FB03}",
      "ffi",
      "\u{1F80}", "\u{1F88}", "\u{3B1}\u{345}\u{313}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}",
      "q\u{323}\u{307}", "Q\u{307}\u{323}", "\u{1E921}", "\u{1E943}",
    ].map { Value.text($0) }
  /// The field that refers to its own collection most often.
  static let parent = "parent"
  /// The later names of fields: new names, first names of other fields, and names
  /// that are not valid.
  static let laterNames: [Value] = [
    .text("headline"), .text("headline"), .text("Headline"), .text("subject"), .text("TITLE"),
    .text("title"), .text("body"), .text("code"), .text("source"),
    .text("Target"), .text("id"), .text("bad-name"), .text(""), .integer(1), .null,
  ]
  static let types = ["text", "integer", "real", "boolean", "blob", "timestamp", "json"]

  static let values: [String: [Value]] = [
    "text": [
      .text(""), .text("oat milk"), .text("swift concurrency"), .text(uuid),
      .text(uuid.uppercased()), .text("it's \"quoted\""), .text("42"), .text("caf\u{E9}"),
      .text("cafe\u{301}"), .text("🙂"), .text(String(repeating: "word ", count: 60)),
    ],
    "integer": [
      .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min), .integer(1 << 53),
      .integer(1 << 53 + 1), .integer(-(1 << 53)),
    ],
    "real": [
      .real(0), .real(1.5), .real(-0.1), .real(1e300), .real(.leastNonzeroMagnitude), .integer(3),
    ],
    "boolean": [.boolean(false), .boolean(true)],
    "blob": [.blob([]), .blob([0, 255, 128]), .blob(Array("text".utf8))],
    "timestamp": [
      .timestamp(0), .timestamp(-1), .timestamp(1_719_792_000_123),
      .timestamp(-62_135_596_800_000), .timestamp(-62_135_596_800_001),
      .timestamp(253_402_300_799_999), .timestamp(253_402_300_800_000), .timestamp(.max),
      .timestamp(.min),
    ],
    "json": [
      "[]", "{\"a\":[1,\"caf\u{E9}\"]}", " {\"b\" : 1.5e3, \"a\":null}\n", "-0", "\"\\u00e9\"",
      "", "{", "[1,]", "{\"a\":01}", "nope", "1 2", "\"\t\"", "'a'", "{a:1}", "[1]]", "\"\\x\"",
      String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
      String(repeating: "[", count: 1001) + String(repeating: "]", count: 1001),
    ].map { .json(Array($0.utf8)) },
  ]
}
