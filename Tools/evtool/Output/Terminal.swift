import Foundation

/// The terminals, if any, of the input, output and error streams.
enum Terminal {
  static let inputIsTerminal = isatty(STDIN_FILENO) == 1
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1

  /// Whether to use color and weight: only on a terminal, unless `NO_COLOR` is set or `TERM` is
  /// `dumb`.
  static let isStyled =
    outputIsTerminal && (Environment["NO_COLOR"] ?? "").isEmpty && Environment["TERM"] != "dumb"

  /// The terminal's columns; nil if the output is not a terminal, and nothing is cut.
  static var width: Int? {
    guard outputIsTerminal else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  static func bold(_ text: String) -> String { styled(text, "1") }
  static func dim(_ text: String) -> String { styled(text, "2") }
  static func colored(_ text: String) -> String { styled(text, "33") }

  private static func styled(_ text: String, _ code: String) -> String {
    isStyled && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
