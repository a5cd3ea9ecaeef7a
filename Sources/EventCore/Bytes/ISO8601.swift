/// Timestamps in the form of interchange, `YYYY-MM-DDTHH:MM:SS.SSSZ`.
package enum ISO8601 {
  /// Returns the text of a timestamp in milliseconds since 1970; nil if it is outside the years 1
  /// to 9999.
  package static func text(_ milliseconds: Int64) -> String? {
    guard let text = Timestamp.text(milliseconds) else { return nil }
    return text.replacing(" ", by: "T") + "Z"
  }
}
