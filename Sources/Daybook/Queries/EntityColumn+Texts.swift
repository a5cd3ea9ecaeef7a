import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// Texts, and optional texts.
public protocol TextFieldValue: FieldValue {}
extension String: TextFieldValue {}
extension Optional: TextFieldValue where Wrapped == String {}

extension EntityColumn where V: TextFieldValue {
  /// The text without case, and in one form of Unicode: “Café” is “CAFÉ” and “Cafe\u{301}”, and
  /// “Straße” is “STRASSE”.
  ///
  /// ```swift
  /// Note.where { $0.title.folded.contains("café") }.order { $0.title.folded }
  /// ```
  /// What it is compared with is folded, too. Accents count: “café” is not “cafe”. No index is
  /// used, so every row is read;
  /// ``Store/search(_:for:matching:limit:markers:)->[EntityHit<E>]`` finds words by an index.
  ///
  /// In SQL: `daybook_folded(column)`.
  public var folded: EntityColumn {
    var copy = self
    copy.fragment = "\(SQLFunctions.folded)(" + fragment + ")"
    copy.place = nil
    copy.isFolded = true
    return copy
  }

  /// Whether the text has a form: `%` stands for any characters, and `_` for one. Letters of ASCII
  /// match in either case. Text and form count up to their first NUL.
  ///
  /// In SQL: `column LIKE ?`.
  public func like(_ pattern: String) -> EntityCondition<Model> {
    EntityCondition(fragment + " LIKE " + bound(.text(pattern)))
  }

  /// Whether the text has a form in which `%`, `_` and the escape stand for themselves behind the
  /// escape: `like("100\\%%", escape: "\\")` finds what begins with “100%”.
  ///
  /// In SQL: `column LIKE ? ESCAPE ?`.
  public func like(_ pattern: String, escape: Unicode.Scalar) -> EntityCondition<Model> {
    var condition =
      fragment + " LIKE " + bound(.text(pattern)) + " ESCAPE "
      + SQLFragment(.text(String(escape)), of: .text, fragment)
    if escape == "\0" || isFolded && CaseFolding.folded(String(escape)) != String(escape) {
      condition.error =
        condition.error
        ?? StoreError(
          .invalidQuery, "\(fragment.shown) is compared with a form whose escape cannot be used",
          hint: "Take an escape that has no case, such as a backslash")
    }
    return EntityCondition(condition)
  }

  /// Whether the text begins with these bytes of UTF-8.
  ///
  /// In SQL: `column >= ? AND column < ?`.
  public func hasPrefix(_ prefix: String) -> EntityCondition<Model> {
    let prefix = isFolded ? CaseFolding.folded(prefix) : prefix
    guard !prefix.isEmpty else { return EntityCondition(fragment + " IS NOT NULL") }
    // A range, which an index serves.
    let bytes = Array(prefix.utf8)
    let begins = fragment + " >= " + SQLFragment(.text(prefix), of: .text, fragment)
    guard let end = Self.end(ofPrefix: bytes) else { return EntityCondition(begins) }
    return EntityCondition(
      "(" + begins + " AND " + fragment + " < " + SQLFragment(.text(end), of: .text, fragment) + ")"
    )
  }

  /// Returns the first text after all that begin with a prefix, in the order of bytes; nil if there
  /// is none.
  private static func end(ofPrefix bytes: [UInt8]) -> String? {
    var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    while let last = scalars.popLast() {
      // The order of scalars is that of their bytes in UTF-8. Surrogates are no scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let next = Unicode.Scalar(next) {
        scalars.append(next)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
      }
    }
    return nil
  }

  /// Whether the text ends with another one, with the same bytes.
  ///
  /// In SQL: `substr(CAST(column AS BLOB), -3) = CAST(? AS BLOB)` for three bytes.
  public func hasSuffix(_ suffix: String) -> EntityCondition<Model> {
    let suffix = isFolded ? CaseFolding.folded(suffix) : suffix
    let bound = SQLFragment(.text(suffix), of: .text, fragment)
    guard !suffix.isEmpty else { return EntityCondition(fragment + " IS NOT NULL") }
    return EntityCondition(
      "substr(CAST(" + fragment + " AS BLOB), -\(suffix.utf8.count)) = CAST(" + bound
        + " AS BLOB)")
  }

  /// Whether the text contains another one, with the same bytes.
  ///
  /// In SQL: `instr(column, ?) > 0`.
  public func contains(_ part: String) -> EntityCondition<Model> {
    guard !part.isEmpty else { return EntityCondition(fragment + " IS NOT NULL") }
    return EntityCondition(
      "instr(" + fragment + ", " + bound(.text(part)) + ") > 0")
  }
}
