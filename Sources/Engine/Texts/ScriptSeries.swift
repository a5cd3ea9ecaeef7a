import DaybookTexts

/// Scripts that follow each other, as one.
///
/// Each is composed with others of about its size, so that many small changes of a text, wherever
/// they are, take time in proportion to their number times its logarithm.
struct ScriptSeries: Sendable {
  private var parts: [TextScript] = []

  /// One script that does what all do.
  var whole: TextScript {
    guard var whole = parts.last else { return TextScript() }
    for part in parts.dropLast().reversed() { whole = part.followed(by: whole) }
    return whole
  }

  mutating func append(_ script: TextScript) {
    var script = script
    while let last = parts.last, last.steps.count <= 2 * script.steps.count {
      script = last.followed(by: script)
      parts.removeLast()
    }
    if !script.isEmpty { parts.append(script) }
  }
}
