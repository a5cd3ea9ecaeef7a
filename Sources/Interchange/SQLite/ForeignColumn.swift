import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The contents of one column of a foreign database, from which its field type is inferred.
///
/// SQLite allows any value in any column, so the values decide. The declaration decides only if it
/// says more: a `BOOLEAN` of 0 and 1, a `DATETIME` of ISO 8601 texts, a `JSON` of JSON.
struct ForeignColumnContents {
  private var integers = 0
  private var reals = 0
  private var texts = 0
  private var blobs = 0
  private(set) var nulls = 0
  private var areBits = true
  private var areExact = true
  private var areFinite = true
  private var areUTF8 = true
  private var areJSON: Bool
  private var times = ColumnInference()
  /// Whether any text contains a space, which suggests words.
  private(set) var hasWords = false
  private let declaration: String

  init(declaration: String) {
    self.declaration = Names.folded(declaration)
    areJSON = self.declaration.contains("json")
  }

  mutating func observe(_ value: ForeignValue) {
    switch value {
    case .null: nulls += 1
    case .integer(let integer):
      integers += 1
      areBits = areBits && (integer == 0 || integer == 1)
      areExact = areExact && integer.magnitude <= 1 << 53
    case .real(let real):
      reals += 1
      areFinite = areFinite && real.isFinite
    case .blob: blobs += 1
    case .text(let bytes):
      texts += 1
      guard bytes.withUnsafeBytes({ UTF8Validation.isValid($0) }) else {
        areUTF8 = false
        return
      }
      hasWords = hasWords || bytes.contains(UInt8(ascii: " "))
      if saysTime {
        times.observe(bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self))
      }
      if areJSON { areJSON = (try? JSONParser.parse(bytes)) != nil }
    }
  }

  private var saysTime: Bool { declaration.contains("date") || declaration.contains("time") }

  var hasText: Bool { texts > 0 }

  private var count: Int { integers + reals + texts + blobs }

  var type: FieldType {
    if count == 0 { return affinity }
    if !areUTF8 { return integers + reals == 0 ? .blob : .json }
    if blobs == count { return .blob }
    if blobs > 0 { return integers + reals == 0 ? .blob : .json }
    if texts == count {
      if areJSON { return .json }
      return saysTime && times.type == .timestamp ? .timestamp : .text
    }
    if texts > 0 || !areFinite { return .text }
    if integers == count { return declaration.contains("bool") && areBits ? .boolean : .integer }
    return areExact ? .real : .json
  }

  /// Why the type differs from what the declaration suggests; nil if it does not.
  var remark: String? {
    let kinds = [
      (integers, "integers"), (reals, "reals"), (texts, "texts"), (blobs, "blobs"),
    ].filter { $0.0 > 0 }.map { $0.1 }
    if !areUTF8 { return "holds texts that are not UTF-8" }
    if !areFinite { return "holds infinity" }
    if kinds.count > 1, type != .real { return "holds " + kinds.joined(separator: ", ") }
    return nil
  }

  /// The type for a column without values. It follows SQLite's affinity rules, and knows words that
  /// those rules ignore.
  private var affinity: FieldType {
    func says(_ words: String...) -> Bool { words.contains { declaration.contains($0) } }
    if says("bool") { return .boolean }
    if says("json") { return .json }
    if saysTime { return .timestamp }
    if says("int") { return .integer }
    if says("char", "clob", "text") { return .text }
    if says("blob") { return .blob }
    return says("real", "floa", "doub", "num", "dec") ? .real : .text
  }
}

extension ForeignValue {
  /// Returns the value as a value of the given type; nil if it is not one.
  func value(as type: FieldType) -> Value? {
    switch (type, self) {
    case (_, .null): .null
    case (.integer, .integer(let value)): .integer(value)
    case (.boolean, .integer(let value)): value == 0 || value == 1 ? .boolean(value == 1) : nil
    case (.real, .real(let value)): value.isFinite ? .real(value == 0 ? 0 : value) : nil
    case (.real, .integer(let value)): Double(exactly: value).map { .real($0) }
    case (.text, .integer(let value)): .text("\(value)")
    case (.text, .real(let value)): .text("\(value)")
    case (.text, .text(let bytes)): String(utf8: bytes).map { .text($0) }
    case (.blob, .text(let bytes)), (.blob, .blob(let bytes)): .blob(bytes)
    case (.timestamp, .text(let bytes)):
      Timestamp.milliseconds(String(decoding: bytes, as: UTF8.self)).map { .timestamp($0) }
    case (.json, _): json
    default: nil
    }
  }

  private var json: Value? {
    let json: JSONValue
    switch self {
    case .null: return .null
    case .integer(let value): json = .integer(value)
    case .real(let value):
      guard value.isFinite else { return nil }
      json = .real(value)
    case .blob(let bytes): json = .text(Base64.encode(bytes))
    case .text(let bytes):
      if let parsed = try? JSONParser.parse(bytes) {
        json = parsed
      } else if let text = String(utf8: bytes) {
        json = .text(text)
      } else {
        json = .text(Base64.encode(bytes))
      }
    }
    return .json(JSONWriter.canonical(json))
  }

  /// The value as an id or a part of one; nil if it cannot be one.
  var key: String? {
    switch self {
    case .null: nil
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let bytes): String(utf8: bytes)
    case .blob(let bytes): Hex.encode(bytes)
    }
  }
}
